package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/localpass/localpass/examples/internal/boot"
	"github.com/localpass/localpass/examples/internal/toolhost"
	"github.com/localpass/localpass/internal/termtext"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/specfile"
	"github.com/localpass/localpass/toolspec/studio"
)

// inspection is the output of "inspect" for one spec.
type inspection struct {
	Name        string            `json:"name"`
	ToolID      string            `json:"toolId"`
	File        string            `json:"file"`
	Description string            `json:"description"`
	ContentHash string            `json:"contentHash"`
	CatalogHash string            `json:"catalogHash"`
	State       studio.State      `json:"state"`
	Level       toolspec.Level    `json:"level"`
	Why         []string          `json:"why"`
	InputSchema json.RawMessage   `json:"inputSchema"`
	Posture     *toolspec.Posture `json:"posture"`
	Requires    []string          `json:"requires,omitempty"`
	// Missing lists the names that have no value here. pass needs a value for each.
	Missing []string `json:"missing,omitempty"`
	// Problems lists errors, because of which pass rejects the spec, and warnings.
	Problems toolspec.Problems `json:"problems,omitempty"`
}

// inspect shows what a spec is, what it may do and why pass would reject it, without
// running it; or what a running server offers.
func inspect(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) error {
	fs, common := flags("mcpserver inspect", stderr)
	asJSON := fs.Bool("json", false, "print one JSON object for each spec")
	diff := fs.Bool("diff", false, "show instead what separates the specs of two files, what they may do first")
	types := fs.Bool("dts", false, "print instead the tools as functions in TypeScript")
	var server liveTarget
	fs.Var(&server.headers, "header", "send the header `'NAME: VALUE'` to the server at a URL; ${NAME} reads the environment; may be given again")
	fs.Var(&server.env, "env", "start the program with `NAME=VALUE` in its environment; ${NAME} reads this one; may be given again")
	fs.StringVar(&server.call, "call", "", "call the server's tool `NAME` instead, and print its result")
	fs.StringVar(&server.arguments, "args", "{}", "with these arguments, a `JSON` object")
	args, server.command = splitCommand(args)
	if err := common.parse(fs, args, server.command == nil); err != nil {
		return err
	}
	isServer := server.command != nil || slices.ContainsFunc(fs.Args(), isLive)
	wrong := ""
	switch {
	case server.command != nil && len(server.command) == 0:
		wrong = "name a program after --"
	case isServer && fs.NArg() > 1:
		wrong = "inspect one server at a time"
	case isServer && (*diff || *types):
		wrong = "-diff and -dts are for specs"
	case !isServer && (server.call != "" || server.headers != nil || server.env != nil):
		wrong = "-call, -header and -env are for servers: name one, or a URL"
	case *diff && fs.NArg() != 2:
		wrong = "-diff compares two files: name the one before and the one after"
	case *types && (*asJSON || *diff):
		wrong = "-dts takes no other flags"
	}
	if wrong != "" {
		fmt.Fprintf(stderr, "mcpserver: %s\n\n", wrong)
		fs.Usage()
		return errUsage
	}
	if isServer {
		server.asJSON = *asJSON
		return server.inspect(ctx, common, fs.Arg(0), stdout, stderr)
	}
	if *diff {
		return showDiff(fs.Arg(0), fs.Arg(1), toolhost.Host(&common.Tools), *asJSON, stdout)
	}
	documents, err := specfile.Load(fs.Args(), nil)
	if err != nil {
		return err
	}
	if len(documents) == 0 {
		printLine(stderr, "mcpserver: no spec found in %s", strings.Join(fs.Args(), ", "))
		return errNotAll
	}
	if *types {
		return showTypes(documents, stdout, stderr)
	}
	opts := common.options(stderr)
	opts.ReadOnly = true
	local, err := boot.Open(ctx, opts)
	if err != nil {
		return err
	}
	defer local.Close()
	ok := true
	for _, doc := range documents {
		in, err := inspectSpec(ctx, local.Studio, doc)
		if err != nil {
			return err
		}
		ok = ok && !in.refused()
		if *asJSON {
			if err := json.NewEncoder(stdout).Encode(in); err != nil {
				return err
			}
			continue
		}
		in.print(stdout)
	}
	if !ok {
		return errNotAll
	}
	return nil
}

// inspectSpec inspects one document.
func inspectSpec(ctx context.Context, st *studio.Studio, doc toolspec.Document) (inspection, error) {
	in := inspection{File: doc.Source, State: studio.StateDraft, Problems: doc.Problems}
	spec := doc.Spec
	if spec == nil {
		return in, nil
	}
	status, err := st.Preflight(ctx, spec, nil)
	if err != nil {
		return in, err
	}
	in.Name, in.ToolID, in.Description = spec.Name, spec.ID(), spec.Description
	in.ContentHash, in.CatalogHash = spec.ContentHash(), spec.CatalogHash()
	in.InputSchema, in.Requires = spec.InputSchema(), spec.Placeholders()
	in.State, in.Level, in.Why, in.Posture, in.Missing = status.State, status.Risk.Level, status.Risk.Why, status.Posture, status.Missing
	for _, p := range status.Problems {
		if !slices.Contains(in.Problems, p) { // parsing the document has already reported some of the problems
			in.Problems = append(in.Problems, p)
		}
	}
	return in, nil
}

// refused reports whether pass would reject the spec in every environment: a value that is
// missing here is not a fault of the spec.
func (in *inspection) refused() bool {
	return slices.ContainsFunc(in.Problems.Errors(), func(p toolspec.Problem) bool { return p.Reason != toolspec.ReasonMissingRequirements })
}

func (in *inspection) print(w io.Writer) {
	if in.ToolID == "" {
		printLine(w, "%s", in.File)
	} else {
		p := in.Posture
		printLine(w, "%s  %s  %s", in.Name, in.Level, in.File)
		printLine(w, "  %s", termtext.Escape(in.Description))
		printLine(w, "  state    %s", in.State)
		printLine(w, "  id       %s", in.ToolID)
		printLine(w, "  content  %s", in.ContentHash)
		printLine(w, "  schema   %s", in.InputSchema)
		if p != nil {
			printLine(w, "  posture  network %s%s, file read %t, file write %t, destructive %t, %s a call",
				p.Network.Mode, hosts(p.Network.Hosts), p.FileRead, p.FileWrite, p.Destructive, p.Limits.Timeout)
			if p.FSBasePath != "" {
				printLine(w, "  files    in %s instead of the workspace", p.FSBasePath)
			}
		}
		for _, why := range in.Why {
			printLine(w, "  why      %s", why)
		}
		if len(in.Requires) > 0 {
			printLine(w, "  needs    %s", strings.Join(in.Requires, ", "))
		}
	}
	for _, p := range in.Problems {
		printLine(w, "  %-8s %s", p.Severity, p.Error())
	}
}

func hosts(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return " (" + strings.Join(list, ", ") + ")"
}

package studioapi

import (
	"bytes"
	"fmt"
	"go/format"
	"net/http"
	"strconv"
	"strings"
	"text/template"
	"unicode"

	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/specfile"
)

// GoCode is a program that serves a tool.
type GoCode struct {
	File string `json:"file" doc:"The name of the file: main.go."`
	Code string `json:"code"`
}

// The program tests the document again where it is built, because a pass is valid only on
// the host that issued it.
var program = template.Must(template.New("main.go").Parse(`// This program serves the tool {{.Name}} over MCP at http://127.0.0.1:8282/mcp. The
// tool runs its own tests first: no pass, no run.
//
//	go mod init example.com/{{.Module}}
//	go get github.com/localpass/localpass@latest
//	go mod tidy
//	go run .
package main

import (
	"context"
	"log"
{{- if .Files}}
	"os"
	"path/filepath"
{{- end}}
{{if .Approval}}
	"github.com/localpass/localpass/approval"{{end}}
	"github.com/localpass/localpass/mcphub"
{{- if .Approval}}
	"github.com/localpass/localpass/mcphub/audit"{{end}}
	"github.com/localpass/localpass/persistence/file"
	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/sandbox/charsets"
	"github.com/localpass/localpass/sandbox/typescript"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// document is the tool. A ${NAME} in it is read from the environment.
const document = {{.Document}}

func main() {
	sandbox.Main(typescript.Engine()) // first: this program is also the worker that runs the code
	ctx := context.Background()
{{- if .Files}}
	workspace, err := filepath.Abs("workspace") // the files that it may touch
	check(err)
	check(os.MkdirAll(workspace, 0o700))
{{- end}}
	box, err := sandbox.New(&sandbox.Options{
		Engine:  typescript.Engine(),
		Network: &sandbox.NetworkOptions{Charsets: charsets.Decode},
{{- if .Files}}
		Files:   &sandbox.FileOptions{Workspace: workspace{{if .Base}}, BasePaths: []string{ {{.Base}} }{{end}}},
{{- end}}
	})
	check(err)
	defer box.Close()
	store, err := file.Open("state", nil) // passes, approvals and the record of calls
	check(err)
	defer store.Close()
	st, err := studio.New(ctx, box, store, nil)
	check(err)

	spec, err := toolspec.ParseSpec([]byte(document))
	check(err)
	_, _, err = st.TestAndPublish(ctx, spec, {{if .Approval}}&studio.TestOptions{ByAuthor: true}{{else}}nil{{end}})
	check(err)

{{if .Approval}}
	// The client that calls asks its user before each call.
	records := audit.New(store, nil, nil)
	defer records.Close()
	gate, err := approval.NewGate(&approval.Options{Store: store, Audit: records, Approvers: []approval.Approver{approval.Elicitation(nil)}})
	check(err)
	defer gate.Close()
	hub, err := mcphub.New(&mcphub.Options{Store: store, Audit: records, Approval: gate})
{{- else}}
	hub, err := mcphub.New(&mcphub.Options{Store: store})
{{- end}}
	check(err)
	defer hub.Close()
	check(hub.Attach(st))
	log.Println({{.Log}}, "at http://127.0.0.1:8282/mcp")
	check(hub.ListenAndServe(ctx, "127.0.0.1:8282"))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
`))

// goProgram writes the program that serves a spec.
func goProgram(spec *toolspec.Spec) ([]byte, error) {
	own := spec.Clone()
	own.Created, own.Updated, own.Draft = 0, 0, false // the program is not an editor
	document, _, err := specfile.Export(own)          // credentials are not exported
	if err != nil {
		return nil, err
	}
	o := &spec.Overrides
	in := struct {
		Name, Module, Document, Log, Base string
		Files, Approval                   bool
	}{
		Name: commentText(spec.Name), Module: moduleName(spec.Name), Document: goLiteral(strings.TrimSpace(string(document))), Log: strconv.QuoteToASCII(spec.Name),
		Files: o.FileRead != nil && *o.FileRead || o.FileWrite != nil && *o.FileWrite, Approval: asksApproval(spec),
	}
	if o.FSBasePath != nil {
		in.Base = strconv.Quote(*o.FSBasePath)
	}
	var out bytes.Buffer
	if err := program.Execute(&out, in); err != nil {
		return nil, err
	}
	code, err := format.Source(out.Bytes())
	if err != nil {
		return nil, fmt.Errorf("studioapi: the program of %q: %w", spec.Name, err)
	}
	return code, nil
}

// goLiteral writes a text as a Go string, in a readable form if Go allows it.
func goLiteral(text string) string {
	if strconv.CanBackquote(strings.NewReplacer("\n", "", "`", "").Replace(text)) {
		return "`" + strings.ReplaceAll(text, "`", "` + \"`\" + `") + "`"
	}
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		lines[i] = strconv.Quote(line)
	}
	return strings.Join(lines, " +\n")
}

// commentText returns a name without characters that would end a comment.
func commentText(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, name)
}

// moduleName makes the last part of a module path from a name.
func moduleName(name string) string {
	out := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			return unicode.ToLower(r)
		}
		return -1
	}, name)
	if out == "" {
		return "tool"
	}
	return out
}

func (a *API) goCode(w http.ResponseWriter, r *http.Request) error {
	e, err := a.find(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	code, err := goProgram(e.spec)
	if err != nil {
		return err
	}
	return httpapi.Reply(w, http.StatusOK, GoCode{File: "main.go", Code: string(code)})
}

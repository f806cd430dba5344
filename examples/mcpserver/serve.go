package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/examples/internal/boot"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
	"github.com/localpass/localpass/toolspec/studio"
)

// selection are the flags that say which bundled tools are active.
type selection struct{ preset, tools string }

func (s *selection) flags(fs *flag.FlagSet) {
	fs.StringVar(&s.preset, "preset", "", "activate the bundled tools of the preset `ID` (default: what the home remembers, else starter-5)")
	fs.StringVar(&s.tools, "tools", "", "change what is active by a `LIST` such as +uuid,-getWeather,+tag:korea,-category:FILE")
}

// serve lets the specs pass and serves those that do.
func serve(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	fs, common := flags("mcpserver", stderr)
	addr := fs.String("http", "", "serve streamable HTTP at `ADDR` (such as 127.0.0.1:8282), path /mcp, instead of stdio")
	token := fs.String("token", "", "bearer `TOKEN` that HTTP clients must send; ${NAME} reads the environment; required off loopback and behind a proxy")
	watch := fs.Bool("watch", false, "follow the files of -specs: test and publish what is saved, withdraw what is deleted")
	version := fs.Bool("version", false, "print the version on stderr, and end")
	var specs paths
	fs.Var(&specs, "specs", "serve the specs in `PATH`, a file or a folder; may be given again; alone it leaves out the bundled tools")
	real := realFlag(fs)
	var active selection
	active.flags(fs)
	var up upstreams
	fs.StringVar(&up.path, "connect", "", "connect the MCP servers in the JSON `FILE` (the mcpServers form of MCP clients) and serve what is approved of them; alone it leaves out the bundled tools")
	fs.BoolVar(&up.saved, "servers", false, "connect the servers that the home keeps instead, see mcpserver servers")
	var ask approvals
	ask.register(fs)
	if err := parse(fs, args, false); err != nil {
		return err
	}
	if err := ask.choose(); err != nil {
		return err
	}
	if *watch && len(specs) == 0 {
		return fmt.Errorf("-watch follows the files of -specs: name some")
	}
	if err := up.read(stderr); err != nil {
		return err
	}
	if *version {
		printLine(stderr, "mcpserver %s", boot.Version())
		return nil
	}
	options := &mcphub.Options{Version: boot.Version()}
	var listener net.Listener
	if *addr != "" { // before any work, so that a port in use is known at once
		var err error
		if listener, err = net.Listen("tcp", *addr); err != nil {
			return fmt.Errorf("cannot listen on %s: %w", *addr, err)
		}
		defer listener.Close()
		if host := listener.Addr().(*net.TCPAddr); *token == "" && !host.IP.IsLoopback() {
			return fmt.Errorf("others than this machine can reach %s: give a -token that clients must send, or listen on 127.0.0.1", *addr)
		}
		if *token != "" {
			value, _, err := (&secret.Resolver{Lookup: secret.Env()}).Resolve(*token)
			if err != nil {
				return fmt.Errorf("-token: %w", err)
			}
			options.Authenticate = mcphub.BearerToken(value)
		}
	}
	var documents []toolspec.Document
	if !*watch && len(specs) > 0 {
		var err error
		if documents, err = toolspec.LoadPaths(specs, nil); err != nil {
			return err
		}
	}
	boots := common.options(stderr)
	boots.Gate = func(l *boot.Local) (studio.Gate, error) {
		ask.more = func(fixed []approval.Policy) ([]approval.Policy, error) { return up.policies(l, fixed) }
		return ask.open(ctx, l)
	}
	local, err := boot.Open(ctx, boots)
	if err != nil {
		return err
	}
	defer local.Close()
	defer ask.close() // before its store
	if len(specs) == 0 && !up.wanted() || active != (selection{}) {
		bundled, err := local.Bundled(ctx, active.preset, active.tools)
		if err != nil {
			return err
		}
		documents = append(documents, bundled...)
	}
	for _, doc := range documents {
		if doc.Spec != nil { // who named a bundled tool wants it served
			options.Expose = append(options.Expose, doc.Spec.ID())
		}
	}
	options.Store, options.CallTimeout, options.Telemetry = local.Store, common.timeout, local.Telemetry
	options.Approval, options.ApprovalState, options.Audit = ask.gate, ask.states, ask.audit
	hub, err := mcphub.New(options)
	if err != nil {
		return err
	}
	defer hub.Close()
	if err := hub.Attach(local.Studio); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if up.wanted() {
		defer up.close()
		up.hint = hintFor(common.home)
		if err := up.open(ctx, local, hub, stderr); err != nil {
			return err
		}
	}
	local.Follow()
	tests := &studio.TestOptions{RealWorkspace: *real}
	admitted := admitAll(ctx, local.Studio, documents, tests, stderr)
	defer admitted.Wait()
	defer cancel()
	if *watch {
		followed := follow(ctx, local.Studio, specs, tests, stderr)
		defer followed.Wait()
		defer cancel()
	}
	return ask.serve(ctx, hub, listener, stdin, stdout, stderr)
}

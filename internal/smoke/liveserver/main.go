// Command liveserver is a server for the smoke tests: two of its tools publish
// and withdraw a third, so that a client can watch its tool list change.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/persistence/file"
	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

const extra = `{
  "name": "extra",
  "description": "Writes a word in capitals.",
  "codeType": "Javascript",
  "params": [{"name": "word", "type": "STRING", "required": true, "testValue": "one"}],
  "code": "return word.toUpperCase();",
  "x-tests": [{"args": {"word": "two"}, "want": "TWO"}]
}`

func main() {
	sandbox.Main()
	home := flag.String("home", "", "home directory")
	addr := flag.String("http", "", "serve HTTP here instead of stdio")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *home, *addr); err != nil {
		fmt.Fprintln(os.Stderr, "liveserver:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, home, addr string) error {
	store, err := file.Open(home, nil)
	if err != nil {
		return err
	}
	defer store.Close()
	box, err := sandbox.New(nil)
	if err != nil {
		return err
	}
	defer box.Close()
	st, err := studio.New(ctx, box, store, nil)
	if err != nil {
		return err
	}
	spec, err := toolspec.ParseSpec([]byte(extra))
	if err != nil {
		return err
	}
	hub, err := mcphub.New(&mcphub.Options{Store: store})
	if err != nil {
		return err
	}
	defer hub.Close()
	if err := hub.Attach(st); err != nil {
		return err
	}
	publish := func(ctx context.Context) error {
		_, _, err := st.TestAndPublish(ctx, spec, nil)
		return err
	}
	withdraw := func(context.Context) error { st.Withdraw(spec.ID()); return nil }
	// Certify runs each tool once. Together these runs leave the set of tools unchanged.
	if err := addTool(ctx, hub, "publishExtra", publish); err != nil {
		return err
	}
	if err := addTool(ctx, hub, "withdrawExtra", withdraw); err != nil {
		return err
	}
	if addr == "" {
		return hub.ServeStdio(ctx, os.Stdin, os.Stdout)
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "liveserver: listening on http://%s/mcp\n", listener.Addr())
	return hub.Serve(ctx, listener)
}

func addTool(ctx context.Context, hub *mcphub.Hub, name string, do func(context.Context) error) error {
	type none struct{}
	tool, err := toolspec.Func(name, "Changes the set of tools.", func(ctx context.Context, _ none) (string, error) {
		return "done", do(ctx)
	}, &toolspec.FuncOptions{Level: toolspec.L0})
	if err != nil {
		return err
	}
	passed, err := studio.Certify(ctx, tool, []toolspec.Case{{Args: []byte(`{}`), Want: []byte(`"done"`)}}, nil)
	if err != nil {
		return err
	}
	return hub.Add(passed)
}

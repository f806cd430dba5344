// Command server is the server for the official conformance suite: it serves every tool,
// prompt and resource that a scenario requires, at /mcp.
//
//	server -http 127.0.0.1:3000
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
)

func main() {
	addr := flag.String("http", "127.0.0.1:0", "the address to serve at; port 0 picks a free one, which is printed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *addr, func(at net.Addr) { fmt.Println(at) }); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

// parts add the tools, prompts and resources of the server.
var parts = []func(ctx context.Context, hub *mcphub.Hub) error{
	addContentTools,
	addPeerTools,
	addAskingTools,
	addStateTools,
	addResources,
	addPrompts,
	addInputRequired,
	addTaskTools,
}

// run serves until ctx ends. It calls listening with its address.
func run(ctx context.Context, addr string, listening func(net.Addr)) error {
	hub, err := mcphub.New(&mcphub.Options{Name: "localpass-conformance", Title: "Conformance fixture"})
	if err != nil {
		return err
	}
	defer hub.Close()
	for _, add := range parts {
		if err := add(ctx, hub); err != nil {
			return err
		}
	}
	l, err := hub.Listen(ctx, addr)
	if err != nil {
		return err
	}
	listening(l.Addr())
	return hub.Serve(ctx, l)
}

// Command server is the server that the official conformance suite drives.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/localpass/localpass/mcphub"
)

func main() {
	addr := flag.String("http", "127.0.0.1:8080", "serve here")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *addr); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, addr string) error {
	hub, err := mcphub.New(nil)
	if err != nil {
		return err
	}
	defer hub.Close()
	if err := addInputRequired(ctx, hub); err != nil {
		return err
	}
	tools, err := taskTools()
	if err != nil {
		return err
	}
	for _, tool := range tools {
		if err := hub.Add(tool); err != nil {
			return err
		}
	}
	return hub.ListenAndServe(ctx, addr)
}

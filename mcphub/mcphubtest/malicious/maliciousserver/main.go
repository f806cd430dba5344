// Command maliciousserver is an MCP server that attacks its client, for tests of clients: see
// package malicious.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/localpass/localpass/mcphub/mcphubtest/malicious"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := malicious.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

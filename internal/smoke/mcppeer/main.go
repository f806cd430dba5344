// Command mcppeer is an MCP server for the tests of clients, see package peer.
package main

import (
	"os"

	"github.com/localpass/localpass/internal/smoke/peer"
)

func main() { os.Exit(peer.Run(os.Args[1:])) }

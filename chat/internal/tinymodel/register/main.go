// Command register adds the tiny models to an Ollama server:
//
//	go run ./chat/internal/tinymodel/register http://127.0.0.1:11434
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/localpass/localpass/chat/internal/tinymodel"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: register URL")
		os.Exit(2)
	}
	if err := tinymodel.Register(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

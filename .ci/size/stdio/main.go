package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

type greeting struct {
	Name string `json:"name" jsonschema:"Who to greet."`
}

func main() {
	ctx := context.Background()
	tool, err := toolspec.Func("greet", "Greets somebody.", func(_ context.Context, in greeting) (string, error) {
		return "Hello, " + in.Name + "!", nil
	}, &toolspec.FuncOptions{Level: toolspec.L0})
	if err != nil {
		log.Fatal(err)
	}
	passed, err := studio.Certify(ctx, tool, []toolspec.Case{{Args: json.RawMessage(`{"name":"Ada"}`), Want: json.RawMessage(`"Hello, Ada!"`)}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	hub, err := mcphub.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer hub.Close()
	if err := hub.Add(passed); err != nil {
		log.Fatal(err)
	}
	if err := hub.ServeStdio(ctx, os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

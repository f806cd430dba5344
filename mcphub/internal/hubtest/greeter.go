package hubtest

import (
	"context"
	"encoding/json"
	"log"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// Greeter returns a hub with one tool, for examples to connect to.
func Greeter() *mcphub.Hub {
	type in struct {
		Name string `json:"name"`
	}
	tool, err := toolspec.Func("greet", "Greets by name.", func(_ context.Context, in in) (string, error) { return "Hello, " + in.Name + "!", nil }, nil)
	if err != nil {
		log.Fatal(err)
	}
	pass, err := studio.Certify(context.Background(), tool, []toolspec.Case{{Args: json.RawMessage(`{"name":"Ada"}`), Want: json.RawMessage(`"Hello, Ada!"`)}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	hub, err := mcphub.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := hub.Add(pass); err != nil {
		log.Fatal(err)
	}
	return hub
}

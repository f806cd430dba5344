package js_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/localpass/localpass/sandbox/internal/js"
	"github.com/localpass/localpass/sandbox/typescript"
	"github.com/localpass/localpass/toolspec"
)

func Example() {
	program, problems := js.Compile(js.Source{Translator: typescript.Translator(), Code: `return {hello: name.toUpperCase()}`}, limits())
	if program == nil {
		fmt.Println(problems)
		return
	}
	out := program.Run(context.Background(), &js.Input{
		Globals: []toolspec.Global{{Name: "name", Value: json.RawMessage(`"ada"`)}},
	})
	fmt.Println(string(out.Result), out.Err)
	// Output: {"hello":"ADA"} <nil>
}

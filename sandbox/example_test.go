package sandbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/toolspec"
)

// The program's main begins with sandbox.Main(): workers are the program
// itself, started again. Here the TestMain of the package does.
func Example() {
	box, err := sandbox.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer box.Close()

	out, err := box.Run(context.Background(), &toolspec.RunRequest{
		Spec:    &toolspec.Spec{Name: "greet", Code: "console.log('running'); return {hello: name.toUpperCase()}"},
		Globals: []toolspec.Global{{Name: "name", Value: json.RawMessage(`"ada"`)}},
	})
	if err != nil {
		log.Fatal(err) // it did not run
	}
	fmt.Println(string(out.Result), out.Console[0].Text, out.Runtime.Tier)
	// Output: {"hello":"ADA"} running isolated
}

// What a spec needs and the sandbox has not is told before it runs, with its
// place.
func ExampleSandbox_Check() {
	box, err := sandbox.New(&sandbox.Options{Tier: toolspec.TierInProcess}) // the operator wrote the code
	if err != nil {
		log.Fatal(err)
	}
	defer box.Close()

	spec := &toolspec.Spec{Name: "get", Code: "const page = await fetch(url);\nreturn page.text()", Params: []toolspec.Param{{Name: "url"}}}
	for _, p := range box.Check(context.Background(), spec, nil) {
		fmt.Println(p.Line, p.Column, p.Reason)
	}
	// Output: 1 20 unsupported-global
}

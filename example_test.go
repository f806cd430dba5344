package localpass_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

const shout = `{
  "name": "shout",
  "description": "Writes a text in capitals.",
  "codeType": "Javascript",
  "params": [{"name": "text", "type": "STRING", "required": true, "testValue": "quiet"}],
  "code": "return text.toUpperCase() + '!';",
  "x-tests": [{"args": {"text": "hello"}, "want": "HELLO!"}]
}`

// A spec earns its Local Pass, is served, and is called by an MCP client. A
// program begins its main with sandbox.Main(); so does the TestMain of this
// package.
func Example() {
	ctx := context.Background()
	box, err := sandbox.New(nil) // worker processes without authority
	check(err)
	defer box.Close()
	st, err := studio.New(ctx, box, memory.New(), nil)
	check(err)
	spec, err := toolspec.ParseSpec([]byte(shout))
	check(err)
	_, report, err := st.TestAndPublish(ctx, spec, nil) // test, then publish
	check(err)
	fmt.Println("passed:", report.OK, report.Risk.Level)

	hub, err := mcphub.New(nil)
	check(err)
	defer hub.Close()
	check(hub.Attach(st))
	server := httptest.NewServer(hub.Handler())
	defer server.Close()

	fmt.Println(callOver(ctx, server.URL+"/mcp", "shout", map[string]any{"text": "no pass, no run"}))
	// Output:
	// passed: true L0
	// NO PASS, NO RUN!
}

// A typed Go function is served the same way: it is certified with test cases.
func Example_goFunction() {
	ctx := context.Background()
	type args struct {
		A int `json:"a" jsonschema:"first summand"`
		B int `json:"b" jsonschema:"second summand"`
	}
	add, err := toolspec.Func("add", "Adds two whole numbers.", func(_ context.Context, in args) (string, error) {
		return fmt.Sprint(in.A + in.B), nil
	}, &toolspec.FuncOptions{Level: toolspec.L0})
	check(err)
	passed, err := studio.Certify(ctx, add, []toolspec.Case{
		{Args: []byte(`{"a": 2, "b": 3}`), Want: []byte(`5`)},
		{Args: []byte(`{"a": 2}`), WantError: &toolspec.WantError{Kind: toolspec.KindInvalidInput}},
	}, nil)
	check(err)

	hub, err := mcphub.New(nil)
	check(err)
	defer hub.Close()
	check(hub.Add(passed))
	server := httptest.NewServer(hub.Handler())
	defer server.Close()

	fmt.Println(callOver(ctx, server.URL+"/mcp", "add", map[string]any{"a": 20, "b": 22}))
	// Output: 42
}

// callOver is any MCP client.
func callOver(ctx context.Context, url, name string, args map[string]any) string {
	c, err := client.NewStreamableHttpClient(url)
	check(err)
	defer c.Close()
	check(c.Start(ctx))
	_, err = c.Initialize(ctx, mcp.InitializeRequest{})
	check(err)
	result, err := c.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: name, Arguments: args}})
	check(err)
	return result.Content[0].(mcp.TextContent).Text
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

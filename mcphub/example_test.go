package mcphub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/audit"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

type greeting struct {
	Name string `json:"name" jsonschema:"Who to greet."`
}

// greetTool is a Go function that has earned its pass.
func greetTool(ctx context.Context) (*studio.Passed, error) {
	tool, err := toolspec.Func("greet", "Greets somebody.", func(_ context.Context, in greeting) (string, error) {
		return "Hello, " + in.Name + "!", nil
	}, &toolspec.FuncOptions{Level: toolspec.L0})
	if err != nil {
		return nil, err
	}
	return studio.Certify(ctx, tool, []toolspec.Case{{Args: json.RawMessage(`{"name":"Ada"}`), Want: json.RawMessage(`"Hello, Ada!"`)}}, nil)
}

// A program that an MCP client starts serves it over its standard input and
// output. Here the client's side of the conversation is a text.
func Example() {
	ctx := context.Background()
	hub, err := mcphub.New(&mcphub.Options{Name: "greeter"})
	if err != nil {
		log.Fatal(err)
	}
	defer hub.Close()
	greet, err := greetTool(ctx)
	if err != nil {
		log.Fatal(err)
	}
	if err := hub.Add(greet); err != nil {
		log.Fatal(err)
	}
	client := strings.NewReader(`
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Grace"}}}`)
	if err := hub.ServeStdio(ctx, client, os.Stdout); err != nil {
		log.Fatal(err)
	}
	for record, err := range hub.AuditRecords(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(record.Tool.Name, record.Principal, record.OK)
	}
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Hello, Grace!"}]}}
	// greet local via stdio true
}

// A program calls what its hub serves by name.
func ExampleHub_Call() {
	ctx := context.Background()
	hub, err := mcphub.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer hub.Close()
	greet, err := greetTool(ctx)
	if err != nil {
		log.Fatal(err)
	}
	if err := hub.Add(greet); err != nil {
		log.Fatal(err)
	}
	result, err := hub.Call(ctx, "greet", greeting{Name: "Grace"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Content[0].Text)
	_, err = hub.Call(ctx, "greets", nil)
	fmt.Println(err)
	// Output:
	// Hello, Grace!
	// mcphub: unknown tool "greets": Hub.Tools lists what is served
}

// The operator decides which of the tools that hold a pass clients see.
func ExampleHub_SetExposure() {
	ctx := context.Background()
	hub, err := mcphub.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer hub.Close()
	greet, err := greetTool(ctx)
	if err != nil {
		log.Fatal(err)
	}
	if err := hub.Add(greet); err != nil {
		log.Fatal(err)
	}
	show := func() {
		tools, err := hub.Tools(ctx)
		if err != nil {
			log.Fatal(err)
		}
		for _, t := range tools {
			fmt.Println("serving", t.Definition().Name)
		}
	}
	show()
	if err := hub.SetExposure(ctx, mcphub.Exposure{AutoAdd: true, Excluded: []string{greet.ID()}}); err != nil {
		log.Fatal(err)
	}
	fmt.Println("hidden")
	show()
	// Output:
	// serving greet
	// hidden
}

// Off this machine a hub asks for credentials.
func ExampleBearerToken() {
	hub, err := mcphub.New(&mcphub.Options{
		Authenticate: mcphub.BearerToken(os.Getenv("MCP_TOKEN")),
		AllowedHosts: []string{"mcp.example.com"},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer hub.Close()
	open, err := mcphub.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer open.Close()
	if l, err := hub.Listen(context.Background(), "0.0.0.0:0"); err == nil {
		fmt.Println("with credentials: listening")
		l.Close()
	}
	if _, err := open.Listen(context.Background(), "0.0.0.0:0"); err != nil {
		fmt.Println("without: refused")
	}
	// Output:
	// with credentials: listening
	// without: refused
}

// A gate stands before every call. Here a function answers in a person's place; a
// program has terminal.New, approval.Elicitation or approvalapi.New do it.
func ExampleOptions_approval() {
	ctx := context.Background()
	store := memory.New()
	records := audit.New(store, nil, nil)
	defer records.Close()
	person := approval.Ask(func(_ context.Context, r approval.Request) (bool, string, error) {
		fmt.Println("asked about", r.Tool, r.Shown)
		return true, "", nil
	})
	gate, err := approval.NewGate(&approval.Options{Store: store, Audit: records, Approvers: []approval.Approver{person},
		Fixed: []approval.Policy{{Tool: "greet", Effect: approval.AskUser}}})
	if err != nil {
		log.Fatal(err)
	}
	defer gate.Close()
	hub, err := mcphub.New(&mcphub.Options{Store: store, Audit: records, Approval: gate})
	if err != nil {
		log.Fatal(err)
	}
	defer hub.Close()
	greet, err := greetTool(ctx)
	if err != nil {
		log.Fatal(err)
	}
	if err := hub.Add(greet); err != nil {
		log.Fatal(err)
	}
	tools, err := hub.Tools(ctx)
	if err != nil {
		log.Fatal(err)
	}
	result, err := tools[0].Call(ctx, &toolspec.Call{Arguments: json.RawMessage(`{"name":"Ada"}`)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text())
	for r, err := range records.ApprovalRecords(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(r.Kind, "of", r.Tool)
	}
	// Output:
	// asked about greet {"name":"Ada"}
	// Hello, Ada!
	// approval.asked of greet
	// approval.decided of greet
	// approval.used of greet
}

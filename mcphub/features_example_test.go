package mcphub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// A hub serves what its program knows as resources, by URI or by a family of
// URIs.
func ExampleHub_AddResourceTemplate() {
	ctx := context.Background()
	hub, err := mcphub.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer hub.Close()
	meals := map[string]string{"monday": "Soup.", "tuesday": "Rice."}
	err = hub.AddResourceTemplate(mcphub.ResourceTemplate{
		URITemplate: "menu://{day}", MIMEType: "text/plain",
		Complete: map[string]mcphub.CompleteFunc{"day": mcphub.CompleteFrom("monday", "tuesday")},
	}, func(_ context.Context, req *mcphub.ReadRequest) (*mcphub.ReadResult, error) {
		meal, ok := meals[req.Variables["day"]]
		if !ok {
			return nil, mcphub.ErrUnknownResource
		}
		return &mcphub.ReadResult{Contents: []toolspec.Content{{Text: meal}}}, nil
	})
	if err != nil {
		log.Fatal(err)
	}

	client, err := hub.InProcess(nil).Dial(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	for _, uri := range []string{"menu://tuesday", "menu://sunday"} {
		raw, err := client.Call(ctx, "resources/read", json.RawMessage(`{"uri":"`+uri+`"}`), nil)
		var result struct{ Contents []struct{ Text string } }
		if err == nil {
			err = json.Unmarshal(raw, &result)
		}
		fmt.Println(result.Contents, err)
	}
	// Output:
	// [{Rice.}] <nil>
	// [] client: the server refused: Resource not found (-32602)
}

func ExampleHub_AddPrompt() {
	ctx := context.Background()
	hub, err := mcphub.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer hub.Close()
	err = hub.AddPrompt(mcphub.Prompt{
		Name: "review", Description: "Asks for a review.",
		Arguments: []mcphub.PromptArgument{{Name: "language", Required: true, Complete: mcphub.CompleteFrom("Go", "Gleam", "Rust")}},
	}, func(_ context.Context, req *mcphub.PromptRequest) (*mcphub.PromptResult, error) {
		return &mcphub.PromptResult{Messages: []toolspec.SampleMessage{
			{Content: toolspec.Text("Review this " + req.Arguments["language"] + " code.")}}}, nil
	})
	if err != nil {
		log.Fatal(err)
	}

	client, err := hub.InProcess(nil).Dial(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	raw, err := client.Call(ctx, "completion/complete", json.RawMessage(`{"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"language","value":"g"}}`), nil)
	if err != nil {
		log.Fatal(err)
	}
	var suggested struct{ Completion struct{ Values []string } }
	if err := json.Unmarshal(raw, &suggested); err != nil {
		log.Fatal(err)
	}
	fmt.Println(suggested.Completion.Values)
	_, err = client.Call(ctx, "prompts/get", json.RawMessage(`{"name":"review"}`), nil)
	fmt.Println(err)
	// Output:
	// [Go Gleam]
	// client: the server refused: the prompt "review" needs the argument "language" (-32602)
}

// What another server has is served once the operator has looked at it and said
// yes.
func ExampleComposition_ApproveShare() {
	ctx := context.Background()
	library, err := mcphub.New(nil) // the other server; here in this program
	if err != nil {
		log.Fatal(err)
	}
	defer library.Close()
	if err := library.AddResource(mcphub.Resource{URI: "books://list"}, mcphub.ReadText("Emma")); err != nil {
		log.Fatal(err)
	}
	kinds := client.NewRegistry(nil)
	err = kinds.Register("library", func(json.RawMessage) (client.Transport, error) { return library.InProcess(nil), nil })
	if err != nil {
		log.Fatal(err)
	}
	conns, err := servers.New(memory.New(), &servers.Options{Kinds: kinds})
	if err != nil {
		log.Fatal(err)
	}
	defer conns.Close()
	if _, err := conns.Save(ctx, servers.Record{ID: "books", Kind: "library"}); err != nil {
		log.Fatal(err)
	}
	hub, err := mcphub.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer hub.Close()
	composition, err := mcphub.NewComposition(hub, conns, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer composition.Close()

	if err := conns.Connect(ctx, "books"); err != nil {
		log.Fatal(err)
	}
	if err := composition.PutShare(ctx, mcphub.Share{Server: "books", Resources: []string{"books://*"}}); err != nil {
		log.Fatal(err)
	}
	share := composition.Shares()[0]
	fmt.Println(share.Items[0].Key, share.Items[0].State)
	if err := composition.ApproveShare(ctx, "books", share.Fingerprint); err != nil {
		log.Fatal(err)
	}
	fmt.Println(composition.Shares()[0].Items[0].State)
	// Output:
	// books://list awaiting-approval
	// served
}

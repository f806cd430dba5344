package mcphub_test

import (
	"context"
	"fmt"
	"log"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/memory"
)

// A tool of another server is served here once the operator has looked at it and
// said yes.
func ExampleComposition() {
	ctx := context.Background()
	far := hubtest.Greeter()
	defer far.Close()
	conns, err := servers.New(memory.New(), &servers.Options{Kinds: client.NewRegistry(&client.RegistryOptions{InProcess: far.InProcess(nil)})})
	if err != nil {
		log.Fatal(err)
	}
	defer conns.Close()
	if _, err := conns.Save(ctx, servers.Record{ID: "far", Kind: client.TransportInProcess}); err != nil {
		log.Fatal(err)
	}
	if err := conns.Connect(ctx, "far"); err != nil {
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
	if err := composition.Put(ctx, mcphub.Member{Server: "far", Tool: "greet", Alias: "say_hello"}); err != nil {
		log.Fatal(err)
	}
	show := func() {
		served, err := hub.Tools(ctx)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(composition.Members()[0].State, len(served))
	}
	show()
	seen := composition.Members()[0].Current // to be looked at
	fmt.Println(seen.Description)
	if err := composition.Approve(ctx, "far", "greet", seen.Fingerprint); err != nil {
		log.Fatal(err)
	}
	show()
	// Output:
	// awaiting-approval 0
	// Greets by name.
	// served 1
}

package inspector_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/inspector"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/memory"
)

// Somebody looks into a server: what it is, what it offers, and what a call gives.
func ExampleInspector() {
	ctx := context.Background()
	far := hubtest.Greeter() // stands for a server elsewhere
	defer far.Close()
	conns, err := servers.New(memory.New(), &servers.Options{Kinds: client.NewRegistry(&client.RegistryOptions{InProcess: far.InProcess(nil)})})
	if err != nil {
		log.Fatal(err)
	}
	defer conns.Close()
	if _, err := conns.Save(ctx, servers.Record{ID: "far", Kind: client.TransportInProcess}); err != nil {
		log.Fatal(err)
	}
	// Options.Approval has a gate decide about each call of a tool.
	i, err := inspector.New(conns, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer i.Close()

	rec, err := i.CallTool(ctx, "far", inspector.ToolTrial{Tool: "greet", Arguments: json.RawMessage(`{"name":"Grace"}`)})
	if err != nil { // it could not be begun
		log.Fatal(err)
	}
	fmt.Println(rec.Operation, rec.OK)
	for _, m := range rec.Wire {
		fmt.Println(m.Sent, m.Method, m.Size > 0)
	}
	report, err := i.Check(ctx, "far")
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range report.Rows[:3] {
		fmt.Println(row.Name, row.Status)
	}
	// Output:
	// tools/call true
	// true tools/call true
	// false  true
	// introduction pass
	// capabilities pass
	// liveness pass
}

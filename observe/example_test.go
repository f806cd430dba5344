package observe_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/localpass/localpass/observe"
	"github.com/localpass/localpass/observe/genai"
)

// A program hands the telemetry of its collector to the packages that it uses,
// and reads what they did.
func Example() {
	ctx := context.Background()
	traces, err := observe.New(&observe.Options{Local: func(provider string) bool { return provider == "ollama" }})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = traces.Close(ctx) }()

	// What chat does in a turn; a program passes traces.Telemetry() to its options.
	tel := traces.Telemetry()
	within, turn := tel.StartTurn(ctx, genai.Turn{ID: "t_1", Provider: "ollama", Model: "qwen3"})
	asking, call := tel.StartModel(within, genai.ModelCall{Provider: "ollama", Model: "qwen3", Round: 1})
	call.Usage(asking, genai.Usage{Input: 120, Output: 30})
	call.End(asking, "", nil)
	turn.Lasted(250 * time.Millisecond)
	turn.End(within, "", nil)

	if err := traces.Flush(ctx); err != nil {
		fmt.Println(err)
	}
	for _, t := range traces.Traces(observe.Query{Window: time.Hour}).Items {
		fmt.Println(t.Name, t.DurationMs, "ms,", t.Tokens.Input, "tokens in,", t.Cost)
	}
	for _, s := range traces.Trace("t_1").Spans {
		fmt.Println(s.Name, s.Status)
	}
	// Output:
	// invoke_agent 250 ms, 120 tokens in, free
	// invoke_agent OK
	// chat qwen3 OK
}

// A program serves its traces to pages and scripts on this machine.
func ExampleNewAPI() {
	traces, err := observe.New(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	api, err := observe.NewAPI(traces, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(api)
	defer func() {
		server.Close()
		_ = api.Close()
		_ = traces.Close(context.Background())
	}()
	_, pass := traces.Telemetry().StartPass(context.Background(), "hash")
	pass.End(context.Background(), "", nil)
	_ = traces.Flush(context.Background())

	answer, err := http.Get(server.URL + "/api/observe/traces?win=30m&status=ok")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer answer.Body.Close()
	var page observe.Page
	if err := json.NewDecoder(answer.Body).Decode(&page); err != nil {
		fmt.Println(err)
	}
	fmt.Println(answer.StatusCode, page.Totals.Traces, page.Items[0].Name)
	// Output: 200 1 local_pass hash
}

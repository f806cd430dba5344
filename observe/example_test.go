package observe_test

import (
	"context"
	"fmt"
	"time"

	"github.com/localpass/localpass/observe"
	"github.com/localpass/localpass/observe/genai"
)

// A program passes the telemetry of its collector to the packages that it uses, and reads
// the traces.
func Example() {
	ctx := context.Background()
	traces, err := observe.New(&observe.Options{Local: func(provider string) bool { return provider == "ollama" }})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = traces.Close() }()

	// The operations of a chat turn; a program passes traces.Telemetry() to the options
	// of chat.
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

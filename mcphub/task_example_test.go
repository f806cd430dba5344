package mcphub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// A tool that takes long says so. Its calls become tasks for clients that know
// them, and the session of this package is one that shows nothing of it: Call
// returns the result.
func ExampleTaskOptions() {
	ctx := context.Background()
	slow, err := toolspec.Func("report", "Writes the report.", func(ctx context.Context, in struct {
		Pages int `json:"pages"`
	}) (string, error) {
		for page := range in.Pages {
			// Not an error where nobody wants to know.
			_ = toolspec.CallFrom(ctx).Caller().Progress(ctx, toolspec.Progress{Done: float64(page + 1), Total: float64(in.Pages)})
			select {
			case <-time.After(20 * time.Millisecond):
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}
		return fmt.Sprintf("a report of %d pages", in.Pages), nil
	}, &toolspec.FuncOptions{Level: toolspec.L0, Task: toolspec.TaskOptional})
	if err != nil {
		panic(err)
	}
	pass, err := studio.Certify(ctx, slow, []toolspec.Case{{Args: json.RawMessage(`{"pages":1}`), Want: json.RawMessage(`"a report of 1 pages"`)}}, nil)
	if err != nil {
		panic(err)
	}
	hub, err := mcphub.New(&mcphub.Options{Tasks: mcphub.TaskOptions{After: 10 * time.Millisecond, Poll: 50 * time.Millisecond}})
	if err != nil {
		panic(err)
	}
	defer hub.Close()
	if err := hub.Add(pass); err != nil {
		panic(err)
	}

	session, err := hub.InProcess(nil).Dial(ctx, nil)
	if err != nil {
		panic(err)
	}
	defer session.Close()
	result, err := session.Call(ctx, "tools/call", json.RawMessage(`{"name":"report","arguments":{"pages":5}}`), nil)
	if err != nil {
		panic(err)
	}
	var report struct{ Content []struct{ Text string } }
	if err := json.Unmarshal(result, &report); err != nil {
		panic(err)
	}
	fmt.Println(report.Content[0].Text)
	// Output: a report of 5 pages
}

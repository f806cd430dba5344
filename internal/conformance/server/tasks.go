package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// preparing is how long the tools below work before they ask. It is longer than the time
// after which the hub turns a call into a task, so they ask as tasks.
const preparing = 300 * time.Millisecond

// taskTools returns the tools that the scenarios tasks-* expect. A tool that asks its
// caller earns its pass by failing, because there is no client then.
func taskTools() ([]*studio.Passed, error) {
	var tools []*studio.Passed
	var errs []error
	add := func(pass *studio.Passed, err error) {
		tools, errs = append(tools, pass), append(errs, err)
	}
	fails := &toolspec.WantError{Kind: toolspec.KindRuntimeError}

	type greetIn struct {
		Name string `json:"name"`
	}
	add(taskTool("greet", "Greets.", toolspec.TaskNever, func(_ context.Context, in greetIn) (string, error) {
		return "Hello, " + in.Name + "!", nil
	}, toolspec.Case{Args: json.RawMessage(`{"name":"World"}`), Want: json.RawMessage(`"Hello, World!"`)}))

	type slowIn struct {
		Seconds float64 `json:"seconds"`
		Label   string  `json:"label,omitempty"`
	}
	add(taskTool("slow_compute", "Takes some seconds.", toolspec.TaskOptional, func(ctx context.Context, in slowIn) (string, error) {
		if err := clock.Sleep(ctx, time.Duration(in.Seconds*float64(time.Second))); err != nil {
			return "", err
		}
		return fmt.Sprintf("computed for %g s", in.Seconds), nil
	}, toolspec.Case{Args: json.RawMessage(`{"seconds":0}`), Want: json.RawMessage(`"computed for 0 s"`)}))

	add(taskTool("failing_job", "Fails after a second.", toolspec.TaskRequired, func(ctx context.Context, _ struct{}) (string, error) {
		if err := clock.Sleep(ctx, time.Second); err != nil {
			return "", err
		}
		return "", errors.New("the job failed, as it always does")
	}, toolspec.Case{WantError: fails}))

	add(taskTool("protocol_error_job", "Breaks down.", toolspec.TaskOptional, func(ctx context.Context, _ struct{}) (string, error) {
		if err := clock.Sleep(ctx, preparing); err != nil {
			return "", err
		}
		panic("the job broke down, as it always does")
	}, toolspec.Case{WantError: &toolspec.WantError{Reason: toolspec.ReasonPanic}}))

	type deleteIn struct {
		Filename string `json:"filename"`
	}
	add(taskTool("confirm_delete", "Asks before it pretends to delete a file.", toolspec.TaskOptional, func(ctx context.Context, in deleteIn) (string, error) {
		if err := clock.Sleep(ctx, preparing); err != nil {
			return "", err
		}
		answer, err := ask(ctx, fmt.Sprintf("Delete %s?", in.Filename), `{"type":"object","properties":{"confirm":{"type":"boolean"}},"required":["confirm"]}`)
		if err != nil {
			return "", err
		}
		var form struct{ Confirm bool }
		if answer.Action != toolspec.ElicitAccept || json.Unmarshal(answer.Content, &form) != nil || !form.Confirm {
			return in.Filename + " was kept", nil
		}
		return in.Filename + " was deleted", nil
	}, toolspec.Case{Args: json.RawMessage(`{"filename":"a.txt"}`), WantError: fails}))

	add(taskTool("multi_input", "Asks two things at the same time.", toolspec.TaskOptional, func(ctx context.Context, _ struct{}) (string, error) {
		if err := clock.Sleep(ctx, preparing); err != nil {
			return "", err
		}
		errs := make([]error, 2)
		var asking sync.WaitGroup
		for i := range errs {
			asking.Go(func() {
				_, errs[i] = ask(ctx, fmt.Sprintf("Question %d: what is your name?", i+1),
					`{"type":"object","properties":{"name":{"type":"string"},"confirm":{"type":"boolean"}}}`)
			})
		}
		asking.Wait()
		return "both were answered", errors.Join(errs...)
	}, toolspec.Case{WantError: fails}))

	add(taskTool("test_tool_with_task", "Asks first, and takes long then.", toolspec.TaskRequired, func(ctx context.Context, _ struct{}) (string, error) {
		answer, err := ask(ctx, "What is your name?", `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)
		if err != nil {
			return "", err
		}
		var form struct{ Name string }
		if err := json.Unmarshal(answer.Content, &form); err != nil {
			return "", errors.New("nobody said a name")
		}
		if err := clock.Sleep(ctx, time.Second); err != nil {
			return "", err
		}
		return "Hello, " + form.Name + "!", nil
	}, toolspec.Case{WantError: fails}))

	return tools, errors.Join(errs...)
}

// taskTool creates a passed tool from a function.
func taskTool[In any](name, description string, support toolspec.TaskSupport, do func(context.Context, In) (string, error), test toolspec.Case) (*studio.Passed, error) {
	tool, err := toolspec.Func(name, description, do, &toolspec.FuncOptions{Level: toolspec.L0, Task: support})
	if err != nil {
		return nil, err
	}
	return studio.Certify(context.Background(), tool, []toolspec.Case{test}, nil)
}

func ask(ctx context.Context, message, schema string) (*toolspec.ElicitResult, error) {
	return toolspec.CallFrom(ctx).Caller().Elicit(ctx, &toolspec.ElicitRequest{Message: message, Schema: json.RawMessage(schema)})
}

package studio_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
	"github.com/localpass/localpass/toolspec/secret"
	"github.com/localpass/localpass/toolspec/studio"
)

func TestCallInFlightFinishes(t *testing.T) {
	b := newBench(t, nil)
	spec := parse(t, echoSpec)
	passed := admit(t, b.Studio, spec)
	entered, release := make(chan struct{}), make(chan struct{})
	b.runner.run = func(ctx context.Context, req *toolspec.RunRequest) (*toolspec.Outcome, error) {
		close(entered)
		<-release
		return echoes(ctx, req)
	}
	var wg sync.WaitGroup
	var result *toolspec.Result
	wg.Go(func() { result = callWith(t, passed, `{"text":"x"}`) })
	<-entered
	b.Withdraw(spec.ToolID)
	close(release)
	wg.Wait()
	assert.False(t, result.IsError, result.Text())
}

func TestSecrets(t *testing.T) {
	const value = "s3cret-value"
	spec := edit(t, func(s *toolspec.Spec) {
		s.StaticVariables = []toolspec.Variable{{Name: "key", Value: "old"}, {Name: "key", Value: "Bearer ${API_KEY}"}}
		s.Tests = nil
	})
	b := newBench(t, &studio.Options{Lookup: secret.Map(map[string]string{"API_KEY": value, "HOME": "/root"})})
	var seen map[string]string
	b.runner.run = func(_ context.Context, req *toolspec.RunRequest) (*toolspec.Outcome, error) {
		seen = map[string]string{}
		for _, g := range req.Globals {
			seen[g.Name] = string(g.Value)
		}
		if req.Console != nil {
			req.Console(activity.ConsoleLine{Text: "live " + value})
		}
		return &toolspec.Outcome{Result: json.RawMessage(`{"k":"` + value + `","` + value + `":1}`),
			Console: []activity.ConsoleLine{{Level: "log", Text: "have " + value, Line: 2, Column: 3}},
			Attempts: []activity.Attempt{{Component: "fetch", Op: "GET", Target: "https://" + value + ".example.com", Refused: true,
				By: activity.LayerRules, Reason: "host-not-in-allowlist", Detail: "no " + value}},
			Denials: []activity.Denial{{Component: "fetch", Reason: "x", Detail: value}}}, nil
	}
	passed := admit(t, b.Studio, spec)
	result := callWith(t, passed, `{"text":"${API_KEY} and ${HOME}"}`)
	assert.Equal(t, `"${API_KEY} and ${HOME}"`, seen["text"], "a caller's text is never a template")
	assert.Equal(t, `"Bearer s3cret-value"`, seen["key"], "the last duplicate wins, and the code sees the real value")
	assert.Equal(t, `{"k":"***","***":1}`, result.Text())
	assert.JSONEq(t, `{"k":"***","***":1}`, string(result.Structured))
	assert.Equal(t, "have ***", result.Outcome.Console[0].Text)
	assert.Equal(t, "***", result.Outcome.Denials[0].Detail)
	assert.Equal(t, activity.ConsoleLine{Level: "log", Text: "have ***", Line: 2, Column: 3}, result.Outcome.Console[0])
	assert.Equal(t, []activity.Attempt{{Component: "fetch", Op: "GET", Target: "https://***.example.com", Refused: true,
		By: activity.LayerRules, Reason: "host-not-in-allowlist", Detail: "no ***"}}, result.Outcome.Attempts)

	var live string
	_, err := b.Test(t.Context(), spec, &studio.TestOptions{Console: func(l activity.ConsoleLine) { live = l.Text }})
	require.NoError(t, err)
	assert.Equal(t, "live ***", live)

	b.runner.run = func(context.Context, *toolspec.RunRequest) (*toolspec.Outcome, error) {
		return &toolspec.Outcome{Err: &toolspec.CallError{Kind: toolspec.KindJSError, Message: "no: " + value, Err: errors.New(value)}}, nil
	}
	result = callWith(t, passed, `{"text":"x"}`)
	assert.Equal(t, "JS_ERROR: no: ***", result.Text())
	assert.NotContains(t, result.Err.Error(), value)
}

func TestRequirementsGoneAtCallTime(t *testing.T) {
	env := map[string]string{"API_KEY": "k-12345"}
	b := newBench(t, &studio.Options{Lookup: func(n string) (string, bool) { v, ok := env[n]; return v, ok }})
	passed := admit(t, b.Studio, edit(t, func(s *toolspec.Spec) { s.StaticVariables[0].Value = "${API_KEY}" }))
	delete(env, "API_KEY")
	result := callWith(t, passed, `{"text":"x"}`)
	require.True(t, result.IsError)
	assert.Equal(t, "missing-requirements", result.Err.Reason)
	assert.Contains(t, result.Text(), "API_KEY")
}

func TestResults(t *testing.T) {
	tests := []struct{ name, raw, text, structured string }{
		{"text is raw", `"plain \"text\""`, `plain "text"`, ""},
		{"object", `{"a":1}`, `{"a":1}`, `{"a":1}`},
		{"array", `[1,2]`, `[1,2]`, ""},
		{"number", `3`, `3`, ""},
		{"null", `null`, `undefined`, ""},
		{"nothing", ``, `undefined`, ""},
	}
	b := newBench(t, nil)
	passed := admit(t, b.Studio, parse(t, echoSpec))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b.runner.run = returns(tt.raw)
			result := callWith(t, passed, `{"text":"x"}`)
			assert.Equal(t, tt.text, result.Text())
			assert.Equal(t, tt.structured, string(result.Structured))
			assert.NotNil(t, result.Outcome)
		})
	}
}

func TestOutputSchema(t *testing.T) {
	b := newBench(t, nil)
	spec := edit(t, func(s *toolspec.Spec) {
		s.OutputSchema = json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`)
	})
	passed := admit(t, b.Studio, spec)
	assert.JSONEq(t, string(spec.OutputSchema), string(passed.Definition().OutputSchema))
	for raw, ok := range map[string]bool{`{"text":"x"}`: true, `{"text":1}`: false, `"x"`: false, `[]`: false} {
		b.runner.run = returns(raw)
		result := callWith(t, passed, `{"text":"x"}`)
		assert.Equal(t, ok, !result.IsError, raw)
		if !ok {
			assert.Equal(t, "output-schema", result.Err.Reason)
		}
	}
	b.runner.run = returns(`{"text":1}`)
	report, err := b.Test(t.Context(), spec, nil)
	require.NoError(t, err)
	assert.False(t, report.OK)
	assert.Contains(t, report.Err().Error(), "/properties/text", "the author is told where")
	assert.Contains(t, report.Err().Error(), "return what x-output-schema promises, or correct the schema")
}

func TestRunnerErrors(t *testing.T) {
	b := newBench(t, nil)
	passed := admit(t, b.Studio, parse(t, echoSpec))
	tests := []struct {
		err  error
		kind toolspec.Kind
	}{
		{context.DeadlineExceeded, toolspec.KindTimeout},
		{fmt.Errorf("wrapped: %w", context.Canceled), toolspec.KindCancelled},
		{errors.New("pipe broke at /home/someone"), toolspec.KindRuntimeError},
		{&toolspec.CallError{Kind: toolspec.KindResourceLimit, Reason: "queue", Message: "busy"}, toolspec.KindResourceLimit},
	}
	for _, tt := range tests {
		b.runner.run = func(context.Context, *toolspec.RunRequest) (*toolspec.Outcome, error) { return nil, tt.err }
		result := callWith(t, passed, `{"text":"x"}`)
		require.True(t, result.IsError)
		assert.Equal(t, tt.kind, result.Err.Kind)
		assert.NotContains(t, result.Text(), "someone", "an error's own text is for the operator")
		assert.Equal(t, "echo", result.Err.Definition.Name)
	}
	b.runner.run = func(context.Context, *toolspec.RunRequest) (*toolspec.Outcome, error) { panic("boom") }
	result := callWith(t, passed, `{"text":"x"}`)
	assert.Equal(t, "panic", result.Err.Reason)
	assert.NotContains(t, result.Text(), "boom")
}

func TestContextEnds(t *testing.T) {
	b := newBench(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	b.runner.run = func(ctx context.Context, _ *toolspec.RunRequest) (*toolspec.Outcome, error) {
		cancel()
		return nil, ctx.Err()
	}
	_, err := b.Test(ctx, parse(t, echoSpec), nil)
	assert.ErrorIs(t, err, context.Canceled)
	for range b.store.List(t.Context(), "receipts", localpass.ListOptions{}) {
		t.Fatal("a test that was broken off records nothing")
	}
}

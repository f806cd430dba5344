package studio_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
	"github.com/localpass/localpass/toolspec/studio"
)

func edit(t *testing.T, change func(s *toolspec.Spec)) *toolspec.Spec {
	t.Helper()
	spec := parse(t, echoSpec)
	change(spec)
	return spec
}

func TestStates(t *testing.T) {
	ctx := t.Context()
	withKey := edit(t, func(s *toolspec.Spec) { s.StaticVariables[0].Value = "${API_KEY}" })
	env := map[string]string{}
	b := newBench(t, &studio.Options{Lookup: func(name string) (string, bool) { v, ok := env[name]; return v, ok }})
	state := func(spec *toolspec.Spec) studio.State {
		t.Helper()
		status, err := b.Status(ctx, spec)
		require.NoError(t, err)
		return status.State
	}
	assert.Equal(t, studio.StateDraft, state(withKey))

	report, err := b.Test(ctx, withKey, nil)
	require.NoError(t, err)
	assert.False(t, report.OK)
	assert.Empty(t, report.Runs, "without its requirements it is not run")
	require.Len(t, report.Problems.Errors(), 1)
	problem := report.Problems.Errors()[0]
	assert.Equal(t, toolspec.CodeLocalPass, problem.Code)
	assert.Equal(t, "missing-requirements", problem.Reason)
	assert.Contains(t, problem.Message, "${API_KEY}")

	env["API_KEY"] = "k-12345"
	report, err = b.Test(ctx, withKey, nil)
	require.NoError(t, err)
	require.NoError(t, report.Err())
	assert.Equal(t, studio.StateActive, state(withKey))

	env["API_KEY"] = "  "
	assert.Equal(t, studio.StateMissingRequirements, state(withKey), "blank is missing")
	_, err = b.Publish(ctx, withKey)
	assert.ErrorContains(t, err, "${API_KEY}")
	env["API_KEY"] = "k-12345"

	b.runner.run = returns(`{"text":"wrong"}`)
	report, err = b.Test(ctx, withKey, nil)
	require.NoError(t, err)
	assert.False(t, report.OK)
	assert.Equal(t, studio.StateTestFailed, state(withKey))
	assert.Contains(t, report.Failure, `result.text is "wrong", not "word"`)

	b.runner.check = func(*toolspec.Spec) toolspec.Problems {
		return toolspec.Problems{{Code: toolspec.CodeResolver, Severity: toolspec.SeverityError, Reason: "unsupported-global", Pointer: "code", Line: 1, Column: 8}}
	}
	assert.Equal(t, studio.StateUnsupported, state(withKey))
	report, err = b.Test(ctx, withKey, nil)
	require.NoError(t, err)
	assert.Empty(t, report.Runs)
	assert.Error(t, report.Err())

	assert.Equal(t, studio.StateDraft, state(edit(t, func(s *toolspec.Spec) { s.Code = "" })), "a broken rule keeps it a draft")
}

func TestTestRunsEverything(t *testing.T) {
	b := newBench(t, nil)
	var lines []activity.ConsoleLine
	b.runner.run = func(ctx context.Context, req *toolspec.RunRequest) (*toolspec.Outcome, error) {
		if req.Console != nil {
			req.Console(activity.ConsoleLine{Level: "log", Text: "ran"})
		}
		return echoes(ctx, req)
	}
	spec := edit(t, func(s *toolspec.Spec) {
		s.Tests = append(s.Tests,
			toolspec.Case{Name: "no text", Args: json.RawMessage(`{}`), WantError: &toolspec.WantError{Kind: toolspec.KindInvalidInput, Reason: "missing-argument", Message: "text"}},
			toolspec.Case{Name: "wrong", Args: json.RawMessage(`{"text":"a"}`), Want: json.RawMessage(`{"text":"b"}`)})
	})
	report, err := b.Test(t.Context(), spec, &studio.TestOptions{Console: func(l activity.ConsoleLine) { lines = append(lines, l) }})
	require.NoError(t, err)
	require.Len(t, report.Runs, 4)
	assert.Equal(t, []bool{true, true, true, false}, []bool{report.Runs[0].OK, report.Runs[1].OK, report.Runs[2].OK, report.Runs[3].OK})
	assert.Equal(t, "test values", report.Runs[0].Name)
	assert.Equal(t, "x-tests 3 (wrong)", report.Runs[3].Name)
	require.Len(t, report.Problems.Errors(), 1)
	assert.Equal(t, "x-tests[2]", report.Problems.Errors()[0].Pointer)
	assert.Len(t, lines, 3, "the case that fails before the code runs prints nothing")
	assert.Positive(t, report.Duration)
}

func TestFailedRunPointsIntoTheCode(t *testing.T) {
	b := newBench(t, nil)
	b.runner.run = func(context.Context, *toolspec.RunRequest) (*toolspec.Outcome, error) {
		return &toolspec.Outcome{Err: &toolspec.CallError{Kind: toolspec.KindJSError, Reason: "TypeError", Component: "user-code", Message: "x is not a function", Line: 3, Column: 7}}, nil
	}
	report, err := b.Test(t.Context(), parse(t, echoSpec), nil)
	require.NoError(t, err)
	first := report.Problems.Errors()[0]
	assert.Equal(t, "code", first.Pointer)
	assert.Equal(t, 3, first.Line)
	assert.Contains(t, first.Error(), "line 3, column 7")
}

func TestStrict(t *testing.T) {
	nothing := edit(t, func(s *toolspec.Spec) { s.Tests = nil })
	b := newBench(t, nil)
	report, err := b.Test(t.Context(), nothing, nil)
	require.NoError(t, err)
	assert.True(t, report.OK)
	reasons := func(ps toolspec.Problems) (list []string) {
		for _, p := range ps {
			list = append(list, p.Reason)
		}
		return list
	}
	assert.Contains(t, reasons(report.Problems.Warnings()), "nothing-asserted")

	report, err = b.Test(t.Context(), nothing, &studio.TestOptions{Strict: true})
	require.NoError(t, err)
	assert.False(t, report.OK)
	assert.Contains(t, reasons(report.Problems.Errors()), "nothing-asserted")

	_, report, err = b.TestAndPublish(t.Context(), nothing, &studio.TestOptions{Strict: true})
	require.ErrorIs(t, err, studio.ErrNoPass)
	assert.False(t, report.OK, "a pass from before does not get around strictness")

	ignored := edit(t, func(s *toolspec.Spec) { s.Code = "return {text: 'word'};"; s.Tests = nil })
	report, err = newBench(t, &studio.Options{Strict: true}).Test(t.Context(), ignored, nil)
	require.NoError(t, err)
	assert.Subset(t, reasons(report.Problems.Errors()), []string{"arguments-ignored", "nothing-asserted"})
}

func TestPublishAndWithdraw(t *testing.T) {
	ctx := t.Context()
	b := newBench(t, nil)
	var told atomic.Int32
	stop := b.Watch(func() { told.Add(1) })
	spec := parse(t, echoSpec)
	_, err := b.Publish(ctx, spec)
	require.ErrorIs(t, err, studio.ErrNoPass)
	require.Zero(t, told.Load())

	passed := admit(t, b.Studio, spec)
	assert.EqualValues(t, 1, told.Load())
	assert.Equal(t, "echo", passed.Definition().Name)
	assert.Equal(t, toolspec.L0, passed.Definition().Level)
	assert.Equal(t, spec.ToolID, passed.ID())
	assert.Equal(t, spec.ContentHash(), passed.Receipt().ContentHash)
	assert.Equal(t, toolspec.NetworkBlocked, passed.Posture().Network.Mode)
	tools, err := b.Tools(ctx)
	require.NoError(t, err)
	require.Len(t, tools, 1)

	runs := b.runner.runs
	again := admit(t, b.Studio, spec)
	assert.Equal(t, runs, b.runner.runs, "a valid receipt needs no new test")
	assert.ErrorIs(t, passed.Err(), studio.ErrWithdrawn, "publishing again replaces")
	assert.NoError(t, again.Err())

	clash := edit(t, func(s *toolspec.Spec) { s.ToolID = "another"; s.Description = "Another one." })
	_, report, err := b.TestAndPublish(ctx, clash, nil)
	require.ErrorIs(t, err, toolspec.ErrNameTaken)
	assert.True(t, report.OK, "it passed; its name is what is in the way")

	snapshot := *again // a copy shares the withdrawal
	b.Withdraw(spec.ToolID)
	b.Withdraw(spec.ToolID)
	assert.Empty(t, b.Published())
	assert.ErrorIs(t, snapshot.Err(), studio.ErrWithdrawn)
	result := callWith(t, &snapshot, `{"text":"x"}`)
	require.True(t, result.IsError)
	assert.Equal(t, toolspec.KindSecurity, result.Err.Kind)
	assert.Equal(t, "withdrawn", result.Err.Reason)
	assert.True(t, strings.HasPrefix(result.Text(), "SECURITY: "))
	assert.EqualValues(t, 3, told.Load())

	stop()
	admit(t, b.Studio, spec)
	assert.EqualValues(t, 3, told.Load())
}

func TestSnapshotIsNotTheCallersSpec(t *testing.T) {
	b := newBench(t, nil)
	spec := parse(t, echoSpec)
	passed := admit(t, b.Studio, spec)
	spec.Code = "return 'changed';"
	spec.Params[0].Name = "other"
	assert.Equal(t, "return {text, times};", passed.Spec().Code)
	passed.Spec().Code = "return 'changed too';"
	assert.Equal(t, "return {text, times};", passed.Spec().Code)
	passed.Posture().FileWrite = true
	assert.False(t, passed.Posture().FileWrite)
}

func TestReservedNames(t *testing.T) {
	bundled := parse(t, echoSpec)
	b := newBench(t, &studio.Options{Pins: map[string]string{bundled.Name: bundled.CatalogHash()}})
	passed := admit(t, b.Studio, bundled)
	assert.True(t, passed.Bundled())
	_, report, err := b.TestAndPublish(t.Context(), edit(t, func(s *toolspec.Spec) { s.Code = "return {text};" }), nil)
	require.ErrorIs(t, err, studio.ErrNoPass)
	require.Error(t, report.Err())
	assert.Equal(t, "name-reserved", report.Problems.Errors()[0].Reason)
}

func TestDrafts(t *testing.T) {
	ctx := t.Context()
	now := time.UnixMilli(1_800_000_000_000)
	b := newBench(t, &studio.Options{Clock: func() time.Time { return now }})
	spec := parse(t, echoSpec)
	saved, err := b.SaveDraft(ctx, studio.Draft{Spec: spec})
	require.NoError(t, err)
	assert.True(t, saved.Spec.Draft)
	assert.EqualValues(t, 1_800_000_000_000, saved.Spec.Created)
	_, err = b.SaveDraft(ctx, studio.Draft{Spec: spec})
	assert.ErrorIs(t, err, localpass.ErrConflict)

	admit(t, b.Studio, saved.Spec)
	got, err := b.Draft(ctx, spec.ToolID)
	require.NoError(t, err)
	assert.False(t, got.Spec.Draft, "publishing makes it no draft any more")

	other := studioOn(t, newRunner(), b.store, nil)
	require.NoError(t, other.Restore(ctx))
	assert.Len(t, other.Published(), 1, "a program that starts publishes what was published")

	same, err := b.SaveDraft(ctx, got)
	require.NoError(t, err)
	assert.Len(t, b.Published(), 1, "saving the same content changes nothing")
	assert.False(t, same.Spec.Draft)

	same.Spec.Description = "Edited."
	edited, err := b.SaveDraft(ctx, same)
	require.NoError(t, err)
	assert.True(t, edited.Spec.Draft)
	assert.Empty(t, b.Published(), "an edit takes it off the air")

	broken := toolspec.New("broken")
	broken.Tags = []string{"a", "b", "c"}
	kept, err := b.SaveDraft(ctx, studio.Draft{Spec: broken})
	require.NoError(t, err, "work in progress is never lost")
	assert.NotEmpty(t, kept.Problems)
	_, err = b.store.Put(ctx, "specs", "zzz", localpass.Document{Data: []byte(`{"x":1}`)})
	require.NoError(t, err)
	count, bad := 0, 0
	for _, err := range b.Drafts(ctx) {
		if count++; err != nil {
			bad++
			assert.ErrorContains(t, err, "zzz")
		}
	}
	assert.Equal(t, []int{3, 1}, []int{count, bad})
	assert.ErrorContains(t, b.Restore(ctx), "zzz")
	_, err = b.Draft(ctx, "zzz")
	assert.Error(t, err)

	require.NoError(t, b.DeleteDraft(ctx, spec.ToolID))
	assert.ErrorIs(t, b.DeleteDraft(ctx, spec.ToolID), localpass.ErrNotFound)
	_, err = b.Draft(ctx, spec.ToolID)
	assert.ErrorIs(t, err, localpass.ErrNotFound)
}

func TestStudioConcurrently(t *testing.T) {
	b := newBench(t, nil)
	stop := b.Watch(func() { b.Published() })
	defer stop()
	var wg sync.WaitGroup
	for i := range 8 {
		spec := edit(t, func(s *toolspec.Spec) { s.ToolID = ""; s.Name = fmt.Sprintf("echo%d", i) })
		wg.Go(func() {
			for range 10 {
				passed, _, err := b.TestAndPublish(t.Context(), spec, nil)
				if err != nil || passed == nil {
					t.Error(err)
					return
				}
				callWith(t, passed, `{"text":"x"}`)
				b.Withdraw(passed.ID())
			}
		})
	}
	wg.Wait()
	assert.Empty(t, b.Published())
}

type recorder struct {
	mu   sync.Mutex
	seen []string
}

func (r *recorder) Observe(_ context.Context, e genai.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, strings.TrimSpace(e.Name+" "+e.ErrorType))
}

func TestTelemetry(t *testing.T) {
	r := &recorder{}
	b := newBench(t, &studio.Options{Telemetry: &genai.Telemetry{Sink: r}})
	spec := parse(t, echoSpec)
	passed := admit(t, b.Studio, spec)
	callWith(t, passed, `{"text":"x"}`)
	callWith(t, passed, `{}`)
	b.runner.run = returns(`1`)
	_, err := b.Test(t.Context(), spec, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"local_pass echo", "execute_tool echo", "execute_tool echo INVALID_INPUT", "local_pass echo LOCAL_PASS_FAILED"}, r.seen)
}

func ExampleStudio() {
	ctx := context.Background()
	runner := newRunner() // sandbox.New(nil) in a program
	st, err := studio.New(ctx, runner, memory.New(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	spec, err := toolspec.ParseSpec([]byte(echoSpec))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = st.Publish(ctx, spec)
	fmt.Println("without a pass:", errors.Is(err, studio.ErrNoPass))

	passed, report, err := st.TestAndPublish(ctx, spec, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.State, report.Risk.Level)
	result, err := passed.Call(ctx, &toolspec.Call{Arguments: []byte(`{"text":"hello"}`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Text())
	// Output:
	// without a pass: true
	// ACTIVE L0
	// {"greeting":"hi","text":"hello"}
}

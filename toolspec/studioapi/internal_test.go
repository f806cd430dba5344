package studioapi

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
	"github.com/localpass/localpass/toolspec/studio"
)

// A fault of the program in a run ends that run alone.
func TestPanicEndsItsRun(t *testing.T) {
	a := &API{known: newKnown(clock.Clock{}), opts: Options{Logger: slog.New(slog.DiscardHandler)}}
	s := newRuns(1, 1, clock.Clock{})
	defer s.close()
	r, err := s.start(Run{Name: "x"}, func(string, RunEvent) {}, a.guarded(func(context.Context, *run) (func(*Run), error) { panic("secret") }))
	require.NoError(t, err)
	<-r.over
	assert.Equal(t, RunError, r.snapshot().State)
	assert.NotContains(t, r.snapshot().Message, "secret")
}

// A client that learns of the end of a run finds room for the next one.
func TestRunThatEndedMakesRoom(t *testing.T) {
	s := newRuns(1, 0, clock.Clock{})
	defer s.close()
	work := func(context.Context, *run) (func(*Run), error) { return func(v *Run) { v.State = RunPassed }, nil }
	next := make(chan error, 1)
	_, err := s.start(Run{}, func(kind string, _ RunEvent) {
		if kind == eventFinished {
			_, err := s.start(Run{}, func(string, RunEvent) {}, work)
			next <- err
		}
	}, work)
	require.NoError(t, err)
	require.NoError(t, <-next)
}

// What is kept of runs is bounded in bytes too.
func TestRunsAreBoundedInBytes(t *testing.T) {
	s := newRuns(1, 1, clock.Clock{})
	defer s.close()
	trace := json.RawMessage(`"` + strings.Repeat("x", keepBytes/4) + `"`)
	var first, last *run
	for range 6 {
		r, err := s.start(Run{}, func(string, RunEvent) {}, func(context.Context, *run) (func(*Run), error) {
			return func(v *Run) { v.Trace = trace }, nil
		})
		require.NoError(t, err)
		if <-r.over; first == nil {
			first = r
		}
		last = r
	}
	s.wg.Wait()
	_, err := s.get(first.view.ID)
	assert.Error(t, err)
	_, err = s.get(last.view.ID)
	assert.NoError(t, err)
	assert.LessOrEqual(t, s.bytes, keepBytes)
}

func TestLargeTraceGoesWithoutItsProposal(t *testing.T) {
	spec := toolspec.New("x")
	spec.Description = strings.Repeat("x", maxTraceBytes)
	trace := &studio.Trace{OK: true, Proposed: spec, Changes: []string{"one"}}
	change, err := traced(trace, nil)
	require.NoError(t, err)
	var v Run
	change(&v)
	assert.Less(t, len(v.Trace), 1000)
	assert.Contains(t, string(v.Trace), "The proposal is left out")
	assert.Len(t, trace.Changes, 1)
	spec.OutputSchema = json.RawMessage(`{`)
	_, err = traced(trace, nil)
	assert.Error(t, err)
}

func TestResultsShareTheirRoom(t *testing.T) {
	room := room{results: 10, attempts: 3}
	run := studio.Run{Name: "c", Result: toolspec.TextResult("ääääää")}
	one := caseOf(run, &room)
	assert.Equal(t, "äääää", one.Result.Text)
	assert.True(t, one.Result.Truncated)
	assert.Equal(t, 12, one.Result.Bytes)
	two := caseOf(run, &room)
	assert.Equal(t, "", two.Result.Text)
	assert.Equal(t, CaseResult{Name: "c", Attempts: []Attempt{}, Network: []activity.Access{}, Files: []activity.Access{}, Denials: []activity.Denial{}}, caseOf(studio.Run{Name: "c"}, &room))
	assert.True(t, utf8.ValidString(clip.Bytes("€", 2)))
}

// What was tried is listed one by one, up to a number for all cases together.
func TestAttemptsShareTheirRoom(t *testing.T) {
	out := &toolspec.Outcome{AttemptsCut: 5, Attempts: []activity.Attempt{
		{Component: "fetch", Op: "GET", Target: "https://example.com", Start: 1500 * time.Microsecond, Duration: 20 * time.Millisecond, Status: 200, Bytes: 7, By: activity.LayerAddress},
		{Component: "fs", Op: "readText", Target: "../x", Refused: true, By: activity.LayerWorkspace, Reason: "path-escapes-base", Detail: "why"},
	}, Usage: activity.Usage{Memory: 9, MemoryBefore: 4}, Runtime: toolspec.Runtime{Tier: toolspec.TierIsolated}}
	r := toolspec.TextResult("x")
	r.Outcome = out
	left := &room{results: 10, attempts: 3}
	one, two := caseOf(studio.Run{Result: r}, left), caseOf(studio.Run{Result: r}, left)
	assert.Equal(t, []Attempt{
		{Component: "fetch", Op: "GET", Target: "https://example.com", StartMs: 1.5, DurationMs: 20, Status: 200, Bytes: 7, By: activity.LayerAddress},
		{Component: "fs", Op: "readText", Target: "../x", Refused: true, By: activity.LayerWorkspace, Reason: "path-escapes-base", Detail: "why"},
	}, one.Attempts)
	assert.Equal(t, 5, one.AttemptsCut)
	assert.Len(t, two.Attempts, 1)
	assert.Equal(t, 6, two.AttemptsCut)
	assert.EqualValues(t, 9, one.Usage.MemoryBytes)
	assert.EqualValues(t, 4, one.Usage.MemoryBeforeBytes)

	out.Runtime.Tier = toolspec.TierInProcess
	three := caseOf(studio.Run{Result: r}, left)
	Bounds{HostCalls: 1, MemoryBytes: 100}.of([]CaseResult{one, three, {}})
	assert.EqualValues(t, 100, one.Limits.MemoryBytes)
	assert.Zero(t, three.Limits.MemoryBytes, "in process nothing bounds the memory of a run")
	assert.Equal(t, 1, three.Limits.HostCalls)
}

func TestErrorsOfTheStudio(t *testing.T) {
	assert.Nil(t, problemOf(errors.New("anything")))
	assert.Equal(t, "no_valid_pass", problemOf(studio.ErrNoPass).Code)
	assert.Equal(t, "name_taken", problemOf(toolspec.ErrNameTaken).Code)
}

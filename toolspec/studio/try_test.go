package studio_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
	"github.com/localpass/localpass/toolspec/secret"
	"github.com/localpass/localpass/toolspec/studio"
)

func TestTryRecordsNothing(t *testing.T) {
	b := newBench(t, nil)
	spec := parse(t, echoSpec)
	var lines []string
	b.runner.run = func(ctx context.Context, req *toolspec.RunRequest) (*toolspec.Outcome, error) {
		req.Console(activity.ConsoleLine{Level: "log", Text: "running"})
		return echoes(ctx, req)
	}
	report, err := b.Try(t.Context(), spec, []toolspec.Case{{Name: "mine", Args: []byte(`{"text":"a"}`)}, {Name: "wrong", Args: []byte(`{"text":"a"}`), Want: []byte(`{"text":"b"}`)}},
		&studio.TryOptions{Console: func(l activity.ConsoleLine) { lines = append(lines, l.Text) }})
	require.NoError(t, err)
	require.Len(t, report.Runs, 2)
	assert.True(t, report.Runs[0].OK)
	assert.Equal(t, "mine", report.Runs[0].Name)
	assert.JSONEq(t, `{"text":"a","greeting":"hi"}`, report.Runs[0].Result.Text())
	assert.False(t, report.Runs[1].OK)
	assert.False(t, report.OK)
	assert.Equal(t, []string{"running", "running"}, lines)
	assert.Nil(t, report.Receipt)

	status, err := b.Status(t.Context(), spec)
	require.NoError(t, err)
	assert.Equal(t, studio.StateDraft, status.State, "neither a pass nor a failure")

	b.runner.run = echoes
	admit(t, b.Studio, spec)
	report, err = b.Try(t.Context(), spec, []toolspec.Case{{Args: []byte(`{"text":"a"}`), Want: []byte(`"no"`)}}, nil)
	require.NoError(t, err)
	assert.False(t, report.OK)
	status, err = b.Status(t.Context(), spec)
	require.NoError(t, err)
	assert.Equal(t, studio.StateActive, status.State, "a pass survives what was only tried")
}

func TestTryRefusesWhatCannotRun(t *testing.T) {
	b := newBench(t, nil)
	spec := parse(t, echoSpec)
	spec.Overrides.NetworkMode = "anything"
	report, err := b.Try(t.Context(), spec, []toolspec.Case{{}}, nil)
	require.NoError(t, err)
	assert.Empty(t, report.Runs)
	assert.Error(t, report.Err())
	assert.Zero(t, b.runner.runs)

	spec = parse(t, echoSpec)
	spec.OutputSchema = json.RawMessage(`{"type":"object","properties":{"x":{"$ref":"http://example.com/elsewhere"}}}`)
	report, err = b.Try(t.Context(), spec, []toolspec.Case{{}}, nil)
	require.NoError(t, err)
	assert.Error(t, report.Err())

	spec = parse(t, echoSpec)
	spec.StaticVariables[0].Value = "${NOWHERE}"
	report, err = b.Try(t.Context(), spec, []toolspec.Case{{}}, nil)
	require.NoError(t, err)
	assert.ErrorContains(t, report.Err(), "NOWHERE")

	ctx, cancel := context.WithCancel(t.Context())
	b.runner.run = func(context.Context, *toolspec.RunRequest) (*toolspec.Outcome, error) {
		cancel()
		return nil, ctx.Err()
	}
	_, err = b.Try(ctx, parse(t, echoSpec), []toolspec.Case{{Args: []byte(`{"text":"a"}`)}}, nil)
	assert.ErrorIs(t, err, context.Canceled)
	require.NoError(t, b.store.Close())
	_, err = b.Try(t.Context(), parse(t, echoSpec), nil, nil)
	assert.ErrorIs(t, err, localpass.ErrClosed)
}

// Without Live a run is answered from the fixtures, and no secret is needed.
func TestTryLive(t *testing.T) {
	b := newBench(t, &studio.Options{Lookup: secret.Map(map[string]string{"TOKEN": "the-real-one"})})
	spec := parse(t, echoSpec)
	spec.StaticVariables[0].Value = "${TOKEN}"
	spec.Fixtures.Fetch = json.RawMessage(`[]`)
	var bound, replayed string
	b.runner.run = func(ctx context.Context, req *toolspec.RunRequest) (*toolspec.Outcome, error) {
		bound, replayed = string(req.Globals[len(req.Globals)-1].Value), string(req.Replay)
		return echoes(ctx, req)
	}
	cases := []toolspec.Case{{Args: []byte(`{"text":"a"}`)}}
	_, err := b.Try(t.Context(), spec, cases, nil)
	require.NoError(t, err)
	assert.Equal(t, `"test-TOKEN" []`, bound+" "+replayed)
	report, err := b.Try(t.Context(), spec, cases, &studio.TryOptions{Live: true})
	require.NoError(t, err)
	assert.Equal(t, `"the-real-one" `, bound+" "+replayed)
	assert.NotContains(t, report.Runs[0].Result.Text(), "the-real-one")
}

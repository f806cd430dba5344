package llm_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
)

// deltas collects the deltas of one call of a model.
func deltas(m llm.Model, ctx context.Context) (out []llm.Delta, err error) {
	for d, err := range m.Generate(ctx, &llm.ModelRequest{}) {
		if err != nil {
			return out, err
		}
		out = append(out, d)
	}
	return out, nil
}

func retries(all []llm.Delta) (out []llm.Retry) {
	for _, d := range all {
		if d.Kind == llm.DeltaRetry {
			out = append(out, *d.Retry)
		}
	}
	return out
}

func TestRetrying(t *testing.T) {
	cut := func() chattest.Step { return chattest.Text("half") }
	broken := &llm.Error{Code: llm.CodeStreamBroken, Retryable: true}
	for _, c := range []struct {
		name   string
		policy llm.RetryPolicy
		step   chattest.Step // every attempt but the last
		calls  int           // calls until the model answers
		tries  int           // attempts made
		code   llm.Code      // "" if the last attempt succeeds
	}{
		{"no connection", llm.RetryPolicy{}, chattest.Fail(chattest.HTTPError(0, 0)), 3, 3, ""},
		{"no connection for good", llm.RetryPolicy{}, chattest.Fail(chattest.HTTPError(0, 0)), 9, 6, llm.CodeUnavailable},
		{"HTTP 429", llm.RetryPolicy{}, chattest.Fail(chattest.HTTPError(429, 0)), 4, 4, ""},
		{"HTTP 500", llm.RetryPolicy{}, chattest.Fail(chattest.HTTPError(500, 0)), 2, 2, ""},
		{"HTTP 502", llm.RetryPolicy{}, chattest.Fail(chattest.HTTPError(502, 0)), 2, 2, ""},
		{"HTTP 503", llm.RetryPolicy{}, chattest.Fail(chattest.HTTPError(503, 0)), 2, 2, ""},
		{"HTTP 504", llm.RetryPolicy{}, chattest.Fail(chattest.HTTPError(504, 0)), 2, 2, ""},
		{"HTTP 529", llm.RetryPolicy{}, chattest.Fail(chattest.HTTPError(529, 0)), 2, 2, ""},
		{"HTTP 408", llm.RetryPolicy{}, chattest.Fail(chattest.HTTPError(408, 0)), 2, 2, ""},
		{"HTTP 409 twice", llm.RetryPolicy{}, chattest.Fail(chattest.HTTPError(409, 0)), 3, 2, llm.CodeUnavailable},
		{"HTTP 425 twice", llm.RetryPolicy{}, chattest.Fail(chattest.HTTPError(425, 0)), 3, 2, llm.CodeUnavailable},
		{"HTTP 400", llm.RetryPolicy{}, chattest.Fail(chattest.HTTPError(400, 0)), 2, 1, llm.CodeProviderRejected},
		{"HTTP 401", llm.RetryPolicy{}, chattest.Fail(chattest.HTTPError(401, 0)), 2, 1, llm.CodeProviderAuth},
		{"HTTP 404", llm.RetryPolicy{}, chattest.Fail(chattest.HTTPError(404, 0)), 2, 1, llm.CodeModelNotFound},
		{"broken at once", llm.RetryPolicy{}, chattest.Fail(broken), 2, 2, ""},
		{"just ends", llm.RetryPolicy{}, chattest.Steps(), 2, 2, ""},
		{"broken in the middle", llm.RetryPolicy{}, chattest.Steps(cut(), chattest.Fail(broken)), 2, 1, llm.CodeStreamBroken},
		{"just ends in the middle", llm.RetryPolicy{}, cut(), 2, 1, llm.CodeStreamBroken},
		{"broken in the middle, wanted", llm.RetryPolicy{MidStream: true}, chattest.Steps(cut(), chattest.Fail(broken)), 2, 2, ""},
		{"a call cut off, wanted", llm.RetryPolicy{MidStream: true}, chattest.One(llm.Delta{Kind: llm.DeltaToolStart, CallID: "x", Name: "a"}), 2, 2, ""},
		{"late", llm.RetryPolicy{}, chattest.Fail(&llm.Error{Code: llm.CodeProviderTimeout, Retryable: true}), 2, 1, llm.CodeProviderTimeout},
		{"a limit of the account", llm.RetryPolicy{}, chattest.Fail(&llm.Error{Code: llm.CodeRateLimited, HTTPStatus: 429}), 2, 1, llm.CodeRateLimited},
		{"no error of ours", llm.RetryPolicy{}, chattest.Fail(errors.New("odd")), 2, 1, llm.CodeInternal},
		{"one try only", llm.RetryPolicy{MaxAttempts: 1}, chattest.Fail(chattest.HTTPError(503, 0)), 2, 1, llm.CodeUnavailable},
		{"wait too long", llm.RetryPolicy{}, chattest.Fail(chattest.HTTPError(429, 61*time.Second)), 2, 1, llm.CodeRateLimited},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inner := chattest.NewModel()
				for range c.calls - 1 {
					inner.Add(c.step)
				}
				inner.Add(chattest.Say("well"))
				m, err := llm.Retrying(inner, c.policy)
				require.NoError(t, err)
				assert.Equal(t, inner.Info(), m.Info())
				began := time.Now()
				all, err := deltas(m, t.Context())
				assert.Len(t, inner.Asked(), c.tries)
				made := retries(all)
				require.Len(t, made, c.tries-1)
				waited := time.Duration(0)
				for i, r := range made {
					assert.Equal(t, i+2, r.Attempt)
					assert.NotEmpty(t, r.Cause)
					assert.LessOrEqual(t, r.DelayMillis, int64(1000<<i))
					assert.GreaterOrEqual(t, r.DelayMillis, int64(500<<i))
					waited += time.Duration(r.DelayMillis) * time.Millisecond
				}
				assert.InDelta(t, waited, time.Since(began), float64(5*time.Millisecond))
				if c.code == "" {
					require.NoError(t, err)
					return
				}
				assert.Equal(t, c.code, llm.CodeOf(err))
				if c.tries > 1 {
					assert.ErrorContains(t, err, fmt.Sprintf("tried %d times", c.tries))
				}
			})
		})
	}
}

// Retries continue for tens of seconds, enough for a server to restart, and no longer.
func TestRetryingLastsTensOfSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var failures []chattest.Step
		for range 20 {
			failures = append(failures, chattest.Fail(chattest.HTTPError(503, 0)))
		}
		m, err := llm.Retrying(chattest.NewModel(failures...), llm.RetryPolicy{})
		require.NoError(t, err)
		began := time.Now()
		_, err = deltas(m, t.Context())
		assert.Equal(t, llm.CodeUnavailable, llm.CodeOf(err))
		assert.GreaterOrEqual(t, time.Since(began), 15*time.Second)
		assert.LessOrEqual(t, time.Since(began), 31*time.Second)
	})
}

func TestRetryingWaitsAsItIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, err := llm.Retrying(chattest.NewModel(chattest.Fail(chattest.HTTPError(429, 7*time.Second)), chattest.Fail(chattest.HTTPError(503, time.Minute)), chattest.Say("x")), llm.RetryPolicy{})
		require.NoError(t, err)
		began := time.Now()
		all, err := deltas(m, t.Context())
		require.NoError(t, err)
		assert.Equal(t, 67*time.Second, time.Since(began))
		assert.EqualValues(t, 7000, retries(all)[0].DelayMillis)
	})
}

// placed is a model on a server.
type placed struct{ llm.Model }

func (p placed) Info() llm.ModelInfo {
	info := p.Model.Info()
	info.Place = "http://localhost:11434"
	return info
}

// Each retry names the server that is waited for.
func TestRetryingNamesTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, err := llm.Retrying(placed{chattest.NewModel(chattest.Fail(chattest.HTTPError(502, 0)), chattest.Say("yes"))}, llm.RetryPolicy{})
		require.NoError(t, err)
		all, err := deltas(m, t.Context())
		require.NoError(t, err)
		require.Len(t, retries(all), 1)
		assert.Equal(t, "http://localhost:11434", retries(all)[0].Place)
	})
}

func TestRetryingStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := func() llm.Model {
			m, err := llm.Retrying(chattest.NewModel(chattest.Fail(chattest.HTTPError(429, 20*time.Second)), chattest.Say("x")), llm.RetryPolicy{})
			require.NoError(t, err)
			return m
		}
		// The context ends the wait.
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(3*time.Second, cancel)
		began := time.Now()
		_, err := deltas(script(), ctx)
		assert.ErrorIs(t, err, context.Canceled)
		assert.Equal(t, 3*time.Second, time.Since(began))

		// If the wait would exceed the deadline, the call fails at once.
		ctx, cancel = context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		began = time.Now()
		_, err = deltas(script(), ctx)
		assert.Equal(t, llm.CodeRateLimited, llm.CodeOf(err))
		assert.Zero(t, time.Since(began))

		// The reader stops at the retry.
		for range script().Generate(t.Context(), &llm.ModelRequest{}) {
			break
		}
	})
}

// An adjustment that every attempt makes is reported once.
func TestRetryingReportsAdjustmentsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		adjust := chattest.One(llm.Delta{Kind: llm.DeltaAdjusted, Adjusted: &llm.Adjustment{Name: "topK", Reason: "unknown"}})
		m, err := llm.Retrying(chattest.NewModel(chattest.Steps(adjust, chattest.Fail(chattest.HTTPError(503, 0))), chattest.Steps(adjust, chattest.Say("x"))), llm.RetryPolicy{})
		require.NoError(t, err)
		all, err := deltas(m, t.Context())
		require.NoError(t, err)
		told := 0
		for _, d := range all {
			if d.Kind == llm.DeltaAdjusted {
				told++
			}
		}
		assert.Equal(t, 1, told)
		assert.False(t, retries(all)[0].Reset, "nothing was said")
	})
}

func TestRetryingRefuses(t *testing.T) {
	m := chattest.NewModel()
	for _, p := range []llm.RetryPolicy{{MaxAttempts: -1}, {BaseDelay: -1}, {MaxDelay: -1}, {MaxWait: -1}} {
		_, err := llm.Retrying(m, p)
		assert.ErrorIs(t, err, llm.ErrInvalid)
	}
	_, err := llm.Retrying(nil, llm.RetryPolicy{})
	assert.ErrorIs(t, err, llm.ErrInvalid)
	once, err := llm.Retrying(m, llm.RetryPolicy{})
	require.NoError(t, err)
	twice, err := llm.Retrying(once, llm.RetryPolicy{MaxAttempts: 9})
	require.NoError(t, err)
	assert.Same(t, once, twice)
}

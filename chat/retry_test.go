package chat_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
)

// deltas runs one call of a model.
func deltas(m chat.Model, ctx context.Context) (out []chat.Delta, err error) {
	for d, err := range m.Generate(ctx, &chat.ModelRequest{}) {
		if err != nil {
			return out, err
		}
		out = append(out, d)
	}
	return out, nil
}

func retries(all []chat.Delta) (out []chat.Retry) {
	for _, d := range all {
		if d.Kind == chat.DeltaRetry {
			out = append(out, *d.Retry)
		}
	}
	return out
}

func TestRetrying(t *testing.T) {
	cut := func() chattest.Step { return chattest.Text("half") }
	broken := &chat.Error{Code: chat.CodeStreamBroken, Retryable: true}
	for _, c := range []struct {
		name   string
		policy chat.RetryPolicy
		step   chattest.Step // of every try but the last
		calls  int           // until it would answer
		tries  int           // that are made
		code   chat.Code     // "": it answers in the end
	}{
		{"no connection", chat.RetryPolicy{}, chattest.Fail(chattest.HTTPError(0, 0)), 3, 3, ""},
		{"no connection for good", chat.RetryPolicy{}, chattest.Fail(chattest.HTTPError(0, 0)), 9, 6, chat.CodeUnavailable},
		{"HTTP 429", chat.RetryPolicy{}, chattest.Fail(chattest.HTTPError(429, 0)), 4, 4, ""},
		{"HTTP 500", chat.RetryPolicy{}, chattest.Fail(chattest.HTTPError(500, 0)), 2, 2, ""},
		{"HTTP 502", chat.RetryPolicy{}, chattest.Fail(chattest.HTTPError(502, 0)), 2, 2, ""},
		{"HTTP 503", chat.RetryPolicy{}, chattest.Fail(chattest.HTTPError(503, 0)), 2, 2, ""},
		{"HTTP 504", chat.RetryPolicy{}, chattest.Fail(chattest.HTTPError(504, 0)), 2, 2, ""},
		{"HTTP 529", chat.RetryPolicy{}, chattest.Fail(chattest.HTTPError(529, 0)), 2, 2, ""},
		{"HTTP 408", chat.RetryPolicy{}, chattest.Fail(chattest.HTTPError(408, 0)), 2, 2, ""},
		{"HTTP 409 twice", chat.RetryPolicy{}, chattest.Fail(chattest.HTTPError(409, 0)), 3, 2, chat.CodeUnavailable},
		{"HTTP 425 twice", chat.RetryPolicy{}, chattest.Fail(chattest.HTTPError(425, 0)), 3, 2, chat.CodeUnavailable},
		{"HTTP 400", chat.RetryPolicy{}, chattest.Fail(chattest.HTTPError(400, 0)), 2, 1, chat.CodeProviderRejected},
		{"HTTP 401", chat.RetryPolicy{}, chattest.Fail(chattest.HTTPError(401, 0)), 2, 1, chat.CodeProviderAuth},
		{"HTTP 404", chat.RetryPolicy{}, chattest.Fail(chattest.HTTPError(404, 0)), 2, 1, chat.CodeModelNotFound},
		{"broken at once", chat.RetryPolicy{}, chattest.Fail(broken), 2, 2, ""},
		{"just ends", chat.RetryPolicy{}, chattest.Steps(), 2, 2, ""},
		{"broken in the middle", chat.RetryPolicy{}, chattest.Steps(cut(), chattest.Fail(broken)), 2, 1, chat.CodeStreamBroken},
		{"just ends in the middle", chat.RetryPolicy{}, cut(), 2, 1, chat.CodeStreamBroken},
		{"broken in the middle, wanted", chat.RetryPolicy{MidStream: true}, chattest.Steps(cut(), chattest.Fail(broken)), 2, 2, ""},
		{"a call cut off, wanted", chat.RetryPolicy{MidStream: true}, chattest.One(chat.Delta{Kind: chat.DeltaToolStart, CallID: "x", Name: "a"}), 2, 2, ""},
		{"late", chat.RetryPolicy{}, chattest.Fail(&chat.Error{Code: chat.CodeProviderTimeout, Retryable: true}), 2, 1, chat.CodeProviderTimeout},
		{"a limit of the account", chat.RetryPolicy{}, chattest.Fail(&chat.Error{Code: chat.CodeRateLimited, HTTPStatus: 429}), 2, 1, chat.CodeRateLimited},
		{"no error of ours", chat.RetryPolicy{}, chattest.Fail(errors.New("odd")), 2, 1, chat.CodeInternal},
		{"one try only", chat.RetryPolicy{MaxAttempts: 1}, chattest.Fail(chattest.HTTPError(503, 0)), 2, 1, chat.CodeUnavailable},
		{"wait too long", chat.RetryPolicy{}, chattest.Fail(chattest.HTTPError(429, 61*time.Second)), 2, 1, chat.CodeRateLimited},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inner := chattest.NewModel()
				for range c.calls - 1 {
					inner.Add(c.step)
				}
				inner.Add(chattest.Say("well"))
				m, err := chat.Retrying(inner, c.policy)
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
				assert.Equal(t, c.code, chat.CodeOf(err))
				if c.tries > 1 {
					assert.ErrorContains(t, err, fmt.Sprintf("tried %d times", c.tries))
				}
			})
		})
	}
}

// A server that starts again has tens of seconds for it, and not more of the turn
// than that.
func TestRetryingLastsTensOfSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var failures []chattest.Step
		for range 20 {
			failures = append(failures, chattest.Fail(chattest.HTTPError(503, 0)))
		}
		m, err := chat.Retrying(chattest.NewModel(failures...), chat.RetryPolicy{})
		require.NoError(t, err)
		began := time.Now()
		_, err = deltas(m, t.Context())
		assert.Equal(t, chat.CodeUnavailable, chat.CodeOf(err))
		assert.GreaterOrEqual(t, time.Since(began), 15*time.Second)
		assert.LessOrEqual(t, time.Since(began), 31*time.Second)
	})
}

func TestRetryingWaitsAsItIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, err := chat.Retrying(chattest.NewModel(chattest.Fail(chattest.HTTPError(429, 7*time.Second)), chattest.Fail(chattest.HTTPError(503, time.Minute)), chattest.Say("x")), chat.RetryPolicy{})
		require.NoError(t, err)
		began := time.Now()
		all, err := deltas(m, t.Context())
		require.NoError(t, err)
		assert.Equal(t, 67*time.Second, time.Since(began))
		assert.EqualValues(t, 7000, retries(all)[0].DelayMillis)
	})
}

func TestRetryingStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := func() chat.Model {
			m, err := chat.Retrying(chattest.NewModel(chattest.Fail(chattest.HTTPError(429, 20*time.Second)), chattest.Say("x")), chat.RetryPolicy{})
			require.NoError(t, err)
			return m
		}
		// The wait ends with the context.
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(3*time.Second, cancel)
		began := time.Now()
		_, err := deltas(script(), ctx)
		assert.ErrorIs(t, err, context.Canceled)
		assert.Equal(t, 3*time.Second, time.Since(began))

		// A wait that the deadline would end is none.
		ctx, cancel = context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		began = time.Now()
		_, err = deltas(script(), ctx)
		assert.Equal(t, chat.CodeRateLimited, chat.CodeOf(err))
		assert.Zero(t, time.Since(began))

		// Breaking off at the retry.
		for range script().Generate(t.Context(), &chat.ModelRequest{}) {
			break
		}
	})
}

// What every try adjusts in the same way is told once.
func TestRetryingTellsAdjustmentsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		adjust := chattest.One(chat.Delta{Kind: chat.DeltaAdjusted, Adjusted: &chat.Adjustment{Name: "topK", Reason: "unknown"}})
		m, err := chat.Retrying(chattest.NewModel(chattest.Steps(adjust, chattest.Fail(chattest.HTTPError(503, 0))), chattest.Steps(adjust, chattest.Say("x"))), chat.RetryPolicy{})
		require.NoError(t, err)
		all, err := deltas(m, t.Context())
		require.NoError(t, err)
		told := 0
		for _, d := range all {
			if d.Kind == chat.DeltaAdjusted {
				told++
			}
		}
		assert.Equal(t, 1, told)
		assert.False(t, retries(all)[0].Reset, "nothing was said")
	})
}

func TestRetryingRefuses(t *testing.T) {
	m := chattest.NewModel()
	for _, p := range []chat.RetryPolicy{{MaxAttempts: -1}, {BaseDelay: -1}, {MaxDelay: -1}, {MaxWait: -1}} {
		_, err := chat.Retrying(m, p)
		assert.ErrorIs(t, err, chat.ErrInvalid)
	}
	_, err := chat.Retrying(nil, chat.RetryPolicy{})
	assert.ErrorIs(t, err, chat.ErrInvalid)
	once, err := chat.Retrying(m, chat.RetryPolicy{})
	require.NoError(t, err)
	twice, err := chat.Retrying(once, chat.RetryPolicy{MaxAttempts: 9})
	require.NoError(t, err)
	assert.Same(t, once, twice)
}

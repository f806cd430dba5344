package llm_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
)

func named(name string, steps ...chattest.Step) *chattest.Model {
	m := chattest.NewModel(steps...)
	m.Described.Name = name
	return m
}

func spoken(all []llm.Delta) (text string, adjusted []llm.Adjustment) {
	for _, d := range all {
		switch d.Kind {
		case llm.DeltaText:
			text += d.Text
		case llm.DeltaAdjusted:
			adjusted = append(adjusted, *d.Adjusted)
		}
	}
	return text, adjusted
}

func TestFailover(t *testing.T) {
	for _, c := range []struct {
		name  string
		first chattest.Step
		want  string   // the answer; "" if there is none
		code  llm.Code // code of the failure
	}{
		{"well", chattest.Say("first"), "first", ""},
		{"no connection", chattest.Fail(chattest.HTTPError(0, 0)), "second", ""},
		{"HTTP 503", chattest.Fail(chattest.HTTPError(503, 0)), "second", ""},
		{"HTTP 429", chattest.Fail(chattest.HTTPError(429, time.Hour)), "second", ""},
		{"wrong key", chattest.Fail(chattest.HTTPError(401, 0)), "second", ""},
		{"unknown model", chattest.Fail(chattest.HTTPError(404, 0)), "second", ""},
		{"just ends", chattest.Steps(), "second", ""},
		{"bad request", chattest.Fail(chattest.HTTPError(400, 0)), "", llm.CodeProviderRejected},
		{"in the middle", chattest.Steps(chattest.Text("half"), chattest.Fail(chattest.HTTPError(503, 0))), "", llm.CodeUnavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := llm.Failover(named("one", c.first), named("two", chattest.Say("second")))
			require.NoError(t, err)
			all, err := deltas(m, t.Context())
			text, adjusted := spoken(all)
			if c.want == "" {
				assert.Equal(t, c.code, llm.CodeOf(err))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, text)
			if c.want == "first" {
				assert.Empty(t, adjusted)
				return
			}
			require.Len(t, adjusted, 1)
			assert.Equal(t, "model", adjusted[0].Name)
			assert.Equal(t, "one", adjusted[0].Asked)
			assert.Equal(t, "two", adjusted[0].Used)
			assert.NotEmpty(t, adjusted[0].Reason)
		})
	}
}

// A model that failed is skipped for a while and then asked again.
func TestFailoverSkipsFailedModels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := true
		one := named("one")
		one.Rule = func(*llm.ModelRequest) chattest.Step {
			if down {
				return chattest.Fail(chattest.HTTPError(503, 0))
			}
			return chattest.Say("one")
		}
		two := named("two")
		two.Rule = func(req *llm.ModelRequest) chattest.Step {
			assert.Empty(t, req.Options.Model, "the name of another model")
			return chattest.Say("two")
		}
		m, err := llm.Failover(one, two)
		require.NoError(t, err)
		speak := func() string {
			text := ""
			for d, err := range m.Generate(t.Context(), &llm.ModelRequest{Options: llm.Options{Model: "one-large"}}) {
				require.NoError(t, err)
				text += d.Text
			}
			return text
		}
		assert.Equal(t, "two", speak())
		assert.Equal(t, "two", speak())
		assert.Len(t, one.Asked(), 1, "the model is skipped")
		time.Sleep(31 * time.Second)
		assert.Equal(t, "two", speak())
		assert.Len(t, one.Asked(), 2, "the model is asked again")
		down = false
		time.Sleep(31 * time.Second)
		assert.Equal(t, "one", speak())
		assert.Equal(t, "one", speak())
	})
}

// If all models would be skipped, all are asked.
func TestFailoverWithAllModelsFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two := named("one", chattest.Fail(chattest.HTTPError(503, 0)), chattest.Fail(chattest.HTTPError(503, 0))), named("two", chattest.Fail(chattest.HTTPError(401, 0)), chattest.Say("two"), chattest.Hang())
		m, err := llm.Failover(one, two)
		require.NoError(t, err)
		_, err = deltas(m, t.Context())
		assert.Equal(t, llm.CodeProviderAuth, llm.CodeOf(err), "the last failure")
		all, err := deltas(m, t.Context())
		require.NoError(t, err)
		text, _ := spoken(all)
		assert.Equal(t, "two", text)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = deltas(m, ended)
		assert.ErrorIs(t, err, context.Canceled)
	})
}

func TestFailoverDescribesWhatAllCan(t *testing.T) {
	one, two := named("one"), named("two")
	one.Described.ContextTokens, two.Described.ContextTokens = 0, 8192
	two.Described.Capabilities.Vision = false
	two.Described.Capabilities.ReturnReasoning = llm.ReasoningSameTurn
	m, err := llm.Failover(one, two)
	require.NoError(t, err)
	info := m.Info()
	assert.Equal(t, "one", info.Name)
	assert.Equal(t, 8192, info.ContextTokens)
	assert.False(t, info.Capabilities.Vision)
	assert.True(t, info.Capabilities.Tools)
	assert.Equal(t, llm.ReasoningSameTurn, info.Capabilities.ReturnReasoning)
	for range m.Generate(t.Context(), &llm.ModelRequest{}) {
		break // the script has ended
	}

	two.Described.Provider = "other"
	_, err = llm.Failover(one, two)
	assert.ErrorIs(t, err, llm.ErrInvalid)
	_, err = llm.Failover()
	assert.ErrorIs(t, err, llm.ErrInvalid)
	_, err = llm.Failover(one, nil)
	assert.ErrorIs(t, err, llm.ErrInvalid)
}

package advisor_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/advisor"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/turntest"
)

func TestStructured(t *testing.T) {
	form := llm.OutputFormat{Name: "sum", Schema: json.RawMessage(`{"type":"object","required":["sum"],"properties":{"sum":{"type":"integer"}}}`)}
	for _, inner := range []bool{false, true} {
		a, err := advisor.Structured(form, &advisor.StructuredOptions{Tries: 3, Check: func(_ context.Context, answer json.RawMessage) error {
			var v struct{ Sum int }
			if err := json.Unmarshal(answer, &v); err != nil || v.Sum != 4 {
				return errors.New("the sum is wrong: add again")
			}
			return nil
		}})
		require.NoError(t, err)
		// The advisor works around the tool loop and inside it.
		with := func(m llm.Model, opts chat.ClientOptions) *chat.Client {
			if !inner {
				return client(t, m, opts, a)
			}
			opts.RoundMiddleware = chain(t, a)
			return client(t, m, opts)
		}
		m := chattest.NewModel(chattest.Call("look", "{}"), chattest.Say("four"), chattest.Say(`{"sum":5}`), chattest.Say("```json\n{\"sum\":4}\n```"))
		c := with(m, chat.ClientOptions{Tools: turntest.Tools{turntest.TextTool("look", "seen")}})
		events, resp, err := ask(t, c, "c_1", "2 and 2?", nil)
		require.NoError(t, err)
		assert.JSONEq(t, `{"sum":4}`, chat.CleanJSON(resp.Text()))
		invalid := turntest.Find[*chat.StructuredInvalid](events)
		require.Len(t, invalid, 2)
		assert.Contains(t, strings.Join(invalid[1].Errors, " "), "add again")
		asked := m.Asked()
		assert.Contains(t, asked[3].Messages[len(asked[3].Messages)-1].Text(), "add again")

		m = chattest.NewModel(chattest.Say("1"), chattest.Say("2"), chattest.Say("3"), chattest.Say("4"))
		_, _, err = ask(t, with(m, chat.ClientOptions{}), "c_1", "q", nil)
		assert.Equal(t, llm.CodeStructured, llm.CodeOf(err))
		assert.Len(t, m.Asked(), 3)
	}
}

func TestStructuredOptions(t *testing.T) {
	_, err := advisor.Structured(llm.OutputFormat{Schema: json.RawMessage(`{"type":5}`)}, nil)
	require.ErrorIs(t, err, llm.ErrInvalid)
	_, err = advisor.Structured(llm.OutputFormat{}, &advisor.StructuredOptions{Tries: -1})
	require.ErrorIs(t, err, llm.ErrInvalid)

	a, err := advisor.Structured(llm.OutputFormat{}, &advisor.StructuredOptions{Order: new(1), Tries: 2, Check: func(context.Context, json.RawMessage) error { panic("oh") }})
	require.NoError(t, err)
	assert.Equal(t, 1, a.Order())
	m := chattest.NewModel(chattest.Say("[]"), chattest.Say("{}"))
	_, _, err = ask(t, client(t, m, chat.ClientOptions{}, a), "c_1", "q", nil)
	assert.Equal(t, llm.CodeStructured, llm.CodeOf(err))
	assert.ErrorContains(t, err, "the check of advisor structured panicked")

	// The format in TurnOptions takes precedence.
	m = chattest.NewModel(chattest.Say(`[1]`))
	_, resp, err := ask(t, client(t, m, chat.ClientOptions{}, a), "c_1", "q", &chat.TurnOptions{Format: &llm.OutputFormat{Schema: json.RawMessage(`{"type":"array"}`)}})
	require.NoError(t, err)
	assert.Equal(t, "[1]", resp.Text())
}

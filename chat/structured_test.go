package chat_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/turntest"
)

type city struct {
	Name   string `json:"name"`
	People int    `json:"people"`
}

func TestInto(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps []chattest.Step
		asked int
		want  city
		fails bool
	}{
		{"at once", []chattest.Step{chattest.Say(`{"name":"Seoul","people":9}`)}, 1, city{"Seoul", 9}, false},
		{"in a fence", []chattest.Step{chattest.Say("<think>hm {</think>\n```json\n{\"name\":\"Seoul\",\"people\":9}\n```")}, 1, city{"Seoul", 9}, false},
		{"no JSON, then some", []chattest.Step{chattest.Say("Seoul!"), chattest.Say(`{"name":"Seoul","people":9}`)}, 2, city{"Seoul", 9}, false},
		{"wrong types, then right", []chattest.Step{chattest.Say(`{"name":"Seoul","people":"many"}`), chattest.Say(`{"name":"Seoul"}`), chattest.Say(`{"name":"Seoul","people":9}`)}, 3, city{"Seoul", 9}, false},
		{"never", []chattest.Step{chattest.Say("1"), chattest.Say("2"), chattest.Say("3"), chattest.Say("4")}, 4, city{}, true},
		{"a tool first", []chattest.Step{chattest.Call("look", "{}"), chattest.Say(`{"name":"Seoul","people":9}`)}, 2, city{"Seoul", 9}, false},
	} {
		for _, native := range []bool{true, false} {
			name := c.name + ", in words"
			if native {
				name = c.name + ", by the provider"
			}
			t.Run(name, func(t *testing.T) {
				m := chattest.NewModel(c.steps...)
				m.Described.Capabilities.StructuredOutput = native
				store := turntest.NewStore(t)
				client := turntest.NewClient(t, m, chat.ClientOptions{Store: store, Tools: turntest.Tools{turntest.TextTool("look", "9 million")}})
				got, resp, err := chat.Into[city](t.Context(), client, "c_1", "How large is Seoul?", nil)
				require.Len(t, m.Asked(), c.asked)
				first := m.Asked()[0]
				if native {
					require.NotNil(t, first.Format)
					assert.Contains(t, string(first.Format.Schema), `"people"`)
				} else {
					assert.Nil(t, first.Format)
					assert.Contains(t, first.Messages[len(first.Messages)-1].Text(), `"people"`)
				}
				if c.fails {
					assert.Equal(t, llm.CodeStructured, llm.CodeOf(err))
					return
				}
				require.NoError(t, err)
				assert.Equal(t, c.want, got)
				history := turntest.History(t, store, "c_1")
				assert.Equal(t, "How large is Seoul?", history[0].Text(), "the question is stored unchanged")
				assert.Equal(t, resp.Text(), history[len(history)-1].Text(), "only the valid answer is stored")
			})
		}
	}
}

func TestStructuredEvents(t *testing.T) {
	m := chattest.NewModel(chattest.Say("no"), chattest.Say(`{"a":1}`))
	c := turntest.NewClient(t, m, chat.ClientOptions{})
	events, err := turntest.Run(t, c.Stream(t.Context(), "", llm.UserText("q"), &chat.TurnOptions{Format: &llm.OutputFormat{Name: "x", Schema: json.RawMessage(`{"type":"object","required":["a"]}`)}}))
	require.NoError(t, err)
	invalid := turntest.Find[*chat.StructuredInvalid](events)
	require.Len(t, invalid, 1)
	assert.Contains(t, invalid[0].Errors[0], "it is no JSON")
	assert.True(t, turntest.Find[*chat.ModelRetry](events)[0].Reset)
	_, err = turntest.Run(t, c.Stream(t.Context(), "", llm.UserText("q"), &chat.TurnOptions{Format: &llm.OutputFormat{Schema: json.RawMessage(`{"type":5}`)}}))
	assert.ErrorIs(t, err, llm.ErrInvalid)
	_, _, err = chat.Into[func()](t.Context(), c, "", "q", nil)
	assert.ErrorIs(t, err, llm.ErrInvalid)
}

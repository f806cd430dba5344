package ollama_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/internal/tinymodel"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/openai"
	"github.com/localpass/localpass/internal/leak"
)

// sides returns models over the two APIs of the server: its own and the one of OpenAI.
func sides(t *testing.T) map[string]func(name string) llm.Model {
	base := live(t)
	return map[string]func(string) llm.Model{
		"native": func(name string) llm.Model { return liveModel(t, name) },
		"v1": func(name string) llm.Model {
			// The usual port identifies the server; this server may have any port.
			q := openai.QuirksFor("http://localhost:11434/v1", name)
			p, err := openai.New(&openai.Options{BaseURL: base + "/v1", ID: "ollama", Quirks: &q})
			require.NoError(t, err)
			m, err := p.Model(t.Context(), name)
			require.NoError(t, err)
			return m
		},
	}
}

func TestLiveToolTurns(t *testing.T) {
	for side, model := range sides(t) {
		for _, name := range []string{tinymodel.ModelTools, tinymodel.ModelThinking} {
			run := func(t *testing.T, ask string, policy chat.TurnPolicy) (*chat.Response, []chat.Event, [3]*liveTool) {
				t.Helper()
				tools, getTime, add, next := liveTools()
				client, err := chat.NewClient(model(name), &chat.ClientOptions{Uncertified: liveNames, Tools: tools, Policy: policy})
				require.NoError(t, err)
				events, r, err := turn(t, client, ask, nil)
				require.NoError(t, err)
				assert.NoError(t, llm.CheckHistory(append([]llm.Message{llm.UserText(ask)}, r.Messages...)))
				return r, events, [3]*liveTool{getTime, add, next}
			}
			at := side + " " + name + ": "
			t.Run(at+"one call", func(t *testing.T) {
				r, _, tools := run(t, tinymodel.AskTime, chat.TurnPolicy{})
				assert.Equal(t, tinymodel.SayAfter, r.Text())
				assert.Equal(t, 2, r.Rounds)
				require.Len(t, tools[0].calls, 1)
				assert.JSONEq(t, `{"zone":"Asia/Seoul"}`, tools[0].calls[0])
			})
			t.Run(at+"two calls at once", func(t *testing.T) {
				r, _, tools := run(t, tinymodel.AskBoth, chat.TurnPolicy{})
				assert.Equal(t, tinymodel.SayAfter, r.Text())
				assert.Equal(t, 2, r.Rounds)
				require.Len(t, tools[0].calls, 1)
				require.Len(t, tools[1].calls, 1)
				assert.JSONEq(t, `{"zone":"UTC"}`, tools[0].calls[0])
				assert.JSONEq(t, `{"a":2,"b":40}`, tools[1].calls[0])
				require.Len(t, r.Messages, 3)
				assert.Len(t, r.Messages[0].ToolCalls(), 2)
				assert.Len(t, r.Messages[1].Results(), 2)
			})
			t.Run(at+"calls without end, to the soft limit", func(t *testing.T) {
				r, _, tools := run(t, tinymodel.AskLoop, chat.TurnPolicy{SoftMaxRounds: 2, HardMaxRounds: 4})
				assert.Len(t, tools[2].calls, 2, "beyond the soft limit nothing is run")
				assert.Equal(t, conversation.EndCompleted, r.Status)
				assert.Equal(t, llm.FinishStop, r.Finish)
				assert.Equal(t, tinymodel.SayEnough, r.Text(), "without tools it gives a real answer")
				assert.Equal(t, 3, r.Rounds)
			})
			for _, ask := range []string{tinymodel.AskUnknown, tinymodel.AskBroken} {
				t.Run(at+"a call that the server drops: "+ask, func(t *testing.T) {
					r, _, _ := run(t, ask, chat.TurnPolicy{})
					assert.Equal(t, tinymodel.SayOther, r.Text(), "asked once more, it answers")
				})
			}
			t.Run(at+"no answer at all", func(t *testing.T) {
				r, _, _ := run(t, tinymodel.AskMute, chat.TurnPolicy{})
				assert.Empty(t, r.Text())
				require.NotEmpty(t, r.Warnings)
				assert.Equal(t, chat.WarnEmptyAnswer, r.Warnings[0].Code)
			})
		}
	}
}

// A repeated call is not run again, and the turn still ends with an answer.
func TestLiveCallsWithoutEnd(t *testing.T) {
	tools, _, _, next := liveTools()
	_, r, err := turn(t, liveClient(t, tinymodel.ModelTools, chat.ClientOptions{Uncertified: liveNames, Tools: tools, Policy: chat.TurnPolicy{SoftMaxRounds: 6}}), tinymodel.AskLoop, nil)
	require.NoError(t, err)
	assert.Equal(t, tinymodel.SayEnough, r.Text())
	assert.LessOrEqual(t, len(next.calls), 3)
	assert.Equal(t, 7, r.Rounds)
}

// A model without tools gets none, and answers.
func TestLiveModelWithoutTools(t *testing.T) {
	tools, _, _, _ := liveTools()
	_, r, err := turn(t, liveClient(t, tinymodel.ModelPlain, chat.ClientOptions{Uncertified: liveNames, Tools: tools}), tinymodel.AskTime, nil)
	require.NoError(t, err)
	assert.Equal(t, tinymodel.SayOther, r.Text())
}

// The server supports no tool choice: the adapters only offer the chosen tools.
func TestLiveToolChoice(t *testing.T) {
	for side, model := range sides(t) {
		for _, c := range []struct {
			choice llm.ToolChoice
			want   string
			calls  int
		}{
			{llm.ToolChoice{Mode: llm.ToolNone}, tinymodel.SayOther, 0},
			{llm.ToolChoice{Mode: llm.ToolNamed, Name: "getTime"}, tinymodel.SayAfter, 1},
			{llm.ToolChoice{Mode: llm.ToolRequired}, tinymodel.SayAfter, 1},
		} {
			t.Run(side+" "+string(c.choice.Mode), func(t *testing.T) {
				tools, getTime, add, next := liveTools()
				client, err := chat.NewClient(model(tinymodel.ModelTools), &chat.ClientOptions{Uncertified: liveNames, Tools: tools})
				require.NoError(t, err)
				_, r, err := turn(t, client, tinymodel.AskTime, &chat.TurnOptions{ToolChoice: c.choice})
				require.NoError(t, err)
				assert.Equal(t, c.want, r.Text())
				assert.Len(t, getTime.calls, c.calls)
				assert.Empty(t, add.calls)
				assert.Empty(t, next.calls)
			})
		}
	}
}

// The server refuses a schema with a property that is just true. Neither adapter sends
// one.
func TestLiveToolSchemas(t *testing.T) {
	for side, model := range sides(t) {
		t.Run(side, func(t *testing.T) {
			put := &liveTool{name: "put", schema: `{"type":"object","properties":{"value":true,"none":false,"other":{"anyOf":[true,{"type":"null"}]}}}`, says: "ok"}
			tools, getTime, _, _ := liveTools()
			client, err := chat.NewClient(model(tinymodel.ModelTools), &chat.ClientOptions{Uncertified: liveNames, Tools: append(tools, put)})
			require.NoError(t, err)
			_, r, err := turn(t, client, tinymodel.AskTime, nil)
			require.NoError(t, err)
			assert.Equal(t, tinymodel.SayAfter, r.Text())
			assert.Len(t, getTime.calls, 1)
		})
	}
}

// The API of OpenAI gives the same answers.
func TestLiveV1(t *testing.T) {
	model := sides(t)["v1"]
	for ask, want := range map[string]string{tinymodel.AskHello: tinymodel.SayHello, tinymodel.AskUTF8: tinymodel.SayUTF8} {
		client, err := chat.NewClient(model(tinymodel.ModelPlain), nil)
		require.NoError(t, err)
		_, r, err := turn(t, client, ask, nil)
		require.NoError(t, err)
		assert.Equal(t, want, r.Text())
		assert.Positive(t, r.Usage.Total)
		assert.False(t, r.Usage.Estimated)
	}
	client, err := chat.NewClient(model(tinymodel.ModelThinking), nil)
	require.NoError(t, err)
	_, r, err := turn(t, client, tinymodel.AskWhy, nil)
	require.NoError(t, err)
	assert.Equal(t, tinymodel.SayBecause, r.Text())
	assert.Equal(t, tinymodel.ThinkWhy, r.Message.Reasoning())
	_, r, err = turn(t, client, tinymodel.AskLong, &chat.TurnOptions{Options: &llm.Options{MaxTokens: ptr(12)}})
	require.NoError(t, err)
	assert.Equal(t, llm.FinishLength, r.Finish)

	client, err = chat.NewClient(model("no-such-model"), nil)
	if err == nil {
		_, _, err = turn(t, client, "Hi", nil)
	}
	assert.Equal(t, llm.CodeModelNotFound, llm.CodeOf(err))
	embed, err := chat.NewClient(model(tinymodel.ModelEmbed), nil)
	require.NoError(t, err)
	_, _, err = turn(t, embed, "Hi", nil)
	assert.Equal(t, llm.CodeProviderRejected, llm.CodeOf(err), "the server answers 400: it does not chat")
}

// Concurrent turns end independently.
func TestLiveManyAtOnce(t *testing.T) {
	leak.Check(t)
	client := liveClient(t, tinymodel.ModelTools, chat.ClientOptions{})
	var wg sync.WaitGroup
	errs := make(chan error, 40)
	for i := range 40 {
		wg.Go(func() {
			ask, want := tinymodel.AskHello, tinymodel.SayHello
			if i%2 == 1 {
				ask, want = tinymodel.AskUTF8, tinymodel.SayUTF8
			}
			r, err := client.Ask(t.Context(), "", ask, nil)
			if err == nil && r.Text() != want {
				err = fmt.Errorf("%s: %q", ask, r.Text())
			}
			errs <- err
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		assert.NoError(t, err)
	}
}

package conversation_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// talk returns a store with a conversation of two turns, the first with a tool call.
func talk(t *testing.T) conversation.Store {
	t.Helper()
	store := newStore(t)
	m := chattest.NewModel(chattest.Steps(chattest.Think("hm"), chattest.Text("Let me look."), chattest.Call("look", `{"at":"clock"}`)), chattest.Say("It is nine."), chattest.Say("Yes."))
	c := newClient(t, m, chat.ClientOptions{Store: store, Tools: look{}})
	for _, q := range []string{"What time is it?", "Really?"} {
		_, err := c.Ask(t.Context(), "c_1", q, nil)
		require.NoError(t, err)
	}
	return store
}

func TestExport(t *testing.T) {
	store := talk(t)
	for format, want := range map[conversation.ExportFormat]string{
		conversation.ExportMarkdown: "# What time is it?\n\n## User\n\nWhat time is it?\n\n## Assistant\n\nLet me look.\n\n- `look({\"at\":\"clock\"}): completed`\n\n## Assistant\n\nIt is nine.\n\n## User\n\nReally?\n\n## Assistant\n\nYes.\n",
		conversation.ExportText:     "User:\nWhat time is it?\n\nAssistant:\nLet me look.\n[look({\"at\":\"clock\"}): completed]\n\nAssistant:\nIt is nine.\n\nUser:\nReally?\n\nAssistant:\nYes.\n\n",
	} {
		var out bytes.Buffer
		require.NoError(t, conversation.Export(t.Context(), store, "c_1", format, &out, nil))
		assert.Equal(t, want, out.String())
	}
	assert.ErrorIs(t, conversation.Export(t.Context(), store, "c_1", "pdf", &bytes.Buffer{}, nil), llm.ErrInvalid)
	assert.ErrorIs(t, conversation.Export(t.Context(), store, "c_2", conversation.ExportJSON, &bytes.Buffer{}, nil), llm.ErrNotFound)
}

func TestImport(t *testing.T) {
	from, to := talk(t), newStore(t)
	var out bytes.Buffer
	require.NoError(t, conversation.Export(t.Context(), from, "c_1", conversation.ExportJSON, &out, nil))
	text := out.String()
	ada := toolspec.Principal{Subject: "ada", Issuer: "https://a.example"}
	conv, err := conversation.Import(t.Context(), to, ada, &out)
	require.NoError(t, err)
	assert.NotEqual(t, "c_1", conv.ID)
	want, got := stored(t, from, "c_1"), stored(t, to, conv.ID)
	for i := range want {
		want[i].TurnID = got[i].TurnID
	}
	assert.Equal(t, want, got)
	again := newClient(t, chattest.NewModel(chattest.Say("Still nine.")), chat.ClientOptions{Store: to})
	_, err = again.Ask(t.Context(), conv.ID, "And now?", &chat.TurnOptions{Principal: ada})
	require.NoError(t, err, "it goes on")
	_, err = conversation.Import(t.Context(), to, ada, strings.NewReader(strings.Replace(text, `"conversation": {`, `"conversation": {"principal": {"subject": "bob"},`, 1)))
	require.NoError(t, err)
	for c, err := range to.List(t.Context(), conversation.ListQuery{}) {
		require.NoError(t, err)
		assert.Equal(t, ada, c.Principal, "a file gives nobody a conversation")
	}

	for name, bad := range map[string]string{
		"nothing": "", "no object": "[]", "another format": `{"format":"other/1","conversation":{}}`, "no conversation": `{"format":"localpass.conversation/1"}`,
		"a call without a result": strings.Replace(text, `"kind": "tool_result"`, `"kind": "text"`, 1),
	} {
		_, err := conversation.Import(t.Context(), to, ada, strings.NewReader(bad))
		assert.Error(t, err, name)
	}
	n := 0
	for range to.List(t.Context(), conversation.ListQuery{}) {
		n++
	}
	assert.Equal(t, 2, n, "what fails leaves nothing behind")
}

func TestFork(t *testing.T) {
	store := talk(t)
	same, err := conversation.Fork(t.Context(), store, "c_1", "script", 1)
	require.NoError(t, err)
	assert.Len(t, stored(t, store, same.ID), 4, "the first turn, as it was")
	other, err := conversation.Fork(t.Context(), store, "c_1", "other", 0)
	require.NoError(t, err)
	assert.Equal(t, "What time is it? NOTE It is nine. Really? Yes.", strings.ReplaceAll(texts(stored(t, store, other.ID)), "Let me look.\n[earlier tool call: look, ok: 09:00]", "NOTE"))
	for _, m := range stored(t, store, other.ID) {
		assert.Empty(t, m.ToolCalls())
		assert.Empty(t, m.Reasoning())
	}
	m := chattest.NewModel(chattest.Say("Hello."))
	m.Described.Provider = "other"
	_, err = newClient(t, m, chat.ClientOptions{Store: store}).Ask(t.Context(), other.ID, "Hi", nil)
	assert.NoError(t, err)
}

func FuzzImport(f *testing.F) {
	f.Add([]byte(`{"format":"localpass.conversation/1","conversation":{"id":"c"},"turns":[{"id":"t","messages":[{"message":{"role":"user","parts":[{"kind":"text","text":"q"}]},"status":"final"}]}]}`))
	f.Add([]byte(`{"format":"localpass.conversation/1","conversation":{},"turns":[{"messages":[{"message":{"role":"assistant","parts":[{"kind":"tool_call","id":"a","name":"n"}]},"status":"draft"}],"toolCalls":[{"itemId":"a","status":"IN_PROGRESS"}]}]}`))
	f.Add([]byte(`{"format":"localpass.conversation/1","conversation":{},"turns":[null]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		store, err := conversation.NewStore(memory.New())
		if err != nil {
			t.Fatal(err)
		}
		conv, err := conversation.Import(t.Context(), store, toolspec.Principal{}, bytes.NewReader(data))
		if err != nil {
			return
		}
		stored(t, store, conv.ID)
		if got, err := store.Get(t.Context(), conv.ID); err != nil || got.Status == conversation.StatusStreaming {
			t.Fatalf("%v %v", got, err)
		}
	})
}

// The turns of a copy get new ids, and an import cannot claim the id of an existing turn.
func TestCopiesHaveTurnsOfTheirOwn(t *testing.T) {
	store := talk(t)
	var out bytes.Buffer
	require.NoError(t, conversation.Export(t.Context(), store, "c_1", conversation.ExportJSON, &out, nil))
	seen := map[string]string{}
	ids := func(convID string) {
		for turn, err := range store.Turns(t.Context(), convID, conversation.TurnQuery{}) {
			require.NoError(t, err)
			assert.Empty(t, seen[turn.ID], "a turn of %s has the id of another", convID)
			seen[turn.ID] = convID
			for _, m := range turn.Messages {
				assert.Equal(t, turn.ID, m.Message.TurnID)
			}
		}
	}
	ids("c_1")
	fork, err := conversation.Fork(t.Context(), store, "c_1", "script", 0)
	require.NoError(t, err)
	ids(fork.ID)
	read, err := conversation.Import(t.Context(), store, toolspec.Principal{Subject: "ada"}, &out)
	require.NoError(t, err)
	ids(read.ID)
	assert.Len(t, seen, 6)
}

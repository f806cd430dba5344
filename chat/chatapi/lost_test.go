package chatapi_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chatapi"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/internal/turntest"
	"github.com/localpass/localpass/persistence/memory"
)

// runByAnotherProgram changes a paused turn to a turn that another program runs, with a lease until a
// time.
func runByAnotherProgram(t *testing.T, store conversation.Store, id string, until time.Time) {
	t.Helper()
	_, err := store.Update(t.Context(), id, func(c *conversation.Conversation) error {
		c.Status, c.Running.Paused, c.Running.Until, c.Running.Owner = conversation.StatusStreaming, false, until, "another program"
		return nil
	})
	require.NoError(t, err)
}

// A turn of another program is busy until its lease expires. Then it can be resumed,
// cancelled or deleted.
func TestAPILostTurns(t *testing.T) {
	leak.Check(t)
	for _, how := range []string{"resume", "cancel", "delete"} {
		p := memory.New()
		m := chattest.NewModel(chattest.Call("gated", "{}"), chattest.Say("done"))
		a := newGatedServer(t, p, m, chatapi.Options{})
		id := a.newConversation("")
		s := a.open("POST", "/api/conversations/"+id+"/turns", `{"text":"q"}`)
		s.Until("approval.required")
		a.close()
		before := checked(t, s.Rest())
		turn := before[0].Header().Turn

		a = newGatedServer(t, p, m, chatapi.Options{})
		runByAnotherProgram(t, a.store, id, time.Now().Add(time.Hour))
		a.Do("POST", "/api/turns/"+turn+"/cancel", "").Problem(409, "conversation_busy")
		a.Do("POST", "/api/turns/"+turn+"/resume", "").Problem(409, "conversation_busy")
		a.Do("GET", "/api/turns/"+turn+"/events", "").Problem(409, "replay_unavailable")
		runByAnotherProgram(t, a.store, id, time.Now().Add(-time.Hour))
		switch how {
		case "resume":
			decide(t, a.gate, before, "approved")
			list := checked(t, append(s.Events, a.open("POST", "/api/turns/"+turn+"/resume", "").Rest()...))
			assert.Equal(t, "done", shownText(list))
			assert.Equal(t, 1, a.ran)
		case "cancel":
			requestAs[chatapi.APITurn](a.testServer, 202, "POST", "/api/turns/"+turn+"/cancel", "")
			l, ok := a.api.Turns().Find(turn)
			require.True(t, ok)
			<-l.Done()
			assert.Equal(t, conversation.EndCancelled, l.Status())
			assert.Equal(t, conversation.StatusIncomplete, turntest.Status(t, a.store, id))
		case "delete":
			assert.Equal(t, 204, a.Do("DELETE", "/api/conversations/"+id, "").Status)
		}
		a.close()
	}
}

// A stopped turn can be resumed, and its events continue.
func TestAPIResumesAStoppedTurn(t *testing.T) {
	leak.Check(t)
	m := chattest.NewModel(chattest.Steps(chattest.Text("half"), chattest.Hang()), chattest.Say(" and half"))
	w := newServer(t, m, chat.ClientOptions{}, chatapi.Options{})
	id := w.newConversation("")
	s := w.open("POST", "/api/conversations/"+id+"/turns", `{"text":"q"}`)
	s.Until("text.delta")
	turn := typedEvents(t, s.Events)[0].Header().Turn
	requestAs[chatapi.APITurn](w, 202, "POST", "/api/turns/"+turn+"/cancel", "")
	before := s.Rest()
	after := w.open("POST", "/api/turns/"+turn+"/resume", "{}").Rest()
	assert.Equal(t, "half and half", shownText(checked(t, append(before, after...))))
	got := requestAs[chatapi.APITurn](w, 202, "POST", "/api/turns/"+turn+"/cancel", "")
	assert.Equal(t, "completed", got.Status)
}

// An HTTP client that does not read does not delay the turn.
func TestAPISlowReader(t *testing.T) {
	leak.Check(t)
	lump := strings.Repeat("x", 8<<20)
	m := chattest.NewModel(func(_ context.Context, _ *llm.ModelRequest, out func(llm.Delta) bool) error {
		for range 2 {
			if !out(llm.Delta{Kind: llm.DeltaText, Text: lump}) {
				return nil
			}
		}
		out(llm.Delta{Kind: llm.DeltaFinish, Finish: llm.FinishStop})
		return nil
	})
	w := newServer(t, m, chat.ClientOptions{}, chatapi.Options{})
	id := w.newConversation("")
	resp := w.Raw(t.Context(), "POST", "/api/conversations/"+id+"/turns", `{"text":"q"}`)
	l, ok := w.api.Turns().Of(id)
	require.True(t, ok)
	<-l.Done()
	assert.Equal(t, conversation.EndCompleted, l.Status())
	require.NoError(t, resp.Body.Close())
	w.Do("GET", "/api/turns/"+l.ID()+"/events", "").Problem(409, "replay_unavailable")
}

package chatapi_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/approval/approvalapi"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chatapi"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/httpapi/apitest"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/internal/turntest"
	"github.com/localpass/localpass/persistence/file"
	"github.com/localpass/localpass/persistence/memory"
)

// asking is a program whose chat asks people: both APIs on one mux.
type asking struct {
	*apiWorld
	gate   *approval.Gate
	answer *approvalapi.API
	ran    int
}

// newAsking starts such a program over a persistence; close ends it.
func newAsking(t *testing.T, p localpass.Persistence, m llm.Model, opts chatapi.Options) *asking {
	t.Helper()
	return startAsking(t, p, m, opts, false)
}

// startAsking is newAsking; with carryOn turns that wait go on by themselves.
func startAsking(t *testing.T, p localpass.Persistence, m llm.Model, opts chatapi.Options, carryOn bool) *asking {
	t.Helper()
	a := &asking{}
	client, gate, store := newGatedClient(t, p, m, &a.ran)
	a.gate = gate
	if carryOn {
		opts.Approvals = a.gate.Broker()
	}
	api, err := chatapi.New(client, &opts)
	require.NoError(t, err)
	a.answer, err = approvalapi.New(a.gate, nil)
	require.NoError(t, err)
	mux := http.NewServeMux()
	require.NoError(t, api.Mount(mux))
	require.NoError(t, a.answer.Mount(mux))
	a.apiWorld = &apiWorld{Client: apitest.NewClient(t, mounted{mux, api}), store: store, api: api, log: &apitest.Log{}}
	return a
}

// mounted is a mux with the description of the one API on it that answers are held
// against.
type mounted struct {
	*http.ServeMux
	api *chatapi.API
}

func (m mounted) OpenAPI() []byte { return m.api.OpenAPI() }

func (a *asking) close() {
	a.T.Helper()
	require.NoError(a.T, a.api.Close())
	require.NoError(a.T, a.answer.Close())
	a.Close()
	require.NoError(a.T, a.gate.Close())
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

// decides answers a question by way of the approval API.
func (a *asking) decides(id string, yes bool) {
	a.T.Helper()
	resp := a.Raw(a.T.Context(), "POST", "/api/responses/approval/"+id, fmt.Sprintf(`{"approved":%t}`, yes))
	require.NoError(a.T, resp.Body.Close())
	require.Equal(a.T, 200, resp.StatusCode)
}

// A turn that holds goes on by itself when it is decided.
func TestAPIHoldsForApproval(t *testing.T) {
	leak.Check(t)
	for _, yes := range []bool{true, false} {
		m := chattest.NewModel(chattest.Calls("free", "{}", "gated", `{"x":1}`), chattest.Say("all done"))
		a := newAsking(t, memory.New(), m, chatapi.Options{})
		id := a.newConversation("")
		s := a.open("POST", "/api/conversations/"+id+"/turns", `{"text":"q"}`)
		s.Until("approval.required")
		asked := turntest.Find[*chat.ApprovalRequired](typedEvents(t, s.Events))[0]
		assert.Equal(t, "gated", asked.Name)
		assert.JSONEq(t, `{"x":1}`, string(asked.Arguments))
		assert.Equal(t, approval.Decisions(), asked.Options)
		assert.Contains(t, asked.Scopes, approval.ScopeOnce)
		assert.True(t, waiting(t, s.Until("conversation.status")))
		conv := apiAs[chatapi.APIConversationDetail](a.apiWorld, 200, "GET", "/api/conversations/"+id, "")
		assert.True(t, conv.Waiting)
		assert.False(t, conv.Paused)
		a.decides(asked.ApprovalID, yes)
		assert.False(t, waiting(t, s.Until("conversation.status")), "the person has answered")
		list := checked(t, s.Rest())
		assert.Equal(t, "all done", shownText(list))
		assert.Equal(t, yes, a.ran == 1)
		assert.Len(t, turntest.Find[*chat.ApprovalResolved](list), 1)
		a.close()
	}
}

// waiting is whether a conversation.status says that people are asked.
func waiting(t *testing.T, e apitest.Event) bool {
	t.Helper()
	return typedEvents(t, []apitest.Event{e})[0].(*chat.ConversationChanged).WaitingForApproval
}

// A turn whose reader is gone pauses. The program ends; another one over the same
// files takes the decision and resumes it.
func TestAPIResumesAfterARestart(t *testing.T) {
	leak.Check(t)
	for _, yes := range []bool{true, false} {
		dir := t.TempDir()
		p, err := file.Open(dir, nil)
		require.NoError(t, err)
		a := newAsking(t, p, chattest.NewModel(chattest.Calls("free", "{}", "gated", "{}")), chatapi.Options{Turns: chatapi.TurnsOptions{OnDisconnect: chatapi.DisconnectPause, Grace: time.Millisecond}})
		id := a.newConversation("")
		s := a.open("POST", "/api/conversations/"+id+"/turns", `{"text":"q"}`)
		s.Until("approval.required")
		live, ok := a.api.Turns().Of(id)
		require.True(t, ok)
		s.Close()
		<-live.Done()
		require.Equal(t, conversation.EndPaused, live.Status())
		turn := live.ID()
		before := a.open("GET", "/api/turns/"+turn+"/events", "").Rest()
		asked := turntest.Find[*chat.ApprovalRequired](checked(t, before))[0]
		busy := a.Do("POST", "/api/conversations/"+id+"/turns", `{"text":"another"}`).Problem(409, "conversation_busy")
		assert.Equal(t, turn, busy["turnId"])
		assert.Equal(t, true, busy["paused"])
		item := apiAs[chatapi.APIConversations](a.apiWorld, 200, "GET", "/api/conversations", "").Items[0]
		assert.Equal(t, conversation.StatusStreaming, item.Status, "clients of the backend know no other")
		assert.True(t, item.Waiting && item.Paused)
		a.close()
		require.NoError(t, p.Close())
		assert.Zero(t, a.ran)

		p, err = file.Open(dir, nil)
		require.NoError(t, err)
		b := newAsking(t, p, chattest.NewModel(chattest.Say("all done")), chatapi.Options{})
		b.Do("GET", "/api/turns/"+turn+"/events", "").Problem(409, "replay_unavailable")
		b.decides(asked.ApprovalID, yes)
		after := b.open("POST", "/api/turns/"+turn+"/resume", "").Rest()
		whole := checked(t, append(before, after...))
		assert.Equal(t, "all done", shownText(whole))
		assert.Equal(t, yes, b.ran == 1)
		assert.Equal(t, after, b.open("GET", "/api/turns/"+turn+"/events", "", "Last-Event-ID: "+before[len(before)-1].ID).Rest(), "the numbers go on")
		conv := apiAs[chatapi.APIConversationDetail](b.apiWorld, 200, "GET", "/api/conversations/"+id, "")
		require.Len(t, conv.Calls, 2)
		assert.Equal(t, conversation.StatusCompleted, conv.Status)
		assert.Empty(t, conv.TurnID)
		want := map[bool][2]string{true: {"COMPLETED", ""}, false: {"FAILED", "declined"}}[yes]
		assert.Equal(t, want, [2]string{conv.Calls[1].Status, conv.Calls[1].Error})
		b.close()
		require.NoError(t, p.Close())
	}
}

// A program that closes leaves the question of a turn that holds open; a turn that
// is resumed before the decision waits for it.
func TestAPIRestartsWhileItHolds(t *testing.T) {
	leak.Check(t)
	p := memory.New()
	a := newAsking(t, p, chattest.NewModel(chattest.Call("gated", "{}")), chatapi.Options{})
	id := a.newConversation("")
	s := a.open("POST", "/api/conversations/"+id+"/turns", `{"text":"q"}`)
	s.Until("approval.required")
	require.NoError(t, a.api.Close())
	before := s.Rest() // before the server cuts what it has not sent yet
	a.close()
	list := checked(t, before)
	assert.Equal(t, conversation.EndPaused, turntest.Find[*chat.TurnFinished](list)[0].Status)

	b := newAsking(t, p, chattest.NewModel(chattest.Say("all done")), chatapi.Options{})
	s = b.open("POST", "/api/turns/"+list[0].Header().Turn+"/resume", `{"onDisconnect":"continue"}`)
	assert.True(t, waiting(t, s.Until("conversation.status")))
	b.decides(turntest.Find[*chat.ApprovalRequired](list)[0].ApprovalID, true)
	assert.Equal(t, "all done", shownText(checked(t, append(before, s.Rest()...))))
	assert.Equal(t, 1, b.ran)
	b.close()
}

// A turn that paused goes on by itself when its question is decided: in the program
// that it paused in, in a later one, and where the decision came while none ran.
func TestAPICarriesOn(t *testing.T) {
	leak.Check(t)
	pauses := chatapi.Options{Turns: chatapi.TurnsOptions{OnDisconnect: chatapi.DisconnectPause, Grace: time.Millisecond}}
	for name, restart := range map[string]string{"the same program": "", "a later program": "before", "while no program ran": "after"} {
		for _, yes := range []bool{true, false} {
			p := memory.New()
			a := startAsking(t, p, chattest.NewModel(chattest.Call("gated", "{}"), chattest.Say("all done")), pauses, true)
			id := a.newConversation("")
			s := a.open("POST", "/api/conversations/"+id+"/turns", `{"text":"q"}`)
			s.Until("approval.required")
			asked := turntest.Find[*chat.ApprovalRequired](typedEvents(t, s.Events))[0].ApprovalID
			live, ok := a.api.Turns().Of(id)
			require.True(t, ok)
			s.Close()
			<-live.Done()
			require.Equal(t, conversation.EndPaused, live.Status())
			b := a
			if restart == "after" {
				require.NoError(t, a.api.Close())
				a.decides(asked, yes)
			}
			if restart != "" {
				a.close()
				b = startAsking(t, p, chattest.NewModel(chattest.Say("all done")), pauses, true)
			}
			if restart != "after" {
				b.decides(asked, yes)
			}
			var conv chatapi.APIConversationDetail
			require.Eventually(t, func() bool {
				conv = apiAs[chatapi.APIConversationDetail](b.apiWorld, 200, "GET", "/api/conversations/"+id, "")
				return conv.TurnID == ""
			}, time.Minute, 10*time.Millisecond, name)
			assert.Equal(t, conversation.StatusCompleted, conv.Status, name)
			assert.Equal(t, yes, b.ran == 1, name)
			b.close()
		}
	}
}

// Stopping a turn that waits says that the call was not run: it only waited.
func TestAPIStoppedCallWasNotRun(t *testing.T) {
	leak.Check(t)
	p := memory.New()
	a := newAsking(t, p, chattest.NewModel(chattest.Call("gated", "{}")), chatapi.Options{})
	id := a.newConversation("")
	s := a.open("POST", "/api/conversations/"+id+"/turns", `{"text":"q"}`)
	s.Until("approval.required")
	live, _ := a.api.Turns().Of(id)
	require.Equal(t, 202, a.Do("POST", "/api/turns/"+live.ID()+"/cancel", `{}`).Status)
	results := turntest.Find[*chat.ToolCallResult](checked(t, s.Rest()))
	require.Len(t, results, 1)
	assert.Contains(t, results[0].Content, "was NOT run")
	assert.NotContains(t, results[0].Content, "not known")
	a.close()
}

// Cancelling a turn that waits takes its question back; so does deleting its
// conversation.
func TestAPICancelsWhatWaits(t *testing.T) {
	leak.Check(t)
	for _, restarted := range []bool{false, true} {
		for _, how := range []string{"cancel", "delete"} {
			p := memory.New()
			m := chattest.NewModel(chattest.Call("gated", "{}"), chattest.Say("next"))
			a := newAsking(t, p, m, chatapi.Options{})
			id := a.newConversation("")
			s := a.open("POST", "/api/conversations/"+id+"/turns", `{"text":"q"}`)
			s.Until("approval.required")
			asked := turntest.Find[*chat.ApprovalRequired](typedEvents(t, s.Events))[0]
			if restarted {
				a.close()
				a = newAsking(t, p, m, chatapi.Options{})
			}
			if how == "cancel" {
				got := apiAs[chatapi.APITurn](a.apiWorld, 202, "POST", "/api/turns/"+asked.Turn+"/cancel", "")
				assert.Equal(t, id, got.ConversationID)
				if l, ok := a.api.Turns().Of(id); ok {
					<-l.Done()
					assert.Equal(t, conversation.EndCancelled, l.Status())
				}
				conv := apiAs[chatapi.APIConversationDetail](a.apiWorld, 200, "GET", "/api/conversations/"+id, "")
				assert.Equal(t, conversation.StatusIncomplete, conv.Status)
				assert.Equal(t, "cancelled", conv.Calls[0].Error)
				list := checked(t, a.open("POST", "/api/conversations/"+id+"/turns", `{"text":"go on"}`).Rest())
				assert.Equal(t, "next", shownText(list))
			} else {
				assert.Equal(t, 204, a.Do("DELETE", "/api/conversations/"+id, "").Status)
				a.Do("GET", "/api/conversations/"+id, "").Problem(404, "not_found")
			}
			rec, err := a.gate.Broker().Get(t.Context(), asked.ApprovalID)
			require.NoError(t, err)
			assert.Equal(t, approval.Cancelled, rec.Outcome, "%s, restarted %t", how, restarted)
			assert.Zero(t, a.ran)
			a.close()
		}
	}
}

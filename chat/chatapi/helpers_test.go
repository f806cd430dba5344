package chatapi_test

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chatapi"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/prompt"
	"github.com/localpass/localpass/internal/httpapi/apitest"
	"github.com/localpass/localpass/internal/turntest"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// apiWorld is an API on a real connection, and a client of it that holds every
// answer against the description.
type apiWorld struct {
	*apitest.Client
	store conversation.Store
	api   *chatapi.API
	log   *apitest.Log
}

// newAPIWorld serves a model. clientOpts may leave the store out.
func newAPIWorld(t testing.TB, m llm.Model, clientOpts chat.ClientOptions, opts chatapi.Options) *apiWorld {
	t.Helper()
	w := &apiWorld{log: &apitest.Log{}}
	if clientOpts.Store == nil {
		clientOpts.Store = turntest.NewStore(t)
	}
	w.store = clientOpts.Store
	c := turntest.NewClient(t, m, clientOpts)
	opts.Logger = slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	var err error
	if opts.Presets == nil {
		opts.Presets, err = prompt.NewPresets(memory.New())
		require.NoError(t, err)
	}
	w.api, err = chatapi.New(c, &opts)
	require.NoError(t, err)
	w.Client = apitest.NewClient(t, w.api)
	t.Cleanup(func() { assert.NoError(t, w.api.Close()) }) // before the connections are cut
	return w
}

// as does a request, checks its status and reads what it answers.
func apiAs[T any](w *apiWorld, status int, method, path, body string, headers ...string) (out T) {
	w.T.Helper()
	r := w.Do(method, path, body, headers...)
	require.Equal(w.T, status, r.Status, r.Body)
	r.Into(&out)
	return out
}

// newConversation makes a conversation and returns its id.
func (w *apiWorld) newConversation(body string, headers ...string) string {
	w.T.Helper()
	return apiAs[chatapi.APIConversation](w, 201, "POST", "/api/conversations", cmp.Or(body, "{}"), headers...).ID
}

// open begins to read a stream, whose events are held against the description.
func (w *apiWorld) open(method, path, body string, headers ...string) *apitest.Stream {
	w.T.Helper()
	s := w.OpenWith(method, path, body, headers...)
	plain, query, _ := strings.Cut(path, "?")
	s.Schema = w.Spec.EventsOf(method, plain)
	require.NotEmpty(w.T, s.Schema, "%s %s is described", method, path)
	if strings.Contains(query, "dialect=responses") {
		s.Schema = json.RawMessage(`{"$ref":"#/$defs/chat.APIResponsesEvent"}`)
	}
	return s
}

// typedEvents are the events of typed frames, whose frame says the same as they do.
func typedEvents(t testing.TB, frames []apitest.Event) []chat.Event {
	t.Helper()
	out := make([]chat.Event, len(frames))
	for i, f := range frames {
		ev, err := chat.UnmarshalEvent([]byte(f.Text))
		require.NoError(t, err)
		require.Equal(t, string(ev.Type()), f.Kind)
		require.Equal(t, strconv.FormatInt(ev.Header().Seq, 10), f.ID)
		out[i] = ev
	}
	return out
}

// checked are the events of frames that are a whole turn.
func checked(t testing.TB, frames []apitest.Event) []chat.Event {
	t.Helper()
	list := typedEvents(t, frames)
	require.NoError(t, chattest.CheckEvents(list))
	return list
}

// byHeader is a Principal that believes what it is told.
func byHeader(r *http.Request) (toolspec.Principal, error) {
	return toolspec.Principal{Subject: r.Header.Get("X-User"), Via: "http"}, nil
}

// shownText is the text that a page shows of events.
func shownText(list []chat.Event) string {
	var b strings.Builder
	for _, e := range turntest.Find[*chat.TextDelta](list) {
		b.WriteString(e.Text)
	}
	return b.String()
}

// newGatedClient returns a client with a tool that counts its calls and needs an approval,
// and a tool that does not. Approval requests wait in an inbox.
func newGatedClient(t testing.TB, p localpass.Persistence, m llm.Model, ran *int) (*chat.Client, *approval.Gate, conversation.Store) {
	t.Helper()
	gate, store := turntest.NewGate(t, p, approval.Inbox(0)), turntest.StoreOn(t, p)
	return turntest.NewClient(t, m, chat.ClientOptions{Store: store, Manager: turntest.NewManager(t, chat.ToolManagerOptions{Gate: gate}),
		Tools: turntest.Tools{turntest.TextTool("free", "free"), turntest.GatedTool("gated", turntest.Counts(ran))}}), gate, store
}

// decide decides the newest approval request among events.
func decide(t testing.TB, gate *approval.Gate, events []chat.Event, outcome approval.Outcome) {
	t.Helper()
	asked := turntest.Find[*chat.ApprovalRequired](events)
	require.NotEmpty(t, asked)
	turntest.Decide(t, gate, asked[len(asked)-1].ApprovalID, outcome)
}

// failingStore returns a store that cannot create conversations.
func failingStore(t testing.TB, err error) conversation.Store {
	return turntest.Store{Store: turntest.NewStore(t), Before: func(_ context.Context, operation string, _ *conversation.TurnRecord) error {
		if operation == "Create" {
			return err
		}
		return nil
	}}
}

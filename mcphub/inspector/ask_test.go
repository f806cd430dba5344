package inspector_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/inspector"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// questioning makes a peer whose tool asks one question and answers with what it got.
func questioning(version, method, params string) *mcphubtest.Peer {
	return hubtest.FullPeer(version, false).On("tools/call", func(x *mcphubtest.Exchange) {
		if version >= "2026" {
			if answers := hubtest.MemberOf(x.Params, "inputResponses"); answers != "" {
				x.Reply(`{"resultType":"complete","content":[],"structuredContent":{"got":` + hubtest.MemberOf(json.RawMessage(answers), "q") + `}}`)
				return
			}
			x.Reply(`{"resultType":"input_required","inputRequests":{"q":{"method":"` + method + `","params":` + params + `}},"requestState":"s"}`)
			return
		}
		answer, ok := x.Ask(method, params)
		if !ok {
			return
		}
		got := string(answer.Result)
		if answer.Error != nil {
			got = string(answer.Error)
		}
		x.Reply(`{"content":[],"structuredContent":{"got":` + got + `}}`)
	})
}

func got(rec *inspector.Inspection) string {
	return hubtest.MemberOf(json.RawMessage(hubtest.MemberOf(rec.Result, "structuredContent")), "got")
}

// A question waits for a person, whatever the answer is.
func TestInspectorQuestions(t *testing.T) {
	form := func(answer string) func(i *inspector.Inspector, id string) error {
		return func(i *inspector.Inspector, id string) error { return i.Answer(id, json.RawMessage(answer)) }
	}
	for name, test := range map[string]struct {
		method, params string
		act            func(i *inspector.Inspector, id string) error // nil: nobody answers
		want, note     string
		refused        bool // a completion that is declined is no result
	}{
		"form":           {"elicitation/create", hubtest.NameForm, form(`{"name":"Ada"}`), `{"action":"accept","content":{"name":"Ada"}}`, "answered", false},
		"form, declined": {"elicitation/create", hubtest.NameForm, (*inspector.Inspector).Decline, `{"action":"decline"}`, "declined", false},
		"form, cancel":   {"elicitation/create", hubtest.NameForm, (*inspector.Inspector).Cancel, `{"action":"cancel"}`, "cancelled", false},
		"form, late":     {"elicitation/create", hubtest.NameForm, nil, `{"action":"cancel"}`, "timed out", false},
		"address":        {"elicitation/create", `{"mode":"url","message":"Look","url":"https://a.example/","elicitationId":"1"}`, form(``), `{"action":"accept"}`, "answered", false},
		"completion": {"sampling/createMessage", `{"messages":[],"maxTokens":5}`, form(`{"content":{"type":"text","text":"ok"}}`),
			`{"role":"assistant","content":{"type":"text","text":"ok"},"model":"operator","stopReason":"endTurn"}`, "answered", false},
		"completion, late": {"sampling/createMessage", `{"messages":[],"maxTokens":5}`, nil,
			`{"role":"assistant","model":"none","stopReason":"endTurn","content":{"type":"text","text":"Nobody answered this request in time."}}`, "timed out", false},
		"completion, declined": {"sampling/createMessage", `{"messages":[],"maxTokens":5}`, (*inspector.Inspector).Decline, ``, "declined", true},
	} {
		for _, version := range []string{"2025-11-25", "2026-07-28"} {
			t.Run(name+" "+version, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					i, done := askInspector(t, questioning(version, test.method, test.params), nil)
					defer done()
					began := time.Now()
					ended := make(chan *inspector.Inspection, 1)
					go func() {
						rec, err := i.CallTool(t.Context(), "peer", inspector.ToolTrial{Tool: "ask"})
						assert.NoError(t, err)
						ended <- rec
					}()
					synctest.Wait()
					pending := i.Pending("peer")
					require.Len(t, pending, 1)
					q := pending[0]
					assert.Equal(t, test.method, q.Method)
					assert.JSONEq(t, test.params, string(q.Params))
					assert.Equal(t, 2*time.Minute, q.Deadline.Sub(q.Asked))
					assert.Equal(t, pending, i.Pending(""))
					assert.Empty(t, i.Pending("other"))
					if test.act == nil {
						rec := <-ended
						assert.Equal(t, 2*time.Minute, time.Since(began).Round(time.Second), "the time of people is none of the call's")
						ended <- rec
					} else {
						time.Sleep(time.Minute)
						require.NoError(t, test.act(i, q.ID))
						require.ErrorIs(t, test.act(i, q.ID), inspector.ErrNotPending)
					}
					rec := <-ended
					switch {
					case test.refused && version >= "2026":
						assert.False(t, rec.OK)
						assert.Contains(t, rec.Error.Message, "User rejected")
					case test.refused:
						assert.Contains(t, got(did(t, rec, nil)), "User rejected")
					default:
						assert.JSONEq(t, test.want, got(did(t, rec, nil)))
					}
					assert.Equal(t, q.Inspection, rec.ID)
					assert.Empty(t, i.Pending(""))
					notes, err := i.Notifications("peer")
					require.NoError(t, err)
					require.Len(t, notes, 2)
					assert.Equal(t, test.note, notes[0].Summary)
					assert.Equal(t, q.ID, notes[0].Question)
					kinds := []inspector.NoteKind{inspector.NoteElicitationResponded, inspector.NoteElicitationRequest}
					if test.method == "sampling/createMessage" {
						kinds = []inspector.NoteKind{inspector.NoteSamplingResponded, inspector.NoteSamplingRequest}
					}
					assert.Equal(t, kinds, []inspector.NoteKind{notes[0].Kind, notes[1].Kind})
				})
			})
		}
	}
}

// askInspector is an inspector that answers everything, for a bubble.
func askInspector(t *testing.T, peer *mcphubtest.Peer, opts *inspector.Options) (*inspector.Inspector, func()) {
	if opts == nil {
		opts = &inspector.Options{}
	}
	opts.Answers = hubtest.Everybody
	c, err := servers.New(memory.New(), &servers.Options{Kinds: hubtest.Fakes{"peer": peer.Transport(client.TransportHTTP)}.Kinds(t)})
	require.NoError(t, err)
	_, err = c.Save(t.Context(), hubtest.FakeRecord("peer", "peer"))
	require.NoError(t, err)
	i, err := inspector.New(c, opts)
	require.NoError(t, err)
	return i, func() {
		require.NoError(t, i.Close())
		require.NoError(t, c.Close())
	}
}

// An answer that does not fit leaves the question open.
func TestInspectorAnswers(t *testing.T) {
	leak.Check(t)
	for _, test := range []struct {
		method, params string
		bad            []string
	}{
		{"elicitation/create", hubtest.NameForm, []string{`{"name":7}`, `{}`, `null`, ``, `[1]`, `"x"`, `{"name":`}},
		{"elicitation/create", `{"mode":"url","url":"https://a.example/","message":"x","elicitationId":"1"}`, []string{`{"a":1}`}},
		{"elicitation/create", `{"message":"x","requestedSchema":{"type":"nonsense"}}`, []string{`{}`}},
		{"sampling/createMessage", `{}`, []string{`{}`, ``, `{"content":"text"}`, `7`}},
	} {
		i, _ := inspectorOfPeer(t, questioning("2025-11-25", test.method, test.params).Transport(client.TransportHTTP), &inspector.Options{Answers: hubtest.Everybody})
		ended := make(chan *inspector.Inspection, 1)
		go func() {
			rec, err := i.CallTool(t.Context(), "peer", inspector.ToolTrial{Tool: "ask"})
			assert.NoError(t, err)
			ended <- rec
		}()
		require.Eventually(t, func() bool { return len(i.Pending("")) == 1 }, hubtest.Patience, time.Millisecond)
		id := i.Pending("")[0].ID
		for _, bad := range test.bad {
			require.ErrorIs(t, i.Answer(id, json.RawMessage(bad)), inspector.ErrInvalidOperation, bad)
		}
		require.Len(t, i.Pending(""), 1)
		require.NoError(t, i.Decline(id))
		did(t, <-ended, nil)
		for _, act := range []error{i.Answer(id, nil), i.Decline(id), i.Cancel(id)} {
			require.ErrorIs(t, act, inspector.ErrNotPending)
		}
	}
}

// A question ends with its operation, its server and the inspector.
func TestInspectorQuestionEnds(t *testing.T) {
	for name, end := range map[string]func(i *inspector.Inspector, c *servers.Connections, cancel func()){
		"operation": func(_ *inspector.Inspector, _ *servers.Connections, cancel func()) { cancel() },
		"server": func(_ *inspector.Inspector, c *servers.Connections, _ func()) {
			_ = c.Delete(context.Background(), "peer")
		},
		"inspector": func(i *inspector.Inspector, _ *servers.Connections, _ func()) { _ = i.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			i, c := inspectorOfPeer(t, questioning("2025-11-25", "elicitation/create", hubtest.NameForm).Transport(client.TransportHTTP), &inspector.Options{Answers: hubtest.Everybody})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan *inspector.Inspection, 1)
			go func() {
				rec, err := i.CallTool(ctx, "peer", inspector.ToolTrial{Tool: "ask"})
				assert.NoError(t, err)
				ended <- rec
			}()
			require.Eventually(t, func() bool { return len(i.Pending("")) == 1 }, hubtest.Patience, time.Millisecond)
			end(i, c, cancel)
			require.Eventually(t, func() bool { return len(i.Pending("")) == 0 }, hubtest.Patience, time.Millisecond)
			<-ended
		})
	}
}

// Questions that nobody at the inspector was declared for are refused, and those
// outside of its operations do not come up.
func TestInspectorForeignQuestions(t *testing.T) {
	leak.Check(t)
	i, c := inspectorOfPeer(t, questioning("2025-11-25", "elicitation/create", hubtest.NameForm).Transport(client.TransportHTTP), &inspector.Options{Answers: hubtest.Everybody})
	raw, err := c.Call(t.Context(), "peer", "tools/call", json.RawMessage(`{"name":"ask"}`), nil)
	require.NoError(t, err)
	assert.Contains(t, string(raw), "-32601", "it is somebody else's call")
	assert.Empty(t, i.Pending(""))
	j, _ := inspectorOfPeer(t, questioning("2025-11-25", "sampling/createMessage", `{}`).Transport(client.TransportHTTP), nil)
	rec, err := j.CallTool(t.Context(), "peer", inspector.ToolTrial{Tool: "ask"})
	assert.Contains(t, got(did(t, rec, err)), "did not declare")
	k, _ := inspectorOfPeer(t, questioning("2025-11-25", "roots/other", `{}`).Transport(client.TransportHTTP), &inspector.Options{Answers: hubtest.Everybody})
	rec, err = k.CallTool(t.Context(), "peer", inspector.ToolTrial{Tool: "ask"})
	assert.Contains(t, got(did(t, rec, err)), "-32601")

	// What the program answers itself it goes on answering.
	own := client.DialOptions{Capabilities: client.ClientCapabilities{Form: true}, Handler: client.Handler{
		Request: func(context.Context, client.ServerRequest) (json.RawMessage, error) {
			return json.RawMessage(`{"action":"accept","content":{"name":"program"}}`), nil
		}}}
	d := hubtest.Connections(t, hubtest.Fakes{"peer": questioning("2025-11-25", "elicitation/create", hubtest.NameForm).Transport(client.TransportHTTP),
		"sampler": questioning("2025-11-25", "sampling/createMessage", `{}`).Transport(client.TransportHTTP)}, &servers.Options{Dial: own})
	l, err := inspector.New(d, &inspector.Options{Answers: hubtest.Everybody})
	require.NoError(t, err)
	raw, err = d.Call(t.Context(), "peer", "tools/call", json.RawMessage(`{"name":"ask"}`), nil)
	require.NoError(t, err)
	assert.Contains(t, string(raw), "program")
	raw, err = d.Call(t.Context(), "sampler", "tools/call", json.RawMessage(`{"name":"ask"}`), nil)
	require.NoError(t, err)
	assert.Contains(t, string(raw), "-32601", "the program declared no completions")
	require.NoError(t, l.Close())
}

// Roots are none at first; the server is told of changes, and asks.
func TestInspectorRoots(t *testing.T) {
	leak.Check(t)
	for _, kind := range []client.TransportKind{client.TransportHTTP, client.TransportStdio} {
		peer := questioning("2025-11-25", "roots/list", "")
		i, _ := inspectorOfPeer(t, peer.Transport(kind), &inspector.Options{Answers: hubtest.Everybody})
		roots, err := i.Roots("peer")
		require.NoError(t, err)
		assert.Empty(t, roots)
		rec, err := i.AddRoot(t.Context(), "peer", toolspec.Root{URI: "file:///a"})
		assert.Empty(t, did(t, rec, err).Wire, "there is no session yet")
		rec, err = i.CallTool(t.Context(), "peer", inspector.ToolTrial{Tool: "ask"})
		assert.JSONEq(t, `{"roots":[{"uri":"file:///a"}]}`, got(did(t, rec, err)))
		rec, err = i.AddRoot(t.Context(), "peer", toolspec.Root{URI: "file:///b", Name: "B"})
		assert.Equal(t, []string{"> notifications/roots/list_changed"}, passed(did(t, rec, err)))
		rec, err = i.AddRoot(t.Context(), "peer", toolspec.Root{URI: "file:///a", Name: "A"})
		did(t, rec, err)
		rec, err = i.CallTool(t.Context(), "peer", inspector.ToolTrial{Tool: "ask"})
		assert.JSONEq(t, `{"roots":[{"uri":"file:///a","name":"A"},{"uri":"file:///b","name":"B"}]}`, got(did(t, rec, err)))
		rec, err = i.RemoveRoot(t.Context(), "peer", "file:///a")
		assert.JSONEq(t, `{"roots":[{"uri":"file:///b","name":"B"}]}`, string(did(t, rec, err).Result))
		require.Eventually(t, func() bool {
			return strings.Count(strings.Join(peer.Methods(), " "), "notifications/roots/list_changed") == 3
		}, hubtest.Patience, time.Millisecond)
		assert.Empty(t, i.Pending(""), "nobody is asked")
	}
}

// Subscriptions last until they are ended, or their session is.
func TestInspectorSubscriptions(t *testing.T) {
	for _, test := range []struct {
		kind    client.TransportKind
		version string
	}{{client.TransportStdio, "2025-11-25"}, {client.TransportHTTP, "2025-11-25"}, {client.TransportHTTP, "2026-07-28"}, {client.TransportStdio, "2026-07-28"}} {
		t.Run(fmt.Sprint(test.kind, " ", test.version), func(t *testing.T) {
			leak.Check(t)
			peer := hubtest.FullPeer(test.version, false)
			updated := func(meta string) string {
				return `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"demo:///a"` + meta + `}}`
			}
			peer.OnListen(func(x *mcphubtest.Exchange) {
				x.Raw(updated(""))
				<-x.Context().Done()
			})
			if test.kind == client.TransportStdio {
				peer.On("resources/subscribe", func(x *mcphubtest.Exchange) { x.Reply(`{}`); x.Raw(updated("")) })
			}
			peer.On("subscriptions/listen", func(x *mcphubtest.Exchange) {
				meta := `"_meta":{"io.modelcontextprotocol/subscriptionId":` + string(x.ID) + `}`
				x.Notify("notifications/subscriptions/acknowledged", `{`+meta+`,"notifications":{}}`)
				x.Raw(updated("," + meta))
				<-x.Context().Done()
			})
			i, c := inspectorOfPeer(t, peer.Transport(test.kind), nil)
			rec, err := i.Subscribe(t.Context(), "peer", "demo:///a")
			did(t, rec, err)
			require.Eventually(t, func() bool {
				notes, err := i.Notifications("peer")
				return err == nil && len(notes) > 0 && notes[0].Kind == inspector.NoteResourceUpdated && notes[0].Summary == "demo:///a"
			}, hubtest.Patience, time.Millisecond)
			uris, err := i.Subscriptions("peer")
			require.NoError(t, err)
			assert.Equal(t, []string{"demo:///a"}, uris)
			rec, err = i.Subscribe(t.Context(), "peer", "demo:///a")
			require.NoError(t, err)
			assert.False(t, rec.OK)
			rec, err = i.Unsubscribe(t.Context(), "peer", "demo:///a")
			did(t, rec, err)
			if test.version < "2026" {
				assert.Equal(t, []string{"> resources/unsubscribe", "< response"}, passed(rec))
			}
			rec, err = i.Unsubscribe(t.Context(), "peer", "demo:///a")
			require.NoError(t, err)
			assert.False(t, rec.OK)

			// Stopping the server is not held up.
			rec, err = i.Subscribe(t.Context(), "peer", "demo:///b")
			did(t, rec, err)
			require.NoError(t, c.Stop(t.Context(), "peer"))
			require.Eventually(t, func() bool {
				uris, err := i.Subscriptions("peer")
				notes, err2 := i.Notifications("peer")
				return err == nil && err2 == nil && len(uris) == 0 &&
					slices.ContainsFunc(notes, func(n inspector.ServerNote) bool {
						return n.Kind == inspector.NoteSubscription && n.Summary == "demo:///b"
					})
			}, hubtest.Patience, time.Millisecond)
			rec, err = i.Subscribe(t.Context(), "peer", "demo:///c")
			did(t, rec, err)
			require.NoError(t, i.Close())
			require.NoError(t, c.Close())
		})
	}
}

package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
)

// questions answers a call with a question until it has an answer, in so many
// rounds. state is what it wants back, "" for nothing.
func questions(rounds int, question, state string) mcphubtest.Reaction {
	left := make(chan int, 1)
	left <- rounds
	return func(x *mcphubtest.Exchange) {
		n := <-left
		defer func() { left <- n }()
		if n == 0 {
			x.Reply(`{"resultType":"complete","params":` + string(x.Params) + `}`)
			return
		}
		n--
		out := `{"resultType":"input_required"`
		if question != "" {
			out += `,"inputRequests":` + question
		}
		if state != "" {
			out += `,"requestState":` + state
		}
		x.Reply(out + `}`)
	}
}

const oneQuestion = `{"who":{"method":"elicitation/create","params":{"mode":"form","message":"Who?"}}}`

func TestInputRequired(t *testing.T) {
	leak.Check(t)
	for _, kind := range hubtest.NetworkKinds {
		peer := mcphubtest.NewPeer(nil).On("tools/call", questions(2, oneQuestion, `"s\u0074ate \"1\""`))
		s := hubtest.Connect(t, peer.Transport(kind), nil)
		_, err := s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"x","arguments":{"a":1},"requestState":"forged"}`), &client.CallOptions{Meta: map[string]json.RawMessage{"k": json.RawMessage("1")}})
		var need *client.InputRequired
		require.ErrorAs(t, err, &need)
		assert.Equal(t, "client: tools/call: the server needs answers first: who (elicitation/create)", err.Error())
		assert.Equal(t, map[string]client.InputRequest{"who": {Method: "elicitation/create", Params: json.RawMessage(`{"mode":"form","message":"Who?"}`)}}, need.Requests)
		assert.Equal(t, `state "1"`, need.State)

		for _, bad := range []map[string]json.RawMessage{nil, {"other": json.RawMessage(`{}`)}, {"who": json.RawMessage(`7`)}, {"who": json.RawMessage(`{`)}} {
			_, err = need.Retry(t.Context(), bad)
			require.ErrorContains(t, err, `the question "who" needs a JSON object`)
		}
		_, err = need.Retry(t.Context(), map[string]json.RawMessage{"who": json.RawMessage(`{"action":"decline"}`)})
		require.ErrorAs(t, err, &need, "another question")
		raw, err := need.Retry(t.Context(), map[string]json.RawMessage{"who": json.RawMessage(`{"action":"accept","content":{"n":1}}`), "more": json.RawMessage(`{}`)})
		require.NoError(t, err)
		var got struct {
			Params struct {
				Name           string
				Arguments      json.RawMessage
				InputResponses json.RawMessage
				RequestState   json.RawMessage
				Meta           map[string]json.RawMessage `json:"_meta"`
			}
		}
		require.NoError(t, json.Unmarshal(raw, &got))
		assert.Equal(t, "x", got.Params.Name)
		assert.Equal(t, `{"a":1}`, string(got.Params.Arguments))
		assert.Equal(t, `{"who":{"action":"accept","content":{"n":1}}}`, string(got.Params.InputResponses))
		assert.Equal(t, `"s\u0074ate \"1\""`, string(got.Params.RequestState), "as it was written")
		assert.Equal(t, "1", string(got.Params.Meta["k"]))
		ids := map[string]bool{}
		for _, m := range peer.Seen() {
			if m.Method == "tools/call" {
				ids[string(m.ID)] = true
			}
		}
		assert.Len(t, ids, 3, "each try has an id of its own")
	}
}

func TestInputRounds(t *testing.T) {
	leak.Check(t)
	var asked atomic.Int64
	opts := &client.DialOptions{Capabilities: client.ClientCapabilities{Form: true}, Handler: client.Handler{
		Request: func(ctx context.Context, r client.ServerRequest) (json.RawMessage, error) {
			asked.Add(1)
			if strings.Contains(string(r.Params), "private") {
				return nil, errors.New("private")
			}
			if strings.Contains(string(r.Params), "wait") {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return json.RawMessage(`{"action":"accept"}`), nil
		}}}
	open := func(does mcphubtest.Reaction, o *client.DialOptions) func(ctx context.Context, rounds int) (json.RawMessage, error) {
		s := hubtest.Connect(t, mcphubtest.NewPeer(nil).On("tools/call", does).Transport(client.TransportHTTP), o)
		return func(ctx context.Context, rounds int) (json.RawMessage, error) {
			return s.Call(ctx, "tools/call", json.RawMessage(hubtest.CallX), &client.CallOptions{Rounds: rounds})
		}
	}
	raw, err := open(questions(3, oneQuestion, ""), opts)(t.Context(), 3)
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"inputResponses":{"who":{"action":"accept"}}`)
	assert.NotContains(t, string(raw), "requestState")
	assert.EqualValues(t, 3, asked.Load())
	_, err = open(questions(9, oneQuestion, `"s"`), opts)(t.Context(), 2)
	var need *client.InputRequired
	require.ErrorAs(t, err, &need, "it does not go on for ever")
	_, err = open(questions(1, oneQuestion, ""), &client.DialOptions{Handler: opts.Handler})(t.Context(), 2)
	require.ErrorContains(t, err, `the server's question "who" cannot be answered: this client did not declare`)
	_, err = open(questions(1, strings.Replace(oneQuestion, "Who", "private", 1), ""), opts)(t.Context(), 2)
	require.ErrorContains(t, err, "the client failed to answer")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = open(questions(1, strings.Replace(oneQuestion, "Who", "wait", 1), ""), opts)(ctx, 2)
	hubtest.Classed(t, err, client.ConnTimeout)

	// Before 2026-07-28 such a result means nothing.
	raw, err = open(questions(1, oneQuestion, ""), hubtest.Sessions2025)(t.Context(), 2)
	require.NoError(t, err)
	assert.Contains(t, string(raw), "input_required")
	// And text that looks like it is none.
	raw, err = open(mcphubtest.Reply(`{"text":"input_required","resultType":"complete"}`), opts)(t.Context(), 2)
	require.NoError(t, err)
	assert.Contains(t, string(raw), "input_required")

	synctest.Test(t, func(t *testing.T) { // a server that has too much to do
		s := hubtest.Connect(t, mcphubtest.NewPeer(nil).On("tools/call", questions(2, "", `"later"`)).Transport(client.TransportHTTP), opts)
		began := time.Now()
		raw, err := s.Call(t.Context(), "tools/call", json.RawMessage(hubtest.CallX), &client.CallOptions{Rounds: 2})
		require.NoError(t, err)
		assert.Contains(t, string(raw), `"requestState":"later"`)
		assert.NotContains(t, string(raw), "inputResponses")
		assert.Equal(t, 750*time.Millisecond, time.Since(began))
		s = hubtest.Connect(t, mcphubtest.NewPeer(nil).On("tools/call", questions(2, "", `"later"`)).Transport(client.TransportHTTP), opts)
		_, err = s.Call(t.Context(), "tools/call", json.RawMessage(hubtest.CallX), nil)
		require.EqualError(t, err, "client: tools/call: the server wants to be asked again later")
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err = s.Call(ctx, "tools/call", json.RawMessage(hubtest.CallX), &client.CallOptions{Rounds: 2})
		hubtest.Classed(t, err, client.ConnTimeout)
	})
}

const headerTools = `{"resultType":"complete","tools":[
	{"name":"good","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"deep":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}}}}},
	{"name":"bad","inputSchema":{"type":"object","properties":{"o":{"type":"object","x-mcp-header":"O"}}}},
	{"name":"plain","description":"\u00e9","inputSchema":{"type":"object"}}],"nextCursor":"2"}`

func TestParamHeaders(t *testing.T) {
	leak.Check(t)
	peer := mcphubtest.NewPeer(nil).On("tools/list", mcphubtest.Reply(headerTools)).On("tools/call", mcphubtest.Reply(`{}`))
	tr := peer.Transport(client.TransportHTTP)
	s := hubtest.Connect(t, tr, nil)
	list, err := s.Call(t.Context(), "tools/list", nil, nil)
	require.NoError(t, err)
	assert.NotContains(t, string(list), `"bad"`, "a tool with invalid annotations is not used")
	assert.Contains(t, string(list), `"good"`)
	assert.Contains(t, string(list), `"plain","description":"\u00e9"`)
	assert.Contains(t, string(list), `"nextCursor":"2"`)
	call := func(s client.Session, params string) mcphubtest.Message {
		_, err := s.Call(t.Context(), "tools/call", json.RawMessage(params), nil)
		require.NoError(t, err)
		all := peer.Seen()
		return all[len(all)-1]
	}
	h := call(s, `{"name":"good","arguments":{"region":"zürich","deep":{"n":42}}}`).Header
	assert.Equal(t, "=?base64?esO8cmljaA==?=", h.Get("Mcp-Param-Region"))
	assert.Equal(t, "42", h.Get("Mcp-Param-N"))
	assert.NotContains(t, call(s, `{"name":"good","arguments":{"region":null}}`).Header, "Mcp-Param-Region")
	h = call(hubtest.Connect(t, tr, nil), `{"name":"good","arguments":{"region":"eu"}}`).Header
	assert.Equal(t, "eu", h.Get("Mcp-Param-Region"), "the transport remembers")

	// On other transports and before, nothing is repeated and nothing dropped.
	list, err = hubtest.Connect(t, tr, hubtest.Sessions2025).Call(t.Context(), "tools/list", nil, nil)
	require.NoError(t, err)
	assert.Contains(t, string(list), `"bad"`)
	list, err = hubtest.Connect(t, peer.Transport(client.TransportStdio), nil).Call(t.Context(), "tools/list", nil, nil)
	require.NoError(t, err)
	assert.Contains(t, string(list), `"bad"`)
}

// TestHeadersLearnt: a call that is refused for its headers is repeated once the
// list of tools says which they are.
func TestHeadersLearnt(t *testing.T) {
	leak.Check(t)
	strict := func(x *mcphubtest.Exchange) {
		if x.Header.Get("Mcp-Param-Region") == "" {
			x.Refuse(-32020, "Header mismatch", "")
			return
		}
		x.Reply(`{"ok":true}`)
	}
	peer := mcphubtest.NewPeer(nil).On("tools/call", strict).On("tools/list", mcphubtest.Reply(`{"tools":[],"nextCursor":"a"}`), mcphubtest.Reply(headerTools))
	s := hubtest.Connect(t, peer.Transport(client.TransportHTTP), nil)
	raw, err := s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"good","arguments":{"region":"eu"}}`), nil)
	require.NoError(t, err)
	assert.JSONEq(t, `{"ok":true}`, string(raw))
	_, err = s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"plain"}`), nil)
	var refused *client.RPCError
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, -32020, refused.Code)
	peer.On("tools/list", mcphubtest.EndlessCursor("tools"))
	_, err = s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"plain"}`), nil)
	require.ErrorAs(t, err, &refused, "a list without an end is given up")
	peer.On("tools/list", mcphubtest.Status(500, ""))
	_, err = s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"plain"}`), nil)
	require.ErrorAs(t, err, &refused)
}

func subscription(x *mcphubtest.Exchange, events ...string) {
	meta := `"_meta":{"io.modelcontextprotocol/subscriptionId":` + string(x.ID) + `}`
	x.Notify("notifications/subscriptions/acknowledged", `{"notifications":{"toolsListChanged":true},`+meta+`}`)
	for _, method := range events {
		x.Notify(method, `{`+meta+`}`)
	}
}

// TestSubscribe: since 2026-07-28 listening is a request, which is sent again
// when its stream breaks.
func TestSubscribe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, kind := range hubtest.NetworkKinds {
			var round atomic.Int64
			peer := mcphubtest.NewPeer(nil).On("subscriptions/listen", func(x *mcphubtest.Exchange) {
				switch n := round.Add(1); {
				case n == 1 && kind == client.TransportHTTP:
					subscription(x, "notifications/tools/list_changed")
				case n == 2 && kind == client.TransportHTTP:
					x.Status(503, "")
				default:
					subscription(x, "notifications/tools/list_changed", "notifications/resources/updated")
					if n == 4 {
						<-x.Context().Done()
						return
					}
					x.Reply(`{}`)
				}
			})
			var notes []string
			ready := 0
			s := hubtest.Connect(t, peer.Transport(kind), &client.DialOptions{Handler: client.Handler{Notification: func(_ context.Context, n client.Notification) { notes = append(notes, n.Method) }}})
			require.NoError(t, s.Listen(t.Context(), &client.Subscription{Tools: true, URIs: []string{"a://b"}, Ready: func() { ready++ }}), "the server ends it in good order")
			last := peer.Seen()[len(peer.Seen())-1]
			assert.Contains(t, string(last.Params), `"notifications":{"resourceSubscriptions":["a://b"],"toolsListChanged":true}`)
			want := []string{"notifications/subscriptions/acknowledged", "notifications/tools/list_changed", "notifications/resources/updated"}
			if kind == client.TransportHTTP {
				want = append(want[:2:2], want...)
				assert.Equal(t, 2, ready)
			} else {
				assert.Equal(t, 1, ready)
			}
			assert.Equal(t, want, notes)

			round.Store(3)
			ctx, cancel := context.WithCancel(t.Context())
			err := s.Listen(ctx, &client.Subscription{Ready: cancel})
			require.ErrorIs(t, err, context.Canceled)

			peer.On("subscriptions/listen", mcphubtest.Refuse(-32601, "none"))
			require.ErrorIs(t, s.Listen(t.Context(), nil), errors.ErrUnsupported)
			if kind == client.TransportHTTP {
				peer.On("subscriptions/listen", mcphubtest.Status(500, ""))
				hubtest.Classed(t, s.Listen(t.Context(), nil), client.ConnServer)
				peer.On("subscriptions/listen", mcphubtest.Unauthorized("Bearer"))
				hubtest.Classed(t, s.Listen(t.Context(), nil), client.ConnAuth)
			}
			require.NoError(t, s.Close())
			hubtest.Classed(t, s.Listen(t.Context(), nil), client.ConnClosed)
		}
	})
}

// TestResourceSubscriptions: up to 2025-11-25 they are requests of their own.
func TestResourceSubscriptions(t *testing.T) {
	leak.Check(t)
	unsubscribed := make(chan string, 2)
	peer := mcphubtest.NewPeer(nil).On("resources/subscribe", mcphubtest.Reply(`{}`)).On("resources/unsubscribe", func(x *mcphubtest.Exchange) {
		unsubscribed <- string(x.Params)
		x.Reply(`{}`)
	})
	s := hubtest.Connect(t, peer.Transport(client.TransportStdio), hubtest.Sessions2025)
	ctx, cancel := context.WithCancel(t.Context())
	require.ErrorIs(t, s.Listen(ctx, &client.Subscription{URIs: []string{"a://b"}, Ready: cancel}), context.Canceled)
	assert.Equal(t, `{"uri":"a://b"}`, <-unsubscribed)
	peer.On("resources/subscribe", mcphubtest.Reply(`{}`), mcphubtest.Refuse(-32602, "no such resource"))
	err := s.Listen(t.Context(), &client.Subscription{URIs: []string{"a://c", "a://d"}})
	require.ErrorContains(t, err, "no such resource")
	assert.Equal(t, `{"uri":"a://c"}`, <-unsubscribed)
}

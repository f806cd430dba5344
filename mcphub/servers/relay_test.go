package servers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec"
)

const howMany = `{"message":"How many?","requestedSchema":{"type":"object","properties":{}}}`

// doings is a tools/call reaction that does what the argument says: one step after
// another, each the name of a function here.
func doings(steps map[string]func(x *mcphubtest.Exchange) string) mcphubtest.Reaction {
	return func(x *mcphubtest.Exchange) {
		var in struct{ Arguments struct{ Do string } }
		_ = json.Unmarshal(x.Params, &in) // "" then
		x.Reply(`{"resultType":"complete","content":[],"structuredContent":{"said":` + jsonText(steps[in.Arguments.Do](x)) + `}}`)
	}
}

func jsonText(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// asking1 asks and says what came back.
func asking1(method, params string) func(x *mcphubtest.Exchange) string {
	return func(x *mcphubtest.Exchange) string {
		m, ok := x.Ask(method, params)
		if !ok {
			return "nobody answered"
		}
		return string(m.Result) + string(m.Error)
	}
}

func do(t testing.TB, s client.Session, what string) string {
	t.Helper()
	raw, err := s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"up_ask","arguments":{"do":"`+what+`"}}`), nil)
	require.NoError(t, err)
	var result struct{ StructuredContent struct{ Said string } }
	require.NoError(t, json.Unmarshal(raw, &result), "%s", raw)
	return result.StructuredContent.Said
}

// A session that several users share cannot tell which of their calls a question
// belongs to. It reaches the one whose call it can only be, and otherwise nobody.
func TestQuestionsNeverReachAnotherUser(t *testing.T) {
	release, waits := make(chan struct{}), make(chan struct{}, 10)
	peer := hubtest.AskingPeer(hubtest.Older).On("tools/call", doings(map[string]func(x *mcphubtest.Exchange) string{
		"ask":  asking1("elicitation/create", howMany),
		"wait": func(*mcphubtest.Exchange) string { waits <- struct{}{}; <-release; return "" },
	}))
	h, _ := hubtest.Behind(t, peer.Transport(client.TransportStdio), nil, nil)
	for name, test := range map[string]struct {
		waiting func(ada, bob, ada2 client.Session) []client.Session
		answer  string
	}{
		"alone": {func(client.Session, client.Session, client.Session) []client.Session {
			return nil
		}, `"ada"`},
		"beside another user":         {func(_, bob, _ client.Session) []client.Session { return []client.Session{bob} }, "did not declare"},
		"beside a call of one's own":  {func(ada, _, _ client.Session) []client.Session { return []client.Session{ada, ada} }, `"ada"`},
		"beside another connection":   {func(_, _, ada2 client.Session) []client.Session { return []client.Session{ada2} }, "did not declare"},
		"beside one's own and others": {func(ada, bob, _ client.Session) []client.Session { return []client.Session{ada, bob} }, "did not declare"},
	} {
		t.Run(name, func(t *testing.T) {
			people := map[string]*hubtest.Person{}
			join := func(who, version string) client.Session {
				people[who] = &hubtest.Person{Answers: map[string]string{"elicitation/create": `{"action":"accept","content":{"who":"` + who + `"}}`}}
				s, err := h.InProcess(&mcphub.InProcessOptions{Principal: toolspec.Principal{Subject: strings.TrimSuffix(who, "2")}}).Dial(t.Context(), people[who].Dial(version))
				require.NoError(t, err)
				t.Cleanup(func() { _ = s.Close() })
				return s
			}
			ada, bob, ada2 := join("ada", hubtest.Older), join("bob", hubtest.Newer), join("ada2", hubtest.Older)
			done := make(chan string, 3)
			others := test.waiting(ada, bob, ada2)
			for _, s := range others {
				go func() { done <- do(t, s, "wait") }()
				<-waits
			}
			assert.Contains(t, do(t, ada, "ask"), test.answer)
			for range others {
				release <- struct{}{}
				<-done
			}
			assert.Empty(t, people["bob"].Asked())
			assert.Empty(t, people["ada2"].Asked())
		})
	}
}

// Over HTTP a question comes within the call that it belongs to, whoever else
// calls.
func TestQuestionsWithinACall(t *testing.T) {
	for _, version := range []string{hubtest.Older, hubtest.Newer} {
		release, waits := make(chan struct{}), make(chan struct{}, 10)
		peer := hubtest.AskingPeer(version)
		h, _ := hubtest.Behind(t, peer.Transport(client.TransportHTTP), nil, nil)
		ask := hubtest.Asks(version, "elicitation/create", howMany)[0]
		peer.On("tools/call", func(x *mcphubtest.Exchange) {
			if strings.Contains(string(x.Params), "wait") {
				waits <- struct{}{}
				<-release
			}
			ask(x)
		})
		done := make(chan string, 2)
		for _, who := range []string{"bob", "ada"} {
			p := &hubtest.Person{Answers: map[string]string{"elicitation/create": `{"action":"accept","content":{"who":"` + who + `"}}`}}
			s := hubtest.Front(t, h, "in process", p.Dial(hubtest.Newer))
			params := json.RawMessage(`{"name":"up_ask","arguments":{"who":"` + who + `"}}`)
			if who == "bob" {
				params = json.RawMessage(`{"name":"up_ask","arguments":{"who":"wait"}}`)
			}
			go func() {
				raw, err := s.Call(t.Context(), "tools/call", params, &client.CallOptions{Rounds: 3})
				done <- fmt.Sprint(string(raw), err)
			}()
			if who == "bob" {
				<-waits
			}
		}
		assert.Contains(t, <-done, `"who":"ada"`)
		release <- struct{}{}
		if version == hubtest.Newer { // it is called again with the answer
			<-waits
			release <- struct{}{}
		}
		assert.Contains(t, <-done, `"who":"bob"`)
	}
}

// What the policy does not allow is not declared, and refused when it is asked all
// the same.
func TestRelayPolicy(t *testing.T) {
	sample := `{"messages":[],"maxTokens":10}`
	for name, test := range map[string]struct {
		relay    servers.RelayPolicy
		record   *servers.RelayPolicy
		caps     client.ClientCapabilities // of the client
		declared string
		method   string
		params   string
		want     string
	}{
		"by default forms and pages": {servers.RelayPolicy{}, nil, client.ClientCapabilities{Form: true}, `{"elicitation":{"form":{},"url":{}}}`, "elicitation/create", howMany, `"accept"`},
		"no sampling by default":     {servers.RelayPolicy{}, nil, client.ClientCapabilities{Sampling: true}, `{"elicitation":{"form":{},"url":{}}}`, "sampling/createMessage", sample, "did not declare"},
		"no roots by default":        {servers.RelayPolicy{}, nil, client.ClientCapabilities{Roots: true}, `{"elicitation":{"form":{},"url":{}}}`, "roots/list", `{}`, "did not declare"},
		"nothing":                    {servers.RelayPolicy{NoForms: true, NoURLs: true}, nil, client.ClientCapabilities{Form: true}, `{}`, "elicitation/create", howMany, "did not declare"},
		"the record wins": {servers.RelayPolicy{NoForms: true, NoURLs: true}, &servers.RelayPolicy{NoURLs: true, Roots: true}, client.ClientCapabilities{Form: true},
			`{"elicitation":{"form":{}},"roots":{}}`, "elicitation/create", howMany, `"accept"`},
		"the client cannot: a person": {servers.RelayPolicy{}, nil, client.ClientCapabilities{URL: true}, `{"elicitation":{"form":{},"url":{}}}`, "elicitation/create", howMany, `"decline"`},
		"the client cannot: a model": {servers.RelayPolicy{NoForms: true, NoURLs: true, Sampling: true}, nil, client.ClientCapabilities{Form: true},
			`{"sampling":{}}`, "sampling/createMessage", sample, "cannot answer"},
		"tools": {servers.RelayPolicy{Sampling: true}, nil, client.ClientCapabilities{Sampling: true, SamplingTools: true}, `{"elicitation":{"form":{},"url":{}},"sampling":{}}`,
			"sampling/createMessage", `{"messages":[],"maxTokens":10,"tools":[]}`, "with tools"},
		"no tokens":  {servers.RelayPolicy{Sampling: true}, nil, client.ClientCapabilities{Sampling: true}, `{"elicitation":{"form":{},"url":{}},"sampling":{}}`, "sampling/createMessage", `{"messages":[]}`, "needs maxTokens"},
		"no message": {servers.RelayPolicy{}, nil, client.ClientCapabilities{Form: true}, `{"elicitation":{"form":{},"url":{}}}`, "elicitation/create", `{}`, "needs a message"},
		"in a circle": {servers.RelayPolicy{}, nil, client.ClientCapabilities{Form: true}, `{"elicitation":{"form":{},"url":{}}}`, "elicitation/create",
			`{"message":"x","_meta":{"localpass/origin":{"server":"a","depth":4}}}`, "too many servers"},
	} {
		t.Run(name, func(t *testing.T) {
			peer := hubtest.AskingPeer(hubtest.Older).On("tools/call", doings(map[string]func(x *mcphubtest.Exchange) string{"ask": asking1(test.method, test.params)}))
			h, c := hubtest.Behind(t, peer.Transport(client.TransportHTTP), nil, &servers.Options{Relay: test.relay})
			if test.record != nil {
				r, err := c.Get("up")
				require.NoError(t, err)
				r.Relay = test.record
				_, err = c.Save(t.Context(), r)
				require.NoError(t, err)
				require.NoError(t, c.Connect(t.Context(), "up"))
			}
			who := &hubtest.Person{Answers: map[string]string{"elicitation/create": `{"action":"accept"}`, "sampling/createMessage": `{}`, "roots/list": `{"roots":[]}`}}
			dial := who.Dial(hubtest.Older)
			dial.Capabilities = test.caps
			assert.Contains(t, do(t, hubtest.Front(t, h, "in process", dial), "ask"), test.want)
			var last string
			for _, m := range peer.Seen() {
				if m.Method == "initialize" {
					var params struct{ Capabilities json.RawMessage }
					require.NoError(t, json.Unmarshal(m.Params, &params))
					last = string(params.Capabilities)
				}
			}
			assert.JSONEq(t, test.declared, last)
		})
	}
	_, err := servers.New(nil, nil)
	require.Error(t, err)
	for _, bad := range []servers.RelayPolicy{{MaxTokens: -1}, {SamplingTools: true}} {
		require.Error(t, bad.Validate())
		r := hubtest.FakeRecord("a", "a")
		r.Relay = &bad
		require.ErrorContains(t, r.Validate(), "relay.")
	}
}

// One call has so many questions and completions, and each of these so many
// tokens.
func TestRelayBudget(t *testing.T) {
	peer := hubtest.AskingPeer(hubtest.Older).On("tools/call", func(x *mcphubtest.Exchange) {
		var said []string
		for range 3 {
			said = append(said, asking1("elicitation/create", howMany)(x), asking1("sampling/createMessage", `{"messages":[],"maxTokens":50}`)(x))
		}
		x.Reply(`{"content":[],"structuredContent":{"said":` + jsonText(strings.Join(said, "\n")) + `}}`)
	})
	h, _ := hubtest.Behind(t, peer.Transport(client.TransportHTTP), nil, &servers.Options{Relay: servers.RelayPolicy{Sampling: true, MaxQuestions: 2, MaxSamples: 1, MaxTokens: 7}})
	who := &hubtest.Person{Answers: map[string]string{"elicitation/create": `{"action":"accept"}`, "sampling/createMessage": `{"model":"m"}`}}
	s := hubtest.Front(t, h, "in process", who.Dial(hubtest.Older))
	for range 2 { // the budget is that of a call
		said := do(t, s, "ask")
		assert.Equal(t, 2, strings.Count(said, "accept"), said)
		assert.Equal(t, 1, strings.Count(said, "as many questions"), said)
		assert.Equal(t, 1, strings.Count(said, `"model"`), said)
		assert.Equal(t, 2, strings.Count(said, "-1"), said)
	}
	for _, q := range who.Asked() {
		if q.Method == "sampling/createMessage" {
			assert.Contains(t, string(q.Params), `"maxTokens":7`)
		}
	}
}

// The operator's own handler answers what it declared and the caller does not.
func TestRelayLeavesTheRestToTheHandler(t *testing.T) {
	peer := hubtest.AskingPeer(hubtest.Older).On("tools/call", doings(map[string]func(x *mcphubtest.Exchange) string{
		"roots": asking1("roots/list", `{}`), "ask": asking1("elicitation/create", howMany)}))
	h, _ := hubtest.Behind(t, peer.Transport(client.TransportHTTP), nil, &servers.Options{Dial: client.DialOptions{
		Capabilities: client.ClientCapabilities{Roots: true},
		Handler: client.Handler{Request: func(_ context.Context, q client.ServerRequest) (json.RawMessage, error) {
			return json.RawMessage(`{"by":"the operator","method":"` + q.Method + `"}`), nil
		}}}})
	who := &hubtest.Person{Answers: map[string]string{"elicitation/create": `{"action":"accept"}`}}
	s := hubtest.Front(t, h, "in process", who.Dial(hubtest.Older))
	assert.JSONEq(t, `{"by":"the operator","method":"roots/list"}`, do(t, s, "roots"))
	assert.Contains(t, do(t, s, "ask"), "accept")
	dial := who.Dial(hubtest.Older)
	dial.Capabilities = client.ClientCapabilities{}
	assert.Contains(t, do(t, hubtest.Front(t, h, "in process", dial), "ask"), "did not declare", "it did not declare that")
}

// A refusal of the client is one of the server's question.
func TestRelayPassesRefusalsOn(t *testing.T) {
	peer := hubtest.AskingPeer(hubtest.Older).On("tools/call", doings(map[string]func(x *mcphubtest.Exchange) string{"ask": asking1("sampling/createMessage", `{"messages":[],"maxTokens":1}`)}))
	h, _ := hubtest.Behind(t, peer.Transport(client.TransportStdio), nil, &servers.Options{Relay: servers.RelayPolicy{Sampling: true}})
	who := &hubtest.Person{Answer: func(context.Context, client.ServerRequest) (json.RawMessage, error) {
		return nil, &client.RPCError{Code: -1, Message: "User rejected"}
	}}
	assert.JSONEq(t, `{"code":-1,"message":"User rejected"}`, do(t, hubtest.Front(t, h, "in process", who.Dial(hubtest.Older)), "ask"))
	who.Answer = func(context.Context, client.ServerRequest) (json.RawMessage, error) {
		return nil, errors.New("private")
	}
	assert.NotContains(t, do(t, hubtest.Front(t, h, "in process", who.Dial(hubtest.Older)), "ask"), "private")
}

// While a person thinks, neither the call to the server nor the one to the hub
// runs out of time, and other calls of the server have its places.
func TestRelayTakesNoTime(t *testing.T) {
	for _, versions := range [][2]string{{hubtest.Older, hubtest.Older}, {hubtest.Older, hubtest.Newer}, {hubtest.Newer, hubtest.Older}, {hubtest.Newer, hubtest.Newer}} {
		synctest.Test(t, func(t *testing.T) {
			peer := hubtest.AskingPeer(versions[1])
			h, c := hubtest.Behind(t, peer.Transport(client.TransportStdio), &mcphub.Options{CallTimeout: 10 * time.Second},
				&servers.Options{CallTimeout: 5 * time.Second, MaxCalls: 1})
			peer.On("tools/call", hubtest.Asks(versions[1], "elicitation/create", howMany)...)
			who := &hubtest.Person{Answer: func(context.Context, client.ServerRequest) (json.RawMessage, error) {
				time.Sleep(90 * time.Second)
				_, err := c.Call(t.Context(), "up", "ping", nil, nil)
				return json.RawMessage(`{"action":"accept"}`), err
			}}
			s := hubtest.Front(t, h, "in process", who.Dial(versions[0]))
			assert.Contains(t, hubtest.Structured(t, s, "up_ask"), "accept")
			require.NoError(t, s.Close())
			require.NoError(t, c.Close())
			require.NoError(t, h.Close())
			synctest.Wait()
		})
	}
}

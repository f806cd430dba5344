package servers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

// Progress and log messages of a server reach whoever called, in order and before
// the result, from the level on that the caller wants.
func TestRelayTells(t *testing.T) {
	for _, clientVersion := range []string{hubtest.Older, hubtest.Newer} {
		for _, serverVersion := range []string{hubtest.Older, hubtest.Newer} {
			for _, kind := range []client.TransportKind{client.TransportHTTP, client.TransportStdio} {
				t.Run(fmt.Sprint(clientVersion, serverVersion, kind), func(t *testing.T) {
					peer := hubtest.AskingPeer(serverVersion).On("logging/setLevel", mcphubtest.Reply(`{}`)).On("tools/call", func(x *mcphubtest.Exchange) {
						var in struct {
							Meta map[string]json.RawMessage `json:"_meta"`
						}
						_ = json.Unmarshal(x.Params, &in)
						for i := 1; i <= 3; i++ {
							x.Notify("notifications/progress", fmt.Sprintf(`{"progressToken":%s,"progress":%d,"total":3}`, in.Meta["progressToken"], i))
							x.Notify("notifications/message", fmt.Sprintf(`{"level":"warning","data":{"n":%d}}`, i))
							x.Notify("notifications/message", `{"level":"debug","logger":"own","data":"low"}`)
						}
						x.Reply(`{"resultType":"complete","content":[],"structuredContent":{"level":` + string(orNull(in.Meta["io.modelcontextprotocol/logLevel"])) + `}}`)
					})
					h, _ := hubtest.Behind(t, peer.Transport(kind), nil, nil)
					who := &hubtest.Person{}
					s := hubtest.Front(t, h, "in process", who.Dial(clientVersion))
					var mu sync.Mutex
					var got []string
					call := func(level string) string {
						got = nil
						note := func(format string, args ...any) {
							mu.Lock()
							defer mu.Unlock()
							got = append(got, fmt.Sprintf(format, args...))
						}
						raw, err := s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"up_ask"}`), &client.CallOptions{LogLevel: level,
							Progress: func(p toolspec.Progress) { note("progress %v", p.Done) },
							Log:      func(m toolspec.LogMessage) { note("%s %s %s", m.Level, m.Logger, m.Data) }})
						require.NoError(t, err)
						mu.Lock()
						defer mu.Unlock()
						return string(raw)
					}
					result := call("info")
					assert.Equal(t, []string{"progress 1", `warning up {"n":1}`, "progress 2", `warning up {"n":2}`, "progress 3", `warning up {"n":3}`}, got)
					if serverVersion == hubtest.Newer {
						assert.Contains(t, result, `{"level":"info"}`)
					}
					if clientVersion == hubtest.Older {
						_, err := s.Call(t.Context(), "logging/setLevel", json.RawMessage(`{"level":"debug"}`), nil)
						require.NoError(t, err)
					}
					for range 2 {
						call("debug")
						assert.Len(t, got, 9)
						assert.Contains(t, got, `debug own "low"`)
					}
					set := strings.Count(strings.Join(peer.Methods(), " "), "logging/setLevel")
					if serverVersion == hubtest.Older {
						assert.Equal(t, 1, set, "once for a session")
					} else {
						assert.Zero(t, set)
					}
				})
			}
		}
	}
}

func orNull(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("null")
	}
	return raw
}

// A server that wants a page opened first says so by an error of its era. A client
// of that era learns it as it is, any other is asked.
func TestRelayURLRequired(t *testing.T) {
	required := mcphubtest.Reaction(func(x *mcphubtest.Exchange) {
		x.Refuse(-32042, "open it", `{"elicitations":[{"mode":"url","elicitationId":"7","url":"https://example.com","message":"Log in"}]}`)
	})
	done := mcphubtest.Reply(`{"content":[],"structuredContent":{"ok":true}}`)
	start := func(t *testing.T, opts *servers.Options, reactions ...mcphubtest.Reaction) *mcphub.Hub {
		peer := hubtest.AskingPeer(hubtest.Older).On("tools/call", reactions...)
		h, _ := hubtest.Behind(t, peer.Transport(client.TransportHTTP), nil, opts)
		return h
	}
	call := json.RawMessage(`{"name":"up_ask"}`)
	t.Run("a session", func(t *testing.T) {
		s := hubtest.Front(t, start(t, nil, required), "in process", (&hubtest.Person{}).Dial(hubtest.Older))
		_, err := s.Call(t.Context(), "tools/call", call, nil)
		var refused *client.RPCError
		require.ErrorAs(t, err, &refused)
		assert.Equal(t, -32042, refused.Code)
		assert.JSONEq(t, `{"elicitations":[{"mode":"url","url":"https://example.com","message":"[up] Log in"}]}`, withoutID(t, string(refused.Data)))
	})
	t.Run("asked, and opened", func(t *testing.T) {
		who := &hubtest.Person{Answers: map[string]string{"elicitation/create": `{"action":"accept"}`}}
		s := hubtest.Front(t, start(t, nil, required, required, done), "in process", who.Dial(hubtest.Newer))
		assert.JSONEq(t, `{"ok":true}`, hubtest.Structured(t, s, "up_ask"))
		require.Len(t, who.Asked(), 2)
		assert.JSONEq(t, `{"mode":"url","url":"https://example.com","message":"[up] Log in","_meta":{"localpass/origin":{"server":"up","depth":1}}}`, string(who.Asked()[0].Params))
	})
	for name, test := range map[string]struct {
		opts   *servers.Options
		answer string
		caps   client.ClientCapabilities
		asked  int
	}{
		"never opened":    {nil, `{"action":"accept"}`, client.ClientCapabilities{URL: true}, 3},
		"declined":        {nil, `{"action":"decline"}`, client.ClientCapabilities{URL: true}, 1},
		"cannot be asked": {nil, ``, client.ClientCapabilities{Form: true}, 0},
		"must not be asked": {&servers.Options{Relay: servers.RelayPolicy{NoURLs: true}}, ``,
			client.ClientCapabilities{URL: true}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			who := &hubtest.Person{Answers: map[string]string{"elicitation/create": test.answer}}
			dial := who.Dial(hubtest.Newer)
			dial.Capabilities = test.caps
			raw, err := hubtest.Front(t, start(t, test.opts, required), "in process", dial).Call(t.Context(), "tools/call", call, &client.CallOptions{Rounds: 9})
			require.NoError(t, err)
			assert.Contains(t, string(raw), `"reason":"input-required"`)
			assert.Len(t, who.Asked(), test.asked)
		})
	}
}

// A client that cancels its call cancels that of the server, and one that the
// server takes its question back from is told.
func TestRelayCancels(t *testing.T) {
	for _, version := range []string{hubtest.Older, hubtest.Newer} {
		began, ended := make(chan struct{}, 1), make(chan struct{}, 1)
		peer := hubtest.AskingPeer(hubtest.Older).On("tools/call", func(x *mcphubtest.Exchange) { began <- struct{}{}; <-x.Context().Done() }).
			On("notifications/cancelled", func(*mcphubtest.Exchange) { ended <- struct{}{} })
		h, c := hubtest.Behind(t, peer.Transport(client.TransportStdio), nil, nil)
		s := hubtest.Front(t, h, "http", (&hubtest.Person{}).Dial(version))
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-began; cancel() }()
		_, err := s.Call(ctx, "tools/call", json.RawMessage(`{"name":"up_ask"}`), nil)
		require.ErrorIs(t, err, context.Canceled)
		<-ended
		require.NoError(t, c.Close()) // a peer ends its calls with its connection
	}
	asked, over := make(chan struct{}, 1), make(chan error, 1)
	peer := hubtest.AskingPeer(hubtest.Older).On("tools/call", func(x *mcphubtest.Exchange) {
		x.Raw(`{"jsonrpc":"2.0","id":"mine","method":"elicitation/create","params":` + howMany + `}`)
		<-asked
		x.Notify("notifications/cancelled", `{"requestId":"mine"}`)
		x.Reply(`{"content":[],"structuredContent":{}}`)
	})
	h, _ := hubtest.Behind(t, peer.Transport(client.TransportStdio), nil, nil)
	who := &hubtest.Person{Answer: func(ctx context.Context, _ client.ServerRequest) (json.RawMessage, error) {
		asked <- struct{}{}
		<-ctx.Done()
		over <- ctx.Err()
		return nil, ctx.Err()
	}}
	assert.Equal(t, `{}`, hubtest.Structured(t, hubtest.Front(t, h, "in process", who.Dial(hubtest.Older)), "up_ask"))
	require.ErrorIs(t, <-over, context.Canceled)
}

// peerOf is a caller in process.
type peerOf struct {
	toolspec.Peer
	sampled *toolspec.SampleRequest
}

func (p *peerOf) Elicit(_ context.Context, req *toolspec.ElicitRequest) (*toolspec.ElicitResult, error) {
	return &toolspec.ElicitResult{Action: toolspec.ElicitAccept, Content: json.RawMessage(`{"message":` + jsonText(req.Message) + `,"url":` + jsonText(req.URL) + `}`)}, nil
}

func (p *peerOf) Sample(_ context.Context, req *toolspec.SampleRequest) (*toolspec.SampleResult, error) {
	p.sampled = req
	return &toolspec.SampleResult{SampleMessage: toolspec.SampleMessage{Role: "assistant", Content: toolspec.Text("Yo")}, Model: "m", StopReason: "endTurn"}, nil
}

func (p *peerOf) Roots(context.Context) ([]toolspec.Root, error) {
	return []toolspec.Root{{URI: "file:///a", Name: "A"}, {URI: "file:///b"}}, nil
}

// A program that calls a remote tool in process answers by its own Peer.
func TestRelayInProcess(t *testing.T) {
	for name, test := range map[string]struct{ method, params, want string }{
		"form":     {"elicitation/create", howMany, `{"action":"accept","content":{"message":"[srv] How many?","url":""}}`},
		"url":      {"elicitation/create", `{"mode":"url","url":"https://example.com","message":"Open"}`, `{"action":"accept","content":{"message":"[srv] Open","url":"https://example.com"}}`},
		"sampling": {"sampling/createMessage", `{"messages":[{"role":"user","content":{"type":"text","text":"Hi"}}],"systemPrompt":"s","maxTokens":5,"temperature":0.5,"stopSequences":["x"]}`, `{"role":"assistant","content":{"type":"text","text":"Yo"},"model":"m","stopReason":"endTurn"}`},
		"bad":      {"sampling/createMessage", `{"messages":[{"role":"user","content":{"type":"tool_use"}}],"maxTokens":5}`, `{"code":-32602,"message":"the sampling request holds content of an unknown kind"}`},
		"worse":    {"sampling/createMessage", `{"messages":7,"maxTokens":5}`, `{"code":-32602,"message":"the sampling request is malformed"}`},
		"tools":    {"sampling/createMessage", `{"messages":[],"maxTokens":5,"tools":[]}`, `{"code":-32601,"message":"the client cannot answer this"}`},
		"roots":    {"roots/list", `{}`, `{"roots":[{"uri":"file:///a","name":"A"},{"uri":"file:///b"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			peer := hubtest.AskingPeer(hubtest.Older).On("tools/call", doings(map[string]func(x *mcphubtest.Exchange) string{"": asking1(test.method, test.params)}))
			s, err := peer.Transport(client.TransportHTTP).Dial(t.Context(), &client.DialOptions{
				Capabilities: client.ClientCapabilities{Form: true, URL: true, Sampling: true, SamplingTools: true, Roots: true}})
			require.NoError(t, err)
			defer s.Close()
			tool := servers.NewRemoteTool(s, &servers.OfferedTool{Name: "ask"}, &servers.RemoteToolOptions{Server: "srv",
				Relay: &servers.RelayPolicy{Sampling: true, SamplingTools: true, Roots: true}, Timeout: time.Minute})
			own := &peerOf{Peer: toolspec.NoPeer}
			for _, talk := range []string{"", "a conversation"} {
				result, err := tool.Call(t.Context(), &toolspec.Call{Peer: own, Conversation: talk})
				require.NoError(t, err)
				var said struct{ Said string }
				require.NoError(t, json.Unmarshal(result.Structured, &said))
				assert.JSONEq(t, test.want, said.Said)
			}
			if name == "sampling" {
				warm := 0.5
				assert.Equal(t, &toolspec.SampleRequest{System: "s", MaxTokens: 5, Temperature: &warm, Stop: []string{"x"},
					Messages: []toolspec.SampleMessage{{Role: "user", Content: toolspec.Text("Hi")}}}, own.sampled)
			}
			// Nobody to ask: the person is not there, and the rest is an error.
			result, err := tool.Call(t.Context(), &toolspec.Call{Peer: toolspec.NoPeer})
			require.NoError(t, err)
			if test.method == "elicitation/create" {
				assert.Contains(t, string(result.Structured), "decline")
			} else {
				assert.Contains(t, string(result.Structured), "-32")
			}
		})
	}
}

// A caller that is slow to take what it is told holds up nobody else, and still
// has all of it, in order, before the result.
func TestRelayToASlowCaller(t *testing.T) {
	slow, sent := make(chan struct{}), make(chan struct{})
	peer := hubtest.AskingPeer(hubtest.Older).On("tools/call", doings(map[string]func(x *mcphubtest.Exchange) string{
		"tell": func(x *mcphubtest.Exchange) string {
			for i := range 5 {
				x.Notify("notifications/message", fmt.Sprintf(`{"level":"error","data":%d}`, i))
			}
			_, _ = x.Ask("ping", `{}`) // answered in order: by then all five are heard
			close(sent)
			return "told"
		}, "quick": func(*mcphubtest.Exchange) string { return "quick" }}))
	h, _ := hubtest.Behind(t, peer.Transport(client.TransportStdio), nil, nil)
	tools, err := h.Tools(t.Context())
	require.NoError(t, err)
	told := &slowPeer{peerOf: peerOf{Peer: toolspec.NoPeer}, gate: slow}
	done := make(chan *toolspec.Result, 1)
	go func() {
		r, _ := tools[0].Call(t.Context(), &toolspec.Call{Peer: told, Arguments: json.RawMessage(`{"do":"tell"}`)})
		done <- r
	}()
	told.gate <- struct{}{} // the first of five
	<-sent
	r, err := tools[0].Call(t.Context(), &toolspec.Call{Arguments: json.RawMessage(`{"do":"quick"}`)})
	require.NoError(t, err)
	assert.Contains(t, string(r.Structured), "quick")
	close(slow)
	require.False(t, (<-done).IsError)
	assert.Equal(t, []string{"0", "1", "2", "3", "4"}, told.log)
}

type slowPeer struct {
	peerOf
	gate chan struct{}
	log  []string
}

func (p *slowPeer) Log(_ context.Context, m toolspec.LogMessage) error {
	<-p.gate
	p.log = append(p.log, string(m.Data))
	return errors.ErrUnsupported
}

// withoutID takes the id out of a page, which the hub makes up.
func withoutID(t testing.TB, text string) string {
	t.Helper()
	out := regexp.MustCompile(`,"elicitationId":"[0-9a-f]{32}"`).ReplaceAllString(text, "")
	require.NotEqual(t, text, out)
	return out
}

// A client is told when the page is done that it was asked to open, by the id that
// it knows; also after the call where its connection is a pipe.
func TestRelayPagesDone(t *testing.T) {
	late := make(chan *mcphubtest.Exchange, 1)
	peer := hubtest.AskingPeer(hubtest.Older).On("tools/call", func(x *mcphubtest.Exchange) {
		for _, id := range []string{"one", "two"} {
			x.Ask("elicitation/create", `{"mode":"url","elicitationId":"`+id+`","url":"https://example.com/`+id+`","message":"Open"}`)
		}
		for _, id := range []string{"one", "three", "one"} {
			x.Notify("notifications/elicitation/complete", `{"elicitationId":"`+id+`"}`)
		}
		x.Reply(`{"content":[],"structuredContent":{}}`)
		late <- x
	})
	h, _ := hubtest.Behind(t, peer.Transport(client.TransportStdio), nil, nil)
	told := make(chan string, 10)
	var ids []string
	who := &hubtest.Person{Answer: func(_ context.Context, q client.ServerRequest) (json.RawMessage, error) {
		var params struct{ ElicitationID string }
		_ = json.Unmarshal(q.Params, &params)
		ids = append(ids, params.ElicitationID)
		return json.RawMessage(`{"action":"accept"}`), nil
	}}
	dial := who.Dial(hubtest.Older)
	dial.Handler.Notification = func(_ context.Context, n client.Notification) { told <- string(n.Params) }
	hubtest.Structured(t, hubtest.Front(t, h, "stdio", dial), "up_ask")
	require.Len(t, ids, 2)
	require.Len(t, told, 1, "once, before the result, and of nothing else")
	assert.JSONEq(t, `{"elicitationId":"`+ids[0]+`"}`, <-told)
	x := <-late
	x.Notify("notifications/elicitation/complete", `{"elicitationId":"two"}`)
	assert.JSONEq(t, `{"elicitationId":"`+ids[1]+`"}`, <-told)
}

// What is secret about the connection does not reach the client, though the server
// repeats it.
func TestRelayMasks(t *testing.T) {
	peer := hubtest.AskingPeer(hubtest.Older).On("tools/call", hubtest.Asks(hubtest.Older, "elicitation/create", `{"message":"Is s3cret-token yours?","requestedSchema":{}}`)...)
	here, there := net.Pipe()
	served := make(chan struct{})
	go func() { defer close(served); peer.ServeStream(there) }()
	mask := secret.NewRedactor("s3cret-token")
	s, err := client.Connect(t.Context(), client.StreamConn(here, 0), client.Endpoint{}, &client.DialOptions{Capabilities: client.ClientCapabilities{Form: true}},
		&client.ConnectOptions{Redactor: mask})
	require.NoError(t, err)
	result, err := servers.NewRemoteTool(s, &servers.OfferedTool{Name: "ask"}, nil).Call(t.Context(), &toolspec.Call{Peer: &peerOf{Peer: toolspec.NoPeer}})
	require.NoError(t, err)
	assert.Contains(t, string(result.Structured), "Is *** yours?")
	require.NoError(t, s.Close())
	<-served
}

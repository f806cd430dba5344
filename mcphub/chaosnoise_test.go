package mcphub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
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
	"github.com/localpass/localpass/mcphub/servers"
)

// storm is how many messages nobody asked for come with an answer: as many
// goroutines would be noticed. notices is how many changes a server tells of.
const storm, notices = 2_000, 10_000

// TestChaosNoise meets servers that send, before and after the right answer, what
// belongs to nothing: the answer counts, once, and the session is as good after.
func TestChaosNoise(t *testing.T) {
	answer := func(x *mcphubtest.Exchange) string {
		return `{"jsonrpc":"2.0","id":` + string(x.ID) + `,"result":{"content":[{"type":"text","text":"right"}]}}`
	}
	marker := func(x *mcphubtest.Exchange) { x.Notify("notifications/message", `{"level":"info","data":"over"}`) }
	for name, react := range map[string]mcphubtest.Reaction{
		"unknown ids": func(x *mcphubtest.Exchange) {
			for i := range 1_000 {
				x.Raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, 1_000+i))
			}
			for _, id := range []string{"-1", "0", "1.5", `"2"`, `""`, "99999999999999999999", `"` + strings.Repeat("a", 10_000) + `"`} {
				x.Raw(`{"jsonrpc":"2.0","id":` + id + `,"result":{}}`)
			}
			marker(x)
			x.Raw(answer(x))
		},
		"twice": func(x *mcphubtest.Exchange) {
			marker(x)
			x.Raw(answer(x))
			x.Raw(strings.Replace(answer(x), "right", "wrong", 1))
			x.Raw(`{"jsonrpc":"2.0","id":` + string(x.ID) + `,"error":{"code":-1,"message":"wrong"}}`)
		},
		"notifications": func(x *mcphubtest.Exchange) {
			for i := range storm {
				x.Notify("notifications/message", fmt.Sprintf(`{"level":"info","data":%d}`, i))
			}
			marker(x)
			x.Raw(answer(x))
		},
		"progress of nothing": func(x *mcphubtest.Exchange) {
			for i := range 1_000 {
				x.Notify("notifications/progress", fmt.Sprintf(`{"progressToken":%d,"progress":1}`, i+100))
			}
			marker(x)
			x.Raw(answer(x))
		},
		"cancels of nothing": func(x *mcphubtest.Exchange) {
			for i := range 1_000 {
				x.Notify("notifications/cancelled", fmt.Sprintf(`{"requestId":%d}`, i))
			}
			marker(x)
			x.Raw(answer(x))
		},
		"pings":           askingOn("ping", `{}`, marker, answer),
		"what is unknown": askingOn("no/such", `{}`, marker, answer),
		"questions":       askingOn("elicitation/create", `{"message":"?","requestedSchema":{"type":"object","properties":{}}}`, marker, answer),
		"undeclared":      askingOn("sampling/createMessage", `{"messages":[],"maxTokens":1}`, marker, answer),
	} {
		for _, kind := range []client.TransportKind{client.TransportHTTP, client.TransportStdio} {
			for _, version := range []string{"2025-11-25", "2026-07-28"} {
				t.Run(fmt.Sprint(name, " ", kind, " ", version), func(t *testing.T) {
					leak.Check(t)
					var told, most atomic.Int64
					var measured atomic.Bool
					peer := mcphubtest.NewPeer(nil).On("tools/call", react)
					before := runtime.NumGoroutine()
					s := hubtest.Connect(t, peer.Transport(kind), &client.DialOptions{Versions: []string{version}, Capabilities: client.ClientCapabilities{Form: true},
						Handler: client.Handler{
							Notification: func(_ context.Context, n client.Notification) {
								told.Add(1)
								if strings.Contains(string(n.Params), `"over"`) {
									most.Store(int64(runtime.NumGoroutine() - before))
									measured.Store(true)
								}
							},
							Request: func(ctx context.Context, _ client.ServerRequest) (json.RawMessage, error) {
								<-ctx.Done() // a person takes their time
								return nil, ctx.Err()
							}}})
					for range 2 {
						raw, err := hubtest.CallTool(s)
						require.NoError(t, err)
						assert.Contains(t, string(raw), "right")
					}
					if name == "notifications" {
						assert.EqualValues(t, 2*(storm+1), told.Load())
					}
					assert.True(t, measured.Load(), "the goroutines were counted in the storm")
					// Each answer on its way may have some in the peer, too.
					assert.Less(t, most.Load(), int64(800), "a server does not decide how many goroutines this side has")
					require.NoError(t, s.Err())
					require.NoError(t, client.Ping(t.Context(), s))
				})
			}
		}
	}
}

// askingOn sends a storm of requests of the server.
func askingOn(method, params string, marker func(*mcphubtest.Exchange), answer func(*mcphubtest.Exchange) string) mcphubtest.Reaction {
	return func(x *mcphubtest.Exchange) {
		for i := range storm {
			x.Raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":"q%d","method":%q,"params":%s}`, i, method, params))
		}
		marker(x)
		x.Raw(answer(x))
	}
}

// TestChaosListChanged: however often a server says that its list changed, it is
// asked once in two seconds at most, and what it says last counts.
func TestChaosListChanged(t *testing.T) {
	const changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var sent atomic.Int64
				stormy := func(x *mcphubtest.Exchange) {
					if x.ID != nil { // since 2026-07-28 it is a request, and its notifications say so
						x.Raw(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":` + string(x.ID) + `}}}`)
					}
					x.Stream()
					for sent.Load() < notices {
						if x.ID != nil {
							x.Raw(strings.Replace(changed, `list_changed"`, `list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":`+string(x.ID)+`}}`, 1))
						} else {
							x.Raw(changed)
						}
						if sent.Add(1)%10 == 0 {
							time.Sleep(10 * time.Millisecond) // ten seconds in all
						}
					}
					<-x.Context().Done()
				}
				lists := func(peer *mcphubtest.Peer) (n int) {
					for _, m := range peer.Methods() {
						if m == "tools/list" {
							n++
						}
					}
					return n
				}
				peer := mcphubtest.NewPeer(nil).On("subscriptions/listen", stormy).On("tools/list", func(x *mcphubtest.Exchange) {
					x.Reply(hubtest.ToolList("", hubtest.Describe(fmt.Sprint("after", sent.Load()), "")))
				})
				peer.OnListen(stormy)
				c := hubtest.Connections(t, hubtest.Fakes{"one": peer.Transport(client.TransportHTTP)}, &servers.Options{Dial: client.DialOptions{Versions: []string{version}}})
				require.NoError(t, c.Connect(t.Context(), "one"))
				time.Sleep(10*time.Second - time.Millisecond)
				synctest.Wait()
				asked := lists(peer)
				assert.GreaterOrEqual(t, asked, 4)
				assert.LessOrEqual(t, asked, 7, "the first, and one in two seconds")
				time.Sleep(3 * time.Second)
				synctest.Wait()
				assert.EqualValues(t, notices, sent.Load())
				assert.Equal(t, []string{fmt.Sprint("after", notices)}, hubtest.ToolsOf(c.Snapshot("one")))
				assert.LessOrEqual(t, lists(peer), 8)
				require.NoError(t, c.Close())
			})
		})
	}
}

package mcphub_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/mcphubtest"
)

// TestHTTPResume: a stream that breaks is taken up where it was left, after the
// time that the server names.
func TestHTTPResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		peer := mcphubtest.NewPeer(nil).On("tools/call", mcphubtest.Broken("id: one\nretry: 2000\ndata:\n\n",
			"id: two\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}\n\n"))
		var gets []string
		var at []time.Time
		peer.OnListen(func(x *mcphubtest.Exchange) {
			gets, at = append(gets, x.Header.Get("Last-Event-ID")), append(at, time.Now())
			switch len(gets) {
			case 1:
				x.Status(503, "")
			case 2:
				mcphubtest.Broken("id: three\ndata:\n\n")(x)
			default:
				x.Raw(`{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)
			}
		})
		var notes []string
		opts := &mcphub.DialOptions{Versions: old.Versions, Handler: mcphub.Handler{Notification: func(_ context.Context, n mcphub.Notification) { notes = append(notes, n.Method) }}}
		s := connect(t, peer.Transport(mcphub.TransportHTTP), opts)
		began := time.Now()
		raw, err := callTool(s)
		require.NoError(t, err)
		assert.JSONEq(t, `{"content":[]}`, string(raw))
		assert.Equal(t, []string{"two", "two", "three"}, gets)
		assert.Equal(t, []time.Duration{2 * time.Second, 6 * time.Second, 8 * time.Second},
			[]time.Duration{at[0].Sub(began), at[1].Sub(began), at[2].Sub(began)})
		assert.Equal(t, []string{"notifications/message"}, notes)

		// It is given up when the server does not come back, or knows nothing of it.
		peer.OnListen(mcphubtest.Status(500, ""))
		_, err = callTool(s)
		classed(t, err, mcphub.ConnServer)
		peer.OnListen(mcphubtest.Status(405, ""))
		_, err = callTool(s)
		assert.Equal(t, 405, classed(t, err, mcphub.ConnServer).Status)
		peer.OnListen(mcphubtest.Status(200, "{}", "Content-Type", "application/json"))
		_, err = callTool(s)
		classed(t, err, mcphub.ConnProtocol)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = s.Call(ctx, "tools/call", json.RawMessage(callX), nil)
		classed(t, err, mcphub.ConnTimeout)

		// Since 2026-07-28 nothing is resumed.
		modern := connect(t, peer.Transport(mcphub.TransportHTTP), nil)
		before := len(gets)
		_, err = callTool(modern)
		classed(t, err, mcphub.ConnTransport)
		assert.Len(t, gets, before)
	})
}

// TestHTTPListen: the listening stream of a session is kept open.
func TestHTTPListen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		peer := mcphubtest.NewPeer(nil)
		opens := 0
		changed := `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
		peer.OnListen(func(x *mcphubtest.Exchange) {
			switch opens++; opens {
			case 1:
				mcphubtest.Broken("id: 7\nretry: 100\ndata: " + changed + "\n\n")(x)
			case 2:
				assert.Equal(t, "7", x.Header.Get("Last-Event-ID"))
				x.Status(400, "no such event")
			case 3:
				assert.Empty(t, x.Header.Get("Last-Event-ID"))
				x.Status(503, "", "Retry-After", "20")
			default:
				mcphubtest.HalfOpen("data: " + changed + "\n\n")(x)
			}
		})
		told, ready := make(chan string, 10), make(chan time.Time, 10)
		s := connect(t, peer.Transport(mcphub.TransportHTTP), &mcphub.DialOptions{Versions: old.Versions,
			Handler: mcphub.Handler{Notification: func(_ context.Context, n mcphub.Notification) { told <- n.Method }}})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Listen(ctx, &mcphub.Subscription{Ready: func() { ready <- time.Now() }}) }()
		assert.Equal(t, "notifications/tools/list_changed", <-told)
		assert.Equal(t, "notifications/tools/list_changed", <-told)
		first, second := <-ready, <-ready
		assert.GreaterOrEqual(t, second.Sub(first), 20*time.Second)
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)

		peer.OnListen(nil)
		require.ErrorIs(t, s.Listen(t.Context(), nil), errors.ErrUnsupported)
		peer.OnListen(mcphubtest.Status(500, ""))
		classed(t, s.Listen(t.Context(), nil), mcphub.ConnServer)
		peer.OnListen(mcphubtest.HalfOpen())
		go func() {
			done <- s.Listen(context.Background(), &mcphub.Subscription{Ready: func() { ready <- time.Now() }})
		}()
		<-ready
		require.NoError(t, s.Close())
		require.ErrorIs(t, <-done, mcphub.ErrSessionClosed)
	})
}

// TestHTTPCancel: up to 2025-11-25 the server is told, since then the end of the
// connection says it.
func TestHTTPCancel(t *testing.T) {
	leak.Check(t)
	for _, opts := range []*mcphub.DialOptions{old, nil} {
		began, ended := make(chan struct{}, 1), make(chan struct{}, 1)
		cancelled := make(chan string, 1)
		peer := mcphubtest.NewPeer(nil).On("tools/call", func(x *mcphubtest.Exchange) {
			x.Stream()
			began <- struct{}{}
			<-x.Context().Done()
			ended <- struct{}{}
		}).On("notifications/cancelled", func(x *mcphubtest.Exchange) {
			cancelled <- string(x.Params)
			x.Status(202, "")
		})
		s := connect(t, peer.Transport(mcphub.TransportHTTP), opts)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := s.Call(ctx, "tools/call", json.RawMessage(callX), nil)
			done <- err
		}()
		<-began
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
		<-ended
		if opts == old {
			assert.Contains(t, <-cancelled, `"requestId":2`)
		}
		require.NoError(t, s.Close())
		if opts == nil {
			assert.NotContains(t, peer.Methods(), "notifications/cancelled")
		}
	}
}

// TestHTTPProxy: the transport's own connections use the proxy that is chosen,
// and no other.
func TestHTTPProxy(t *testing.T) {
	leak.Check(t)
	peer := mcphubtest.NewPeer(nil)
	var asked sync.Map
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Store(r.URL.String(), true)
		peer.ServeHTTP(w, r)
	}))
	defer proxy.Close()
	address, err := url.Parse(proxy.URL)
	require.NoError(t, err)
	tr, err := mcphub.NewHTTP(mcphub.HTTPConfig{URL: "http://peer.example/mcp"}, &mcphub.HTTPOptions{Proxy: http.ProxyURL(address)})
	require.NoError(t, err)
	s := connect(t, tr, nil)
	require.NoError(t, mcphub.Ping(t.Context(), s))
	_, ok := asked.Load("http://peer.example/mcp")
	assert.True(t, ok)
}

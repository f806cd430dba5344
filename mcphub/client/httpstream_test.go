package client_test

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
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
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
		opts := &client.DialOptions{Versions: hubtest.Sessions2025.Versions, Handler: client.Handler{Notification: func(_ context.Context, n client.Notification) { notes = append(notes, n.Method) }}}
		s := hubtest.Connect(t, peer.Transport(client.TransportHTTP), opts)
		began := time.Now()
		raw, err := hubtest.CallTool(s)
		require.NoError(t, err)
		assert.JSONEq(t, `{"content":[]}`, string(raw))
		assert.Equal(t, []string{"two", "two", "three"}, gets)
		assert.Equal(t, []time.Duration{2 * time.Second, 6 * time.Second, 8 * time.Second},
			[]time.Duration{at[0].Sub(began), at[1].Sub(began), at[2].Sub(began)})
		assert.Equal(t, []string{"notifications/message"}, notes)

		// It is given up when the server does not come back, or knows nothing of it.
		peer.OnListen(mcphubtest.Status(500, ""))
		_, err = hubtest.CallTool(s)
		hubtest.Classed(t, err, client.ConnServer)
		peer.OnListen(mcphubtest.Status(405, ""))
		_, err = hubtest.CallTool(s)
		assert.Equal(t, 405, hubtest.Classed(t, err, client.ConnServer).Status)
		peer.OnListen(mcphubtest.Status(200, "{}", "Content-Type", "application/json"))
		_, err = hubtest.CallTool(s)
		hubtest.Classed(t, err, client.ConnProtocol)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = s.Call(ctx, "tools/call", json.RawMessage(hubtest.CallX), nil)
		hubtest.Classed(t, err, client.ConnTimeout)

		// Since 2026-07-28 nothing is resumed.
		modern := hubtest.Connect(t, peer.Transport(client.TransportHTTP), nil)
		before := len(gets)
		_, err = hubtest.CallTool(modern)
		hubtest.Classed(t, err, client.ConnTransport)
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
		s := hubtest.Connect(t, peer.Transport(client.TransportHTTP), &client.DialOptions{Versions: hubtest.Sessions2025.Versions,
			Handler: client.Handler{Notification: func(_ context.Context, n client.Notification) { told <- n.Method }}})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Listen(ctx, &client.Subscription{Ready: func() { ready <- time.Now() }}) }()
		assert.Equal(t, "notifications/tools/list_changed", <-told)
		assert.Equal(t, "notifications/tools/list_changed", <-told)
		first, second := <-ready, <-ready
		assert.GreaterOrEqual(t, second.Sub(first), 20*time.Second)
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)

		peer.OnListen(nil)
		require.ErrorIs(t, s.Listen(t.Context(), nil), errors.ErrUnsupported)
		peer.OnListen(mcphubtest.Status(500, ""))
		hubtest.Classed(t, s.Listen(t.Context(), nil), client.ConnServer)
		peer.OnListen(mcphubtest.HalfOpen())
		go func() {
			done <- s.Listen(context.Background(), &client.Subscription{Ready: func() { ready <- time.Now() }})
		}()
		<-ready
		require.NoError(t, s.Close())
		require.ErrorIs(t, <-done, client.ErrSessionClosed)
	})
}

// TestHTTPCancel: up to 2025-11-25 the server is told, since then the end of the
// connection says it.
func TestHTTPCancel(t *testing.T) {
	leak.Check(t)
	for _, opts := range []*client.DialOptions{hubtest.Sessions2025, nil} {
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
		s := hubtest.Connect(t, peer.Transport(client.TransportHTTP), opts)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := s.Call(ctx, "tools/call", json.RawMessage(hubtest.CallX), nil)
			done <- err
		}()
		<-began
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
		<-ended
		if opts == hubtest.Sessions2025 {
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
	tr, err := client.NewHTTP(client.HTTPConfig{URL: "http://peer.example/mcp"}, &client.HTTPOptions{Proxy: http.ProxyURL(address)})
	require.NoError(t, err)
	s := hubtest.Connect(t, tr, nil)
	require.NoError(t, client.Ping(t.Context(), s))
	_, ok := asked.Load("http://peer.example/mcp")
	assert.True(t, ok)
}

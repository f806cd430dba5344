package mcphubtest_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/mcphubtest"
)

// before is a transport whose clients predate 2026-07-28.
type before struct{ client.Transport }

func (b before) Dial(ctx context.Context, opts *client.DialOptions) (client.Session, error) {
	var o client.DialOptions
	if opts != nil {
		o = *opts
	}
	if o.Versions == nil {
		o.Versions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
	}
	return b.Transport.Dial(ctx, &o)
}

// testBoth runs the suite with clients of both eras.
func testBoth(t *testing.T, open func() client.Transport) {
	t.Run("new", func(t *testing.T) { mcphubtest.TestTransport(t, open) })
	t.Run("old", func(t *testing.T) {
		mcphubtest.TestTransport(t, func() client.Transport { return before{open()} })
	})
}

func TestHTTPTransport(t *testing.T) {
	server := httptest.NewServer(mcphubtest.NewHub(t).Handler())
	t.Cleanup(server.Close)
	testBoth(t, func() client.Transport {
		tr, err := client.NewHTTP(client.HTTPConfig{URL: server.URL, Path: mcphub.Path}, nil)
		require.NoError(t, err)
		return tr
	})
}

func TestInProcessTransport(t *testing.T) {
	hub := mcphubtest.NewHub(t)
	testBoth(t, func() client.Transport { return hub.InProcess(nil) })
}

// streams leads to a hub over a pipe: a transport of one's own.
type streams struct{ hub *mcphub.Hub }

func (s streams) Describe() client.Endpoint {
	return client.Endpoint{Kind: "pipe", Address: "hub", Auth: client.AuthInProcess}
}

func (s streams) Dial(ctx context.Context, opts *client.DialOptions) (client.Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	here, there := net.Pipe()
	served := make(chan error, 1)
	go func() { served <- s.hub.ServeStdio(context.Background(), there, there) }()
	return client.Connect(ctx, client.StreamConn(pipe{here, there, served}, 0), s.Describe(), opts, nil)
}

// pipe waits for the other side when it is closed.
type pipe struct {
	net.Conn
	there  io.Closer
	served chan error
}

func (p pipe) Close() error {
	err := p.Conn.Close()
	<-p.served
	_ = p.there.Close()
	return err
}

func TestCustomTransport(t *testing.T) {
	hub := mcphubtest.NewHub(t)
	testBoth(t, func() client.Transport { return streams{hub} })
}

// overSSE serves a hub over HTTP with SSE, which it does not do by itself: each
// stream is a client on a pipe.
type overSSE struct {
	hub *mcphub.Hub

	mu      sync.Mutex
	clients map[string]io.Writer
}

func (h *overSSE) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		h.mu.Lock()
		client := h.clients[r.URL.Query().Get("client")]
		h.mu.Unlock()
		if client == nil {
			http.NotFound(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		if _, err := client.Write(append(body, '\n')); err != nil {
			http.NotFound(w, r)
			return
		}
		w.WriteHeader(http.StatusAccepted)
		return
	}
	in, write := io.Pipe()
	read, out := io.Pipe()
	h.mu.Lock()
	name := fmt.Sprint(len(h.clients))
	h.clients[name] = write
	h.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = h.hub.ServeStdio(r.Context(), in, out)
		_ = out.Close()
		_ = in.Close()
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "event: endpoint\ndata: /messages?client=%s\n\n", name)
	w.(http.Flusher).Flush()
	lines := bufio.NewScanner(read)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		fmt.Fprintf(w, "data: %s\n\n", lines.Bytes())
		w.(http.Flusher).Flush()
	}
	<-done
}

func TestSSETransport(t *testing.T) {
	server := httptest.NewServer(&overSSE{hub: mcphubtest.NewHub(t), clients: map[string]io.Writer{}})
	t.Cleanup(server.Close)
	mcphubtest.TestTransport(t, func() client.Transport {
		tr, err := client.NewSSE(client.HTTPConfig{URL: server.URL + "/sse"}, nil)
		require.NoError(t, err)
		return tr
	})
}

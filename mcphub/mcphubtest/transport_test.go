package mcphubtest_test

import (
	"context"
	"io"
	"net"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/mcphubtest"
)

func TestHTTPTransport(t *testing.T) {
	server := httptest.NewServer(mcphubtest.NewHub(t).Handler())
	t.Cleanup(server.Close)
	mcphubtest.TestTransport(t, func() mcphub.Transport {
		tr, err := mcphub.NewHTTP(mcphub.HTTPConfig{URL: server.URL, Path: mcphub.Path}, nil)
		require.NoError(t, err)
		return tr
	})
}

func TestInProcessTransport(t *testing.T) {
	hub := mcphubtest.NewHub(t)
	mcphubtest.TestTransport(t, func() mcphub.Transport { return hub.InProcess(nil) })
}

// streams leads to a hub over a pipe: a transport of one's own.
type streams struct{ hub *mcphub.Hub }

func (s streams) Describe() mcphub.Endpoint {
	return mcphub.Endpoint{Kind: "pipe", Address: "hub", Auth: mcphub.AuthInProcess}
}

func (s streams) Dial(ctx context.Context, opts *mcphub.DialOptions) (mcphub.Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	here, there := net.Pipe()
	served := make(chan error, 1)
	go func() { served <- s.hub.ServeStdio(context.Background(), there, there) }()
	return mcphub.Connect(ctx, mcphub.StreamConn(pipe{here, there, served}, 0), s.Describe(), opts, nil)
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
	mcphubtest.TestTransport(t, func() mcphub.Transport { return streams{hub} })
}

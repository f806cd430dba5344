package mcphub_test

import (
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec/studio"
)

// What is nil and must not be is an error that says so.
func TestNilArguments(t *testing.T) {
	h := hubtest.NewHub(t, nil)
	conns, err := servers.New(memory.New(), nil)
	require.NoError(t, err)
	defer conns.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()

	assert.ErrorIs(t, h.Add(nil), studio.ErrNoPass)
	for name, err := range map[string]error{
		"the studio is nil":          h.Attach(nil),
		"the listener is nil":        h.Serve(t.Context(), nil),
		"serve: the listener is nil": h.ServeHandler(t.Context(), nil, h.Handler()),
		"the handler is nil":         h.ServeHandler(t.Context(), listener, nil),
		"the reader is nil":          h.ServeStdio(t.Context(), nil, io.Discard),
		"the writer is nil":          h.ServeStdio(t.Context(), strings.NewReader(""), nil),
		"the hub is nil":             second(mcphub.NewComposition(nil, conns, nil)),
		"compose: the connections":   second(mcphub.NewComposition(h, nil, nil)),
		"provider: the connections":  second(servers.NewToolProvider(nil, nil)),
	} {
		assert.ErrorContains(t, err, name)
	}
}

func second[T any](_ T, err error) error { return err }

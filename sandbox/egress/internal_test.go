package egress

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
)

// The last word on a socket's address does not rest on anything before it.
func TestControl(t *testing.T) {
	g, err := New(Policy{Mode: toolspec.NetworkStrict, OperatorHosts: []string{"inner.test"}}, nil)
	require.NoError(t, err)
	defer g.Close()
	good, inner := &target{host: host{name: "good.test"}, port: 80}, &target{host: host{name: "inner.test"}, port: 80}
	for _, tt := range []struct {
		to      *target
		address string
		ok      bool
	}{
		{good, "93.184.215.20:80", true}, {good, "[2606:2800::1]:80", true}, {inner, "10.0.0.1:80", true},
		{good, "10.0.0.1:80", false}, {good, "[::1]:80", false}, {good, "[fe80::1%lo]:80", false}, {good, "[::ffff:10.0.0.1]:80", false},
		{inner, "169.254.169.254:80", false}, {good, "good.test:80", false}, {good, "", false},
	} {
		err := g.control(tt.to, tt.address)
		assert.Equal(t, tt.ok, err == nil, tt.address)
		var e *Error
		if err != nil && assert.ErrorAs(t, err, &e) {
			assert.Equal(t, ReasonResolvedPrivate, e.Reason)
		}
	}
}

// Names with a dot are never completed by this machine's search list.
func TestRooted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // nothing is asked
	for name, want := range map[string]string{"api.good.test": "api.good.test.", "intranet": "intranet"} {
		_, err := rooted{}.LookupNetIP(ctx, "ip", name)
		var dns *net.DNSError
		if assert.ErrorAs(t, err, &dns) {
			assert.Equal(t, want, dns.Name)
		}
	}
}

func TestMaskedCause(t *testing.T) {
	err := failed(ReasonIO, "x", &masked{text: "***", err: io.ErrUnexpectedEOF})
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.Equal(t, "***", errors.Unwrap(err).Error())
	ctx, cancel := context.WithCancel(t.Context())
	assert.Equal(t, io.EOF, ended(ctx, io.EOF))
	cancel()
	assert.ErrorIs(t, ended(ctx, io.EOF), context.Canceled)
	assert.ErrorIs(t, ended(ctx, io.EOF), io.EOF)
}

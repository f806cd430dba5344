package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec/secret"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{"": 0, "7": 7 * time.Second, " 7 ": 7 * time.Second, "-1": 0, "soon": 0, "99999999": time.Hour,
		now.Add(time.Minute).Format(http.TimeFormat): time.Minute, now.Add(-time.Minute).Format(http.TimeFormat): 0, now.AddDate(1, 0, 0).Format(http.TimeFormat): time.Hour} {
		assert.Equal(t, want, retryAfter(value, now), "%q", value)
	}
}

func TestRing(t *testing.T) {
	r := newRing(10)
	for _, tt := range []struct{ write, want string }{
		{"abc", "abc"}, {"\ndef", "abc\ndef"}, {"ghij", "defghij"[0:7]}, {"0123456789ABCDE", "56789ABCDE"}, {"\n", "6789ABCDE\n"}, {"xy\n", ""},
	} {
		n, err := r.Write([]byte(tt.write))
		require.NoError(t, err)
		assert.Equal(t, len(tt.write), n)
		if tt.want != "" {
			assert.Contains(t, tt.want, r.String())
		}
	}
	assert.Equal(t, "xy\n", r.String())
}

func TestTailOf(t *testing.T) {
	assert.Equal(t, "a \uFFFD b", tailOf(" a \xff b\n"))
	long := tailOf("x" + strings.Repeat("é", 1500))
	assert.True(t, strings.HasPrefix(long, "…é"))
	assert.Len(t, []rune(long), 1001)
}

func TestPublicAddress(t *testing.T) {
	for in, want := range map[string]string{
		"https://u:p@h.example:8/x?y#z": "https://h.example:8/x", "https://h.example?": "https://h.example", "${ALL}": "${ALL}", "http://a b/x?y": "http://a b/x",
		"https://u:${P}@${H}/${X}?k=${K}#f": "https://${H}/${X}", "https://${H}": "https://${H}", "https://h/a@b": "https://h/a@b",
	} {
		assert.Equal(t, want, publicAddress(in))
	}
}

func TestSameOrigin(t *testing.T) {
	parse := func(s string) *url.URL { u, err := url.Parse(s); require.NoError(t, err); return u }
	assert.True(t, sameOrigin(parse("https://A.example"), parse("https://a.example:443/x")))
	assert.True(t, sameOrigin(parse("http://a.example"), parse("http://a.example:80/x")))
	assert.False(t, sameOrigin(parse("http://a.example"), parse("http://a.example:81/x")))
	assert.False(t, sameOrigin(parse("http://a.example"), parse("http://b.example")))
}

// scripted is a Conn that a test plays.
type scripted struct {
	in     chan []byte
	out    chan string
	stall  chan struct{} // nil: writes do not stall
	closed chan struct{}
	fail   error
}

func newScripted() *scripted {
	return &scripted{in: make(chan []byte, 8), out: make(chan string, 8), closed: make(chan struct{})}
}

func (c *scripted) Read() ([]byte, error) {
	select {
	case m, ok := <-c.in:
		if !ok {
			return nil, io.EOF
		}
		return m, nil
	case <-c.closed:
		return nil, io.ErrClosedPipe
	}
}

func (c *scripted) Write(m []byte) error {
	if c.fail != nil {
		return c.fail
	}
	if c.stall != nil {
		select {
		case <-c.stall:
		case <-c.closed:
			return io.ErrClosedPipe
		}
	}
	c.out <- string(m)
	return nil
}

func (c *scripted) Close() error { close(c.closed); return nil }

const discovery = `{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"]}}`

func dialScripted(t *testing.T, c *scripted, opts *DialOptions) Session {
	go func() {
		assert.Contains(t, <-c.out, "server/discover")
		c.in <- []byte(discovery)
	}()
	s, err := Connect(context.Background(), c, Endpoint{Kind: "scripted", Address: "test"}, opts, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// TestConnFails: each way in which a connection ends has its error.
func TestConnFails(t *testing.T) {
	c := newScripted()
	s := dialScripted(t, c, nil)
	close(c.in)
	<-s.Done()
	require.ErrorIs(t, s.Err(), ErrSessionLost)
	require.ErrorContains(t, s.Err(), "the server ended the connection")
	require.ErrorIs(t, s.Listen(t.Context(), nil), ErrSessionLost)

	c = newScripted()
	s = dialScripted(t, c, &DialOptions{MaxMessage: 300})
	c.in <- []byte(strings.Repeat("x", 301))
	<-s.Done()
	require.ErrorIs(t, s.Err(), ErrTooLarge)

	c = newScripted()
	c.fail = errors.New("broken by password1")
	_, err := Connect(t.Context(), c, Endpoint{}, nil, &ConnectOptions{Redactor: secret.NewRedactor("password1")})
	require.ErrorIs(t, err, ErrSessionLost)
	assert.Contains(t, err.Error(), "broken by ***")
	require.NotErrorIs(t, err, ErrProtocol)

	c = newScripted()
	c.fail = errors.New("broken")
	_, err = Connect(t.Context(), c, Endpoint{}, nil, nil)
	require.ErrorContains(t, err, "broken")
	_, err = Connect(t.Context(), newScripted(), Endpoint{}, &DialOptions{Versions: []string{"2026-07-28"}}, &ConnectOptions{Legacy: true})
	require.ErrorIs(t, err, ErrUnsupportedProtocol)
}

// TestConnStalls: a server that takes nothing keeps nobody waiting for ever.
func TestConnStalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newScripted()
		s := dialScripted(t, c, nil)
		c.stall = make(chan struct{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := s.Call(ctx, "x", nil, nil)
		var e *ConnError
		require.ErrorAs(t, err, &e)
		assert.True(t, e.Sent, "it may have gone out in part")
		synctest.Wait()
		for range writeQueue { // the queue fills
			brief, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			_, err = s.Call(brief, "x", nil, nil)
			cancel()
			require.ErrorAs(t, err, &e)
			assert.False(t, e.Sent)
		}
		brief, stop := context.WithTimeout(t.Context(), time.Millisecond)
		defer stop()
		require.ErrorIs(t, s.Notify(brief, "x", json.RawMessage(`{}`)), context.DeadlineExceeded)
		_, err = s.Call(t.Context(), "x", nil, nil)
		require.ErrorIs(t, err, ErrSessionLost)
		require.ErrorContains(t, err, "took no message for 30s")
		require.NoError(t, s.Close())
	})
}

// TestFarewell: calls under way are taken back when a session closes.
func TestFarewell(t *testing.T) {
	c := newScripted()
	s := dialScripted(t, c, nil)
	failed := make(chan error, 1)
	go func() {
		_, err := s.Call(context.Background(), "tools/call", nil, nil)
		failed <- err
	}()
	assert.Contains(t, <-c.out, `"id":2`)
	require.NoError(t, s.Close())
	require.ErrorIs(t, <-failed, ErrSessionClosed)
	assert.Contains(t, <-c.out, `"method":"notifications/cancelled","params":{"requestId":2,`)
}

func TestMaskedError(t *testing.T) {
	err := error(&maskedError{"text", fmt.Errorf("secret: %w", io.EOF)})
	assert.Equal(t, "text", err.Error())
	require.ErrorIs(t, err, io.EOF)
}

// TestSessionIDs: an id that cannot be sent back is refused.
func TestSessionIDs(t *testing.T) {
	l := &httpLink{httpClient: &httpClient{configured: http.Header{}}}
	for id, ok := range map[string]bool{"": true, "visible!~": true, "with space": false, "ünicode": false, strings.Repeat("x", sessionIDMax+1): false} {
		err := l.began(&http.Response{Header: http.Header{"Mcp-Session-Id": {id}}})
		assert.Equal(t, ok, err == nil, id)
	}
	assert.Len(t, labelOf("x"), 12)
	assert.Empty(t, labelOf(""))
}

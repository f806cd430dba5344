package mcphub_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// sse reads one event of a stream: its id and its data.
func sse(t testing.TB, r *bufio.Reader) (id, data string, ok bool) {
	t.Helper()
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			require.ErrorIs(t, err, io.EOF)
			return "", "", false
		}
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "id: "):
			id = line[4:]
		case strings.HasPrefix(line, "data: "):
			data = line[6:]
		case line == "" && id != "":
			return id, data, true
		}
	}
}

// detaching is a tool that lets go of its caller, then goes on when told to.
func detaching(t testing.TB, err chan<- error, goOn <-chan struct{}) *studio.Passed {
	return hubtest.ToolDoing(t, "detaching", func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
		_ = call.Peer.Progress(ctx, toolspec.Progress{Done: 1})
		err <- toolspec.Detach(ctx, call.Peer)
		<-goOn
		_ = call.Peer.Progress(ctx, toolspec.Progress{Done: 2})
		<-goOn
		return toolspec.TextResult("done"), nil
	})
}

const callDetaching = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"detaching","_meta":{"progressToken":"p"}}}`

// come is a GET that asks for the rest of a stream.
func (c *httpClient) come(last string) *http.Response {
	c.t.Helper()
	req := c.request(http.MethodGet, "")
	req.Header.Set("Last-Event-ID", last)
	resp, err := c.http.Do(req)
	require.NoError(c.t, err)
	c.t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

// A tool ends the connection; the client comes back, twice, and gets everything
// once.
func TestDetach(t *testing.T) {
	leak.Check(t)
	detached, goOn := make(chan error, 1), make(chan struct{})
	c := serve(t, hubtest.NewHub(t, nil, detaching(t, detached, goOn))).open("2025-11-25", `{}`)
	resp, err := c.http.Do(c.request(http.MethodPost, callDetaching))
	require.NoError(t, err)
	body := bufio.NewReader(resp.Body)
	id, data, _ := sse(t, body)
	assert.Empty(t, data, "the first event is there to come back to")
	first, data, _ := sse(t, body)
	assert.Contains(t, data, `"progress":1`)
	_, _, more := sse(t, body)
	assert.False(t, more, "the body has ended, in good order")
	require.NoError(t, resp.Body.Close())
	require.NoError(t, <-detached)

	again := c.come(id)
	require.Equal(t, http.StatusOK, again.StatusCode)
	body = bufio.NewReader(again.Body)
	same, data, _ := sse(t, body)
	assert.Equal(t, first, same)
	assert.Contains(t, data, `"progress":1`)
	goOn <- struct{}{}
	second, data, _ := sse(t, body)
	assert.Contains(t, data, `"progress":2`)

	taken := c.come(first) // the connection before is let go of
	_, _, more = sse(t, body)
	assert.False(t, more)
	body = bufio.NewReader(taken.Body)
	same, _, _ = sse(t, body)
	assert.Equal(t, second, same)
	goOn <- struct{}{}
	last, data, _ := sse(t, body)
	assert.Equal(t, `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"done"}]}}`, data)
	_, _, more = sse(t, body)
	assert.False(t, more)

	after := c.come(second) // the answer is kept for a while
	_, data, _ = sse(t, bufio.NewReader(after.Body))
	assert.Contains(t, data, `"done"`)
	_, _, more = sse(t, bufio.NewReader(c.come(last).Body))
	assert.False(t, more, "there is nothing more")
	for _, unknown := range []string{"9_1", "1_99", "x", "1_x", "1", "_"} {
		assert.Equal(t, http.StatusBadRequest, c.come(unknown).StatusCode, unknown)
	}
	assert.Equal(t, http.StatusNotAcceptable, c.with("Accept", "application/json").come(last).StatusCode)
	other := *c
	other.session = ""
	assert.Equal(t, http.StatusNotFound, other.open("2025-11-25", `{}`).with("Mcp-Session-Id", "x").come(last).StatusCode)
	assert.Equal(t, http.StatusBadRequest, other.open("2025-11-25", `{}`).come(last).StatusCode, "it is another session's")
}

// A connection that breaks costs nothing: the call goes on, and the client comes
// back.
func TestBrokenStreamIsResumed(t *testing.T) {
	leak.Check(t)
	goOn := make(chan struct{})
	slow := hubtest.ToolDoing(t, "slow", func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
		_ = call.Peer.Progress(ctx, toolspec.Progress{Done: 1})
		<-goOn
		for i := range 20 { // some of it finds out that nobody is there
			if err := call.Peer.Progress(ctx, toolspec.Progress{Done: float64(i + 2)}); err != nil {
				return nil, err
			}
		}
		return toolspec.TextResult("done"), nil
	})
	c := serve(t, hubtest.NewHub(t, nil, slow)).open("2025-11-25", `{}`)
	ctx, cut := context.WithCancel(t.Context())
	resp, err := c.http.Do(c.request(http.MethodPost, strings.ReplaceAll(callDetaching, "detaching", "slow")).WithContext(ctx))
	require.NoError(t, err)
	id, _, _ := sse(t, bufio.NewReader(resp.Body))
	cut()
	_ = resp.Body.Close()
	close(goOn)
	body := bufio.NewReader(c.come(id).Body)
	for i := range 21 {
		_, data, ok := sse(t, body)
		require.True(t, ok)
		assert.Contains(t, data, fmt.Sprintf(`"progress":%d`, i+1))
	}
	_, data, _ := sse(t, body)
	assert.Contains(t, data, `"done"`)
}

// Who cannot come back is not let go of.
func TestDetachNeedsAClientThatComesBack(t *testing.T) {
	goOn := make(chan struct{})
	close(goOn)
	for _, version := range []string{"2025-06-18", "2026-07-28", "body", "stdio"} {
		t.Run(version, func(t *testing.T) {
			detached := make(chan error, 1)
			h := hubtest.NewHub(t, nil, detaching(t, detached, goOn))
			c := serve(t, h)
			switch version {
			case "2026-07-28":
				assert.Contains(t, c.modern("7", "tools/call", "detaching", `"name":"detaching"`, "").body, "done")
			case "body":
				s := c.open("2025-11-25", `{}`).with("Accept", "application/json")
				assert.Contains(t, s.post(callDetaching).body, "done")
			case "stdio":
				s, err := h.InProcess(nil).Dial(t.Context(), &client.DialOptions{Versions: []string{"2025-11-25"}})
				require.NoError(t, err)
				defer s.Close()
				_, err = s.Call(t.Context(), "tools/call", []byte(`{"name":"detaching"}`), nil)
				require.NoError(t, err)
			default:
				a := c.open(version, `{}`).post(callDetaching)
				assert.Contains(t, a.body, "done")
				assert.NotContains(t, a.body, "id: ", "it does not know such events")
			}
			require.ErrorContains(t, <-detached, "unsupported")
		})
	}
}

// Our own client comes back by itself.
func TestSessionComesBack(t *testing.T) {
	t.Parallel()
	leak.Check(t)
	detached, goOn := make(chan error, 1), make(chan struct{})
	close(goOn)
	c := serve(t, hubtest.NewHub(t, nil, detaching(t, detached, goOn)))
	transport, err := client.NewHTTP(client.HTTPConfig{URL: c.url}, nil)
	require.NoError(t, err)
	s, err := transport.Dial(t.Context(), &client.DialOptions{Versions: []string{"2025-11-25"}})
	require.NoError(t, err)
	defer s.Close()
	var progress []float64
	raw, err := s.Call(t.Context(), "tools/call", []byte(`{"name":"detaching"}`), &client.CallOptions{Progress: func(p toolspec.Progress) { progress = append(progress, p.Done) }})
	require.NoError(t, err)
	require.NoError(t, <-detached)
	assert.Contains(t, string(raw), "done")
	assert.Equal(t, []float64{1, 2}, progress)
}

// What is kept has bounds: who comes back too late is told so.
func TestReplayIsBounded(t *testing.T) {
	goOn := make(chan struct{})
	many := hubtest.ToolDoing(t, "many", func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
		for i := range 1500 {
			if err := call.Peer.Progress(ctx, toolspec.Progress{Done: float64(i + 1)}); err != nil {
				return nil, err
			}
		}
		<-goOn
		return toolspec.TextResult("done"), nil
	})
	c := serve(t, hubtest.NewHub(t, nil, many)).open("2025-11-25", `{}`)
	resp, err := c.http.Do(c.request(http.MethodPost, strings.ReplaceAll(callDetaching, "detaching", "many")))
	require.NoError(t, err)
	defer resp.Body.Close()
	body := bufio.NewReader(resp.Body)
	first, _, _ := sse(t, body)
	last := ""
	for range 1500 {
		last, _, _ = sse(t, body)
	}
	close(goOn)
	assert.Equal(t, http.StatusBadRequest, c.come(first).StatusCode)
	assert.Equal(t, http.StatusOK, c.come(last).StatusCode)
}

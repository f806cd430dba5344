package mcphub_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
)

// serve serves a hub on a real socket and returns a client of it.
func serve(t testing.TB, h *mcphub.Hub) *httpClient {
	t.Helper()
	server := httptest.NewServer(h.Handler())
	t.Cleanup(server.Close)
	t.Cleanup(func() { _ = h.Close() }) // before the server: its streams must end
	return &httpClient{t: t, url: server.URL + mcphub.Path, http: server.Client()}
}

// httpClient speaks to a hub in plain HTTP and text: none of our own packages.
type httpClient struct {
	t       testing.TB
	url     string
	http    *http.Client
	session string
	version string
	header  map[string]string // "-" removes one
}

// answer is an HTTP response, taken apart.
type answer struct {
	status int
	header http.Header
	body   string
	events []string // the messages of an event stream
}

func (c *httpClient) request(method, body string) *http.Request {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.url, strings.NewReader(body))
	require.NoError(c.t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
	}
	if c.version != "" {
		req.Header.Set("Mcp-Protocol-Version", c.version)
	}
	for name, value := range c.header {
		if name == "Host" {
			req.Host = value
		} else if value == "-" {
			req.Header.Del(name)
		} else {
			req.Header.Set(name, value)
		}
	}
	return req
}

func (c *httpClient) do(req *http.Request) answer {
	c.t.Helper()
	resp, err := c.http.Do(req)
	require.NoError(c.t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(c.t, err)
	a := answer{status: resp.StatusCode, header: resp.Header, body: string(raw)}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		for l := range strings.Lines(a.body) {
			if data, ok := strings.CutPrefix(l, "data: "); ok && strings.TrimSpace(data) != "" {
				a.events = append(a.events, strings.TrimSpace(data))
			}
		}
	}
	return a
}

func (c *httpClient) post(body string) answer {
	c.t.Helper()
	return c.do(c.request(http.MethodPost, body))
}

// with returns a client that differs in headers.
func (c *httpClient) with(pairs ...string) *httpClient {
	other := *c
	other.header = map[string]string{}
	for k, v := range c.header {
		other.header[k] = v
	}
	for i := 0; i < len(pairs); i += 2 {
		other.header[pairs[i]] = pairs[i+1]
	}
	return &other
}

// open returns a client with a session of this protocol version.
func (c *httpClient) open(version, capabilities string) *httpClient {
	c.t.Helper()
	a := c.post(initialize(version, capabilities))
	require.Equal(c.t, http.StatusOK, a.status, a.body)
	other := *c
	other.session, other.version = a.header.Get("Mcp-Session-Id"), version
	require.NotEmpty(c.t, other.session)
	a = other.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	require.Equal(c.t, http.StatusAccepted, a.status, a.body)
	return &other
}

func initialize(version, capabilities string) string {
	return `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":` + capabilities +
		`,"clientInfo":{"name":"test","version":"1"}}}`
}

func call(id, name, arguments string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}}`
}

// modern posts a request of 2026-07-28. params is the inside of the params
// object, without _meta.
func (c *httpClient) modern(id, method, name, params, meta string) answer {
	c.t.Helper()
	return c.do(c.modernRequest(id, method, name, params, meta))
}

func (c *httpClient) modernRequest(id, method, name, params, meta string) *http.Request {
	c.t.Helper()
	req := c.request(http.MethodPost, modern(id, method, params, meta))
	req.Header.Set("Mcp-Protocol-Version", "2026-07-28")
	req.Header.Set("Mcp-Method", method)
	if name != "" {
		req.Header.Set("Mcp-Name", name)
	}
	return req
}

func modern(id, method, params, meta string) string {
	if params != "" {
		params += ","
	}
	if meta != "" {
		meta = "," + meta
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}` + meta + `}}}`
}

// stream opens an event stream and hands on its messages until the test ends or
// close is called; the channel is closed when the stream has ended.
func (c *httpClient) stream(req *http.Request) (messages <-chan string, close func()) {
	c.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	resp, err := c.http.Do(req.WithContext(ctx))
	require.NoError(c.t, err)
	require.Equal(c.t, http.StatusOK, resp.StatusCode)
	require.Equal(c.t, "text/event-stream", resp.Header.Get("Content-Type"))
	return readStream(c.t, resp.Body, cancel)
}

func readStream(t testing.TB, body io.ReadCloser, cancel func()) (<-chan string, func()) {
	out := make(chan string, 100)
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(out)
		scanner := bufio.NewScanner(body)
		for scanner.Scan() {
			if data, ok := strings.CutPrefix(scanner.Text(), "data: "); ok && data != "" {
				out <- data
			}
		}
	})
	stop := func() {
		cancel()
		_ = body.Close()
		wg.Wait()
	}
	t.Cleanup(stop)
	return out, stop
}

// next waits for a message.
func next(t testing.TB, messages <-chan string) string {
	t.Helper()
	select {
	case m, ok := <-messages:
		require.True(t, ok, "the stream has ended")
		return m
	case <-time.After(hubtest.Patience):
		require.Fail(t, "no message came")
		return ""
	}
}

// ended waits until a channel is closed.
func ended[T any](t testing.TB, c <-chan T) {
	t.Helper()
	for deadline := time.After(hubtest.Patience); ; {
		select {
		case _, open := <-c:
			if !open {
				return
			}
		case <-deadline:
			require.Fail(t, "it did not end")
		}
	}
}

// result takes the result out of a response.
func result(t testing.TB, response string) map[string]any {
	t.Helper()
	var r struct {
		Result map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(response), &r), response)
	require.NotNil(t, r.Result, response)
	return r.Result
}

// rpcErr takes the error out of a response.
func rpcErr(t testing.TB, response string) (code int, message string) {
	t.Helper()
	var r struct {
		Error struct {
			Code    int
			Message string
		}
	}
	require.NoError(t, json.Unmarshal([]byte(response), &r), response)
	return r.Error.Code, r.Error.Message
}

// failed takes apart the failed result of a call.
func failed(t testing.TB, response string) (text, kind, reason string) {
	t.Helper()
	var r struct {
		Result struct {
			IsError bool
			Content []struct{ Text string }
			Meta    struct {
				Error struct{ Kind, Reason, Component string } `json:"localpass/error"`
			} `json:"_meta"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(response), &r), response)
	require.True(t, r.Result.IsError, response)
	require.NotEmpty(t, r.Result.Content, response)
	require.NotEmpty(t, r.Result.Meta.Error.Component, response)
	return r.Result.Content[0].Text, r.Result.Meta.Error.Kind, r.Result.Meta.Error.Reason
}

// toolNames lists the names in the answer to tools/list.
func toolNames(t testing.TB, response string) []string {
	t.Helper()
	names := []string{}
	for _, tool := range result(t, response)["tools"].([]any) {
		names = append(names, tool.(map[string]any)["name"].(string))
	}
	return names
}

const listTools = `{"jsonrpc":"2.0","id":"list","method":"tools/list"}`

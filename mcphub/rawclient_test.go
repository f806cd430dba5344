package mcphub_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// rawClient is a client, over HTTP or stdio. All that the server sends it is in one
// list, whichever stream it came on.
type rawClient struct {
	who     string // the principal behind it
	modern  bool
	able    bool // it declares elicitation
	version string

	mu       sync.Mutex
	messages []string

	handler http.Handler // of HTTP
	session string
	stdin   io.WriteCloser // of stdio
}

func (c *rawClient) took(message string) {
	c.mu.Lock()
	c.messages = append(c.messages, message)
	c.mu.Unlock()
}

// fresh takes the messages that came since the last time.
func (c *rawClient) fresh() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.messages
	c.messages = nil
	return list
}

// eventWriter hands each event of a response on when it is whole, and a body
// when the response has ended.
type eventWriter struct {
	c      *rawClient
	header http.Header
	status int
	buf    bytes.Buffer
}

func (w *eventWriter) Header() http.Header    { return w.header }
func (w *eventWriter) WriteHeader(status int) { w.status = status }
func (w *eventWriter) Flush()                 {}

func (w *eventWriter) events() bool {
	return strings.HasPrefix(w.header.Get("Content-Type"), "text/event-stream")
}

func (w *eventWriter) Write(p []byte) (int, error) {
	w.buf.Write(p)
	for w.events() {
		event, rest, whole := strings.Cut(w.buf.String(), "\n\n")
		if !whole {
			break
		}
		w.buf.Reset()
		w.buf.WriteString(rest)
		if _, data, ok := strings.Cut(event, "data: "); ok && data != "" {
			w.c.took(data)
		}
	}
	return len(p), nil
}

// send sends one message. It returns when the server has taken it; what comes
// back is in fresh, after synctest.Wait.
func (c *rawClient) send(message string) {
	if c.stdin != nil {
		_, _ = io.WriteString(c.stdin, message+"\n") // one that has closed its side gets nothing
		return
	}
	var m struct {
		Method string
		Params struct{ Name string }
	}
	_ = json.Unmarshal([]byte(message), &m)
	req := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(message))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Mcp-Protocol-Version", c.version)
	req.Header.Set("X-Who", c.who)
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
	}
	if c.modern {
		req.Header.Set("Mcp-Method", m.Method)
		req.Header.Set("Mcp-Name", m.Params.Name)
	}
	go c.serve(req)
}

func (c *rawClient) serve(req *http.Request) {
	w := &eventWriter{c: c, header: http.Header{}}
	c.handler.ServeHTTP(w, req)
	if id := w.header.Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	if w.buf.Len() > 0 && strings.HasPrefix(w.header.Get("Content-Type"), "application/json") {
		c.took(w.buf.String())
	}
}

// call is a tools/call in the client's era. extra is more of its params.
func (c *rawClient) call(id int, tool, arguments, extra string) string {
	params := `"name":"` + tool + `","arguments":` + arguments + extra
	if !c.modern {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{%s}}`, id, params)
	}
	return modernCaps(fmt.Sprint(id), "tools/call", params, c.able)
}

func modernCaps(id, method, params string, able bool) string {
	caps := `{}`
	if able {
		caps = `{"elicitation":{}}`
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params +
		`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + caps + `}}}`
}

// reply is what a client of the message says: the parts of it that tests look at.
type reply struct {
	ID     json.RawMessage
	Method string
	Params struct{ Message string }
	Error  *struct {
		Code int
		Data json.RawMessage
	}
	Result replyResult
}

type replyResult struct {
	ResultType    string
	IsError       bool
	RequestState  string
	InputRequests map[string]struct {
		Method string
		Params struct {
			Mode, Message   string
			RequestedSchema json.RawMessage
		}
	}
	Content []struct{ Text string }
	Meta    struct {
		Error struct{ Kind, Reason, Component string } `json:"localpass/error"`
	} `json:"_meta"`
	TTL *int `json:"ttlMs"`
}

func parseReply(t testing.TB, message string) reply {
	t.Helper()
	var r reply
	require.NoError(t, json.Unmarshal([]byte(message), &r), message)
	return r
}

// hangUp ends the session of a client over HTTP.
func (c *rawClient) hangUp() {
	req := httptest.NewRequest(http.MethodDelete, "http://localhost/mcp", nil)
	req.Header.Set("Mcp-Session-Id", c.session)
	req.Header.Set("X-Who", c.who)
	go c.serve(req)
}

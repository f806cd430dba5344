package ollama_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/ollama"
	"github.com/localpass/localpass/internal/leak"
)

// transport answers without a network: /api/show as described, a chat with what
// body returns.
type transport struct {
	show string
	body func() io.ReadCloser
}

func (tr *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp := &http.Response{StatusCode: 200, Header: http.Header{}, Request: r, Body: io.NopCloser(strings.NewReader(tr.show))}
	if strings.HasSuffix(r.URL.Path, "/chat") {
		resp.Body = tr.body()
	}
	return resp, nil
}

// pieces is a body that is split at the given positions.
type pieces struct {
	parts []string
	open  *atomic.Int32
}

func (p *pieces) Read(b []byte) (int, error) {
	for len(p.parts) > 0 && p.parts[0] == "" {
		p.parts = p.parts[1:]
	}
	if len(p.parts) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.parts[0])
	p.parts[0] = p.parts[0][n:]
	return n, nil
}

func (p *pieces) Close() error { p.open.Add(-1); return nil }

func offline(t testing.TB, body func() io.ReadCloser) llm.Model {
	t.Helper()
	p, err := ollama.New(&ollama.Options{HTTPClient: &http.Client{Transport: &transport{show: describe("completion", "tools", "thinking"), body: body}}})
	require.NoError(t, err)
	m, err := p.Model(t.Context(), "m")
	require.NoError(t, err)
	return m
}

var script = join(
	`{"model":"q","message":{"role":"assistant","content":"","thinking":"시간"},"done":false}`,
	`{"model":"q","message":{"role":"assistant","content":"Es ist 😀 spät","thinking":"!"},"done":false}`,
	"",
	call,
	bye)

// The deltas do not depend on where the network splits the stream.
func TestSplitAtEveryByte(t *testing.T) {
	var open atomic.Int32
	var parts []string
	m := offline(t, func() io.ReadCloser {
		open.Add(1)
		return &pieces{parts: append([]string(nil), parts...), open: &open}
	})
	parts = []string{script}
	want := generate(t, m, question())
	require.NoError(t, want.err)
	assert.Equal(t, "시간!", want.reasoning)
	assert.Equal(t, "Es ist 😀 spät", want.text)
	for i := range len(script) {
		parts = []string{script[:i], script[i:]}
		require.Equal(t, want.deltas, generate(t, m, question()).deltas, "cut at %d", i)
	}
	parts = nil
	for i := range len(script) { // single bytes, not characters
		parts = append(parts, script[i:i+1])
	}
	require.Equal(t, want.deltas, generate(t, m, question()).deltas)
	assert.Zero(t, open.Load())
}

// Stopping after any delta leaves no goroutine and no open body.
func TestBreakAfterEachDelta(t *testing.T) {
	leak.Check(t)
	var open atomic.Int32
	m := offline(t, func() io.ReadCloser { open.Add(1); return &pieces{parts: []string{script}, open: &open} })
	total := 0
	for range m.Generate(t.Context(), question()) {
		total++
	}
	require.Greater(t, total, 6)
	for k := 1; k <= total; k++ {
		n := 0
		for _, err := range m.Generate(t.Context(), question()) {
			require.NoError(t, err)
			if n++; n == k {
				break
			}
		}
		require.Equal(t, k, n)
		require.Zero(t, open.Load(), "after %d", k)
	}
}

// A stream that is cut anywhere is never taken for a whole one.
func TestCutAtEveryByte(t *testing.T) {
	var open atomic.Int32
	cut, failure := 0, error(nil)
	m := offline(t, func() io.ReadCloser {
		open.Add(1)
		return struct {
			io.Reader
			io.Closer
		}{io.MultiReader(strings.NewReader(script[:cut]), failing{failure}), &pieces{open: &open}}
	})
	whole := len(script) - 1 // the last line feed is optional
	for _, failure = range []error{io.EOF, io.ErrUnexpectedEOF, errors.New("connection reset by peer")} {
		for cut = range whole {
			r := generate(t, m, question())
			require.Equal(t, llm.CodeStreamBroken, codeOf(t, r.err).Code, "cut at %d", cut)
		}
		cut = whole
		require.NoError(t, generate(t, m, question()).err)
	}
	assert.Zero(t, open.Load())
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

type silent struct{}

func (silent) Read([]byte) (int, error) { return 0, nil }

func TestLinesWithoutEnd(t *testing.T) {
	for name, c := range map[string]struct {
		r    io.Reader
		says string
	}{"a line without an end": {endless{}, "longer than"}, "a reader that reads nothing": {silent{}, "multiple Read calls"}} {
		t.Run(name, func(t *testing.T) {
			m := offline(t, func() io.ReadCloser { return io.NopCloser(c.r) })
			for _, err := range m.Generate(t.Context(), question()) {
				assert.Contains(t, err.Error(), c.says)
				assert.Equal(t, llm.CodeStreamBroken, codeOf(t, err).Code)
			}
		})
	}
	t.Run("a long line", func(t *testing.T) {
		long := strings.Repeat("가나다", 200_000)
		m := offline(t, func() io.ReadCloser { return io.NopCloser(strings.NewReader(join(text(long), bye))) })
		assert.Equal(t, long, generate(t, m, question()).text)
	})
}

// For any input, the order of deltas and events is kept, and the size of the pieces makes
// no difference.
func FuzzFrames(f *testing.F) {
	f.Add([]byte(script), uint16(3))
	f.Add([]byte(join(hello, bye)), uint16(1))
	f.Add([]byte(join(hello, `{"error":"x","status":503}`)), uint16(9))
	f.Add([]byte(`{"message":{"tool_calls":[{"function":{"name":"a","arguments":"{"}},{}]}}`+"\r\n\r\n"+`{"done":true}`), uint16(2))
	f.Add([]byte("{\"message\":{\"content\":\"<think>a\\ud800\"}}\nnull\n[]\n{\"done\":true,\"done_reason\":\"length\"}"), uint16(5))
	f.Fuzz(func(t *testing.T, in []byte, size uint16) {
		var open atomic.Int32
		var step int
		m := offline(t, func() io.ReadCloser {
			open.Add(1)
			p := &pieces{open: &open}
			for rest := string(in); rest != ""; {
				n := min(step, len(rest))
				p.parts = append(p.parts, rest[:n])
				rest = rest[n:]
			}
			return p
		})
		step = len(in) + 1
		whole := generate(t, m, question())
		step = int(size)%len(script) + 1
		again := generate(t, m, question())
		require.Equal(t, whole.deltas, again.deltas)
		require.Equal(t, whole.err == nil, again.err == nil)
		if whole.err != nil {
			codeOf(t, whole.err)
		}
		require.Zero(t, open.Load())

		// Through a client, the turn has one terminal event and a valid history.
		client, err := chat.NewClient(m, &chat.ClientOptions{Retry: &llm.RetryPolicy{MaxAttempts: 1}})
		require.NoError(t, err)
		var events []chat.Event
		for ev, err := range client.Stream(t.Context(), "c", llm.UserText("Hi"), nil) {
			if err == nil {
				events = append(events, ev)
			}
		}
		require.NoError(t, chattest.CheckEvents(events))
	})
}

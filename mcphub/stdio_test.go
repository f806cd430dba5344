package mcphub_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// pipes is a client on stdio: lines of text through two pipes of the system.
type pipes struct {
	t     testing.TB
	in    io.WriteCloser
	lines chan string
	done  chan error
	stop  context.CancelFunc
}

func stdio(t testing.TB, h *mcphub.Hub) *pipes {
	t.Helper()
	serverIn, clientOut, err := os.Pipe()
	require.NoError(t, err)
	clientIn, serverOut, err := os.Pipe()
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	p := &pipes{t: t, in: clientOut, lines: make(chan string, 100), done: make(chan error, 1), stop: stop}
	go func() {
		p.done <- h.ServeStdio(ctx, serverIn, serverOut)
		_ = serverIn.Close()
		_ = serverOut.Close()
	}()
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(p.lines)
		scanner := bufio.NewScanner(clientIn)
		scanner.Buffer(nil, 1<<20)
		for scanner.Scan() {
			p.lines <- scanner.Text()
		}
	}()
	t.Cleanup(func() {
		stop()
		_ = clientOut.Close()
		<-read
		_ = clientIn.Close()
	})
	return p
}

func (p *pipes) send(lines ...string) {
	p.t.Helper()
	for _, l := range lines {
		_, err := io.WriteString(p.in, l+"\n")
		require.NoError(p.t, err)
	}
}

func (p *pipes) ask(l string) string {
	p.t.Helper()
	p.send(l)
	return next(p.t, p.lines)
}

func (p *pipes) open(version, capabilities string) *pipes {
	p.t.Helper()
	assert.Equal(p.t, version, result(p.t, p.ask(initialize(version, capabilities)))["protocolVersion"])
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return p
}

func TestStdioOfEachVersion(t *testing.T) {
	leak.Check(t)
	h := hubtest.NewHub(t, nil, hubtest.EchoTool(t, "echo"), hubtest.Chatty(t))
	for _, version := range sessionVersions {
		t.Run(version, func(t *testing.T) {
			p := stdio(t, h).open(version, `{}`)
			assert.Equal(t, []string{"chatty", "echo"}, toolNames(t, p.ask(listTools)))
			assert.Equal(t, `{"jsonrpc":"2.0","id":9007199254740993,"result":{"content":[{"type":"text","text":"hi"}]}}`, p.ask(call("9007199254740993", "echo", `{"text":"hi"}`)))
			for range 50 {
				p.send(withToken("7", "chatty"))
				for _, want := range chattyMessages("7") {
					require.Equal(t, want, next(t, p.lines))
				}
			}
			_, kind, reason := failed(t, p.ask(call("1", "echo", `{}`)))
			assert.Equal(t, "INVALID_INPUT arguments", kind+" "+reason)
			code, message := rpcErr(t, p.ask(call("1", "nope", `{}`)))
			assert.Equal(t, -32602, code)
			assert.Equal(t, "Unknown tool: nope", message)
			require.NoError(t, p.in.Close())
			assert.NoError(t, <-p.done)
			ended(t, p.lines)
		})
	}
}

func TestStdioModern(t *testing.T) {
	leak.Check(t)
	h := hubtest.NewHub(t, nil, hubtest.EchoTool(t, "echo"), hubtest.Chatty(t))
	p := stdio(t, h)
	assert.Contains(t, p.ask(modern("1", "server/discover", "", "")), `"supportedVersions":["2026-07-28",`)
	assert.Equal(t, []string{"chatty", "echo"}, toolNames(t, p.ask(modern("2", "tools/list", "", ""))))
	assert.Equal(t, `{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"x"}],"resultType":"complete","_meta":{`+serverInfo+`}}}`,
		p.ask(modern("3", "tools/call", `"name":"echo","arguments":{"text":"x"}`, "")))
	code, _ := rpcErr(t, p.ask(strings.Replace(modern("4", "tools/list", "", ""), "2026-07-28", "2099-01-01", 1)))
	assert.Equal(t, -32022, code)

	p.send(modern(`"s"`, "subscriptions/listen", `"notifications":{"toolsListChanged":true}`, ""))
	assert.Contains(t, next(t, p.lines), "subscriptions/acknowledged")
	require.NoError(t, h.Remove("echo"))
	assert.Equal(t, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}}`, next(t, p.lines))
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}}`)
	assert.Equal(t, []string{"chatty"}, toolNames(t, p.ask(modern("5", "tools/list", "", ""))), "while it was open and after")
	require.NoError(t, p.in.Close())
	assert.NoError(t, <-p.done)
}

func TestStdioListChanged(t *testing.T) {
	leak.Check(t)
	h := hubtest.NewHub(t, nil)
	p := stdio(t, h).open("2025-11-25", `{}`)
	changed := `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	require.NoError(t, h.Add(hubtest.EchoTool(t, "echo")))
	assert.Equal(t, changed, next(t, p.lines))
	require.NoError(t, h.Remove("echo"))
	assert.Equal(t, changed, next(t, p.lines))
	p.stop()
	assert.ErrorIs(t, <-p.done, context.Canceled)
}

func TestStdioLines(t *testing.T) {
	h := hubtest.NewHub(t, &mcphub.Options{MaxBody: 300}, hubtest.EchoTool(t, "echo"))
	p := stdio(t, h).open("2025-11-25", `{}`)
	for line, want := range map[string]int{
		`{`:          -32700,
		`[]`:         -32600,
		"\xff":       -32700,
		`{"id":1}`:   -32600,
		`"tools"`:    -32600,
		"null":       -32600,
		"{} trailer": -32700,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":7}`: -32602,
		`{"x":"` + strings.Repeat("x", 100_000) + `"}`:              -32600,
	} {
		code, _ := rpcErr(t, p.ask(line))
		assert.Equal(t, want, code, line[:min(len(line), 40)])
	}
	p.send("", "  ", "\r", `{"jsonrpc":"2.0","id":77,"result":{}}`, `{"jsonrpc":"2.0","method":"notifications/none"}`)
	assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{}}`, p.ask(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\r"))
	_, err := io.WriteString(p.in, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	require.NoError(t, err)
	require.NoError(t, p.in.Close())
	assert.Equal(t, `{"jsonrpc":"2.0","id":2,"result":{}}`, next(t, p.lines), "a last line without a line break counts")
	assert.NoError(t, <-p.done)
}

func TestStdioQuestions(t *testing.T) {
	h := hubtest.NewHub(t, nil, asking(t, func(ctx context.Context, peer toolspec.Peer) string { return show(peer.Roots(ctx)) }))
	p := stdio(t, h).open("2025-11-25", `{"roots":{}}`)
	assert.Equal(t, `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`, p.ask(call("1", "asking", `{}`)))
	assert.Contains(t, p.ask(`{"jsonrpc":"2.0","id":1,"result":{"roots":[{"uri":"file:///a"}]}}`), `file:///a`)

	p.ask(call("2", "asking", `{}`))
	require.NoError(t, p.in.Close())
	assert.Contains(t, next(t, p.lines), "left without an answer", "who has left answers nothing; the call is told so and is answered")
	assert.NoError(t, <-p.done)
}

// waiting makes a tool that says when it began, and ends with its context or
// when it is released.
func waiting(t testing.TB) (tool *studio.Passed, begun chan struct{}, release chan struct{}) {
	begun, release = make(chan struct{}, 10), make(chan struct{})
	return hubtest.ToolDoing(t, "wait", func(ctx context.Context, _ *toolspec.Call) (*toolspec.Result, error) {
		begun <- struct{}{}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-release:
			return toolspec.TextResult("released"), nil
		}
	}), begun, release
}

func TestStdioEnds(t *testing.T) {
	leak.Check(t)
	t.Run("the client leaves", func(t *testing.T) {
		tool, begun, release := waiting(t)
		p := stdio(t, hubtest.NewHub(t, nil, tool)).open("2025-11-25", `{}`)
		p.send(call("1", "wait", `{}`))
		<-begun
		require.NoError(t, p.in.Close())
		close(release)
		assert.Contains(t, next(t, p.lines), "released", "what is under way is answered")
		assert.NoError(t, <-p.done)
	})
	t.Run("the context ends", func(t *testing.T) {
		tool, begun, _ := waiting(t)
		p := stdio(t, hubtest.NewHub(t, nil, tool)).open("2025-11-25", `{}`)
		p.send(call("1", "wait", `{}`))
		<-begun
		p.stop()
		assert.ErrorIs(t, <-p.done, context.Canceled)
	})
	t.Run("the hub closes", func(t *testing.T) {
		tool, begun, _ := waiting(t)
		h := hubtest.NewHub(t, nil, tool)
		p := stdio(t, h).open("2025-11-25", `{}`)
		p.send(call("1", "wait", `{}`))
		<-begun
		require.NoError(t, h.Close())
		_, kind, _ := failed(t, next(t, p.lines))
		assert.Equal(t, "CANCELLED", kind)
		assert.NoError(t, <-p.done)
	})
	t.Run("a call is cancelled", func(t *testing.T) {
		tool, begun, _ := waiting(t)
		p := stdio(t, hubtest.NewHub(t, nil, tool)).open("2025-11-25", `{}`)
		p.send(call("1", "wait", `{}`))
		<-begun
		p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		p.send(call("2", "nope", `{}`))
		assert.Contains(t, next(t, p.lines), `"id":2`, "what was cancelled gets no answer")
		require.NoError(t, p.in.Close())
		assert.NoError(t, <-p.done)
		ended(t, p.lines)
	})
	t.Run("reading fails", func(t *testing.T) {
		err := hubtest.NewHub(t, nil).ServeStdio(t.Context(), io.MultiReader(strings.NewReader("{}\n"), failing{}), io.Discard)
		assert.ErrorIs(t, err, errFailing)
	})
	t.Run("writing fails", func(t *testing.T) {
		err := hubtest.NewHub(t, nil).ServeStdio(t.Context(), strings.NewReader("{}\n{}\n"), failing{})
		assert.ErrorIs(t, err, errFailing)
	})
	t.Run("a reader that cannot be interrupted", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		in, out := io.Pipe()
		assert.ErrorIs(t, hubtest.NewHub(t, nil).ServeStdio(ctx, struct{ io.Reader }{in}, io.Discard), context.Canceled)
		require.NoError(t, out.Close())
	})
}

func TestStdioWriteThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := mcphub.New(nil)
		require.NoError(t, err)
		defer h.Close()
		require.NoError(t, h.Add(hubtest.EchoTool(t, "echo")))
		ctx, cancel := context.WithCancel(t.Context())
		in, out := io.Pipe()
		_, blocked := io.Pipe() // nobody reads
		done := make(chan error, 1)
		go func() { done <- h.ServeStdio(ctx, in, blocked) }()
		_, err = io.WriteString(out, call("1", "echo", `{"text":"x"}`)+"\n")
		require.NoError(t, err)
		synctest.Wait()
		cancel()
		assert.ErrorIs(t, <-done, context.Canceled)
	})
}

func TestStdioCallThatDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := mcphub.New(nil)
		require.NoError(t, err)
		begun, release := make(chan struct{}), make(chan struct{})
		require.NoError(t, h.Add(hubtest.ToolDoing(t, "deaf", func(context.Context, *toolspec.Call) (*toolspec.Result, error) {
			close(begun)
			<-release
			return toolspec.TextResult(""), nil
		})))
		ctx, cancel := context.WithCancel(t.Context())
		in, out := io.Pipe()
		done := make(chan error, 1)
		go func() { done <- h.ServeStdio(ctx, in, io.Discard) }()
		_, err = io.WriteString(out, call("1", "deaf", `{}`)+"\n")
		require.NoError(t, err)
		<-begun
		cancel()
		assert.ErrorContains(t, <-done, "did not end with its context")
		close(release)
		require.NoError(t, h.Close())
	})
}

var errFailing = errors.New("the wire is cut")

type failing struct{}

func (failing) Read([]byte) (int, error)  { return 0, errFailing }
func (failing) Write([]byte) (int, error) { return 0, errFailing }

// Each connection is a client of its own.
func TestStdioTwoClients(t *testing.T) {
	h := hubtest.NewHub(t, nil, hubtest.EchoTool(t, "echo"))
	one, two := stdio(t, h).open("2025-11-25", `{}`), stdio(t, h).open("2024-11-05", `{}`)
	for i := range 20 {
		id := fmt.Sprint(i)
		one.send(call(id, "echo", `{"text":"one"}`))
		two.send(call(id, "echo", `{"text":"two"}`))
		assert.Contains(t, next(t, one.lines), `"id":`+id+`,"result":{"content":[{"type":"text","text":"one"}]}`)
		assert.Contains(t, next(t, two.lines), `"id":`+id+`,"result":{"content":[{"type":"text","text":"two"}]}`)
	}
}

// Scripts pipe a whole conversation at once and read the answers.
func TestStdioWholeConversationAtOnce(t *testing.T) {
	h := hubtest.NewHub(t, nil, hubtest.EchoTool(t, "echo"))
	var out bytes.Buffer
	in := strings.Join([]string{initialize("2025-11-25", `{}`), `{"jsonrpc":"2.0","method":"notifications/initialized"}`, listTools, call("1", "echo", `{"text":"x"}`)}, "\n")
	require.NoError(t, h.ServeStdio(t.Context(), strings.NewReader(in), &out))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 3)
	assert.Contains(t, lines[2], `"text":"x"`)
}

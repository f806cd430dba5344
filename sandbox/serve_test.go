package sandbox

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/internal/worker"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
)

// inside runs what serves in a worker in this process, without the limits, and
// returns the other end of its pipes. end closes them and gives the error that
// ended the worker.
func inside(t *testing.T) (conn *worker.Conn, end func() error) {
	t.Helper()
	leak.Check(t)
	setup, err := json.Marshal(workerSetup{Engine: runtimeID, Version: runtimeVersion, CallDepth: 2048})
	require.NoError(t, err)
	answer, handle, err := setUpWorker(setup, nil)
	require.NoError(t, err)
	require.Nil(t, answer)

	lim := table()
	orders, toWorker := io.Pipe()
	fromWorker, answers := io.Pipe()
	child := worker.NewChild(orders, answers, lim.FrameBytes)
	done := make(chan error, 1)
	go func() {
		defer answers.Close()
		for {
			f, err := child.Receive()
			if err == nil {
				err = handle(child, f)
			}
			if err != nil {
				done <- err
				return
			}
		}
	}()
	var ended error
	closed := false
	end = func() error {
		if !closed {
			closed = true
			toWorker.Close()
			fromWorker.Close()
			ended = <-done
		}
		return ended
	}
	t.Cleanup(func() { _ = end() })
	return worker.NewConn(fromWorker, toWorker, lim.FrameBytes), end
}

// order is a call of code, with what most calls have.
func order(code string) *callMessage {
	return &callMessage{key: programKey{1, byte(len(code))}, hasSource: true, source: code, timeout: 5 * time.Second}
}

func ask(t *testing.T, c *worker.Conn, m *callMessage) worker.Frame {
	t.Helper()
	require.NoError(t, c.Send(frameCall, 7, m.encode(nil)))
	return receive(t, c)
}

func receive(t *testing.T, c *worker.Conn) worker.Frame {
	t.Helper()
	f, err := c.Receive()
	require.NoError(t, err)
	require.EqualValues(t, 7, f.ID)
	return f
}

func answerOf(t *testing.T, f worker.Frame) *resultMessage {
	t.Helper()
	require.EqualValues(t, frameResult, f.Kind)
	lim := table()
	m, err := decodeResult(f.Payload, &lim)
	require.NoError(t, err)
	return m
}

func TestServeCalls(t *testing.T) {
	c, end := inside(t)
	m := order(`console.log('a'); return [x, typeof y, Date.now()]`)
	m.globals, m.unset, m.now = []toolspec.Global{{Name: "x", Value: json.RawMessage(`{"a":1}`)}}, []string{"y"}, int64(5*time.Second)
	m.hasSource = false
	assert.EqualValues(t, frameNeedSource, ask(t, c, m).Kind, "it was not sent the source yet")
	m.hasSource = true
	got := answerOf(t, ask(t, c, m))
	assert.JSONEq(t, `[{"a":1},"undefined",5000]`, string(got.outcome.Result))
	assert.Equal(t, []activity.ConsoleLine{{Level: "log", Text: "a", Line: 1, Column: 12}}, got.outcome.Console)
	m.hasSource = false
	assert.JSONEq(t, `[{"a":1},"undefined",5000]`, string(answerOf(t, ask(t, c, m)).outcome.Result), "kept")

	m = order(`return Math.random()`)
	m.seed = []byte(strings.Repeat("s", 32))
	one, two := answerOf(t, ask(t, c, m)), answerOf(t, ask(t, c, m))
	assert.Equal(t, one.outcome.Result, two.outcome.Result)

	m = order(`for (;;);`)
	m.count, m.statements = true, 10
	got = answerOf(t, ask(t, c, m))
	require.NotNil(t, got.outcome.Err)
	assert.Equal(t, toolspec.ReasonStatements, got.outcome.Err.Reason)
	assert.EqualValues(t, 11, got.outcome.Usage.Statements)

	m = order(`for (;;) ;`)
	m.timeout = 10 * time.Millisecond
	got = answerOf(t, ask(t, c, m))
	require.NotNil(t, got.outcome.Err)
	assert.Equal(t, toolspec.KindTimeout, got.outcome.Err.Kind)

	for code, reason := range map[string]string{`const`: ReasonSyntaxError, `return fetch('x')`: ReasonNotGranted} {
		got = answerOf(t, ask(t, c, order(code)))
		require.NotNil(t, got.outcome.Err)
		assert.Equal(t, reason, got.outcome.Err.Reason)
	}
	got = answerOf(t, ask(t, c, order(`return 'x'.repeat(9e5)`)))
	assert.Len(t, got.outcome.Result, 9e5+2)
	assert.ErrorIs(t, end(), io.EOF)
}

func TestServeStreams(t *testing.T) {
	c, _ := inside(t)
	m := order(`console.warn('é'); return 1`)
	m.stream = true
	f := ask(t, c, m)
	require.EqualValues(t, frameConsole, f.Kind)
	d := decoder{buf: f.Payload}
	line, ok := decodeLine(&d)
	require.True(t, ok)
	assert.Equal(t, activity.ConsoleLine{Level: "warn", Text: "é", Line: 1, Column: 13}, line)
	require.NoError(t, d.done())
	assert.Empty(t, answerOf(t, receive(t, c)).outcome.Console, "it was sent already")
}

func TestServeTools(t *testing.T) {
	c, _ := inside(t)
	m := order(`const [a, b] = await Promise.allSettled([localpass.callTool('one', {x: 1}), localpass.callTool('two')]);
		return [a.value, b.reason.kind]`)
	m.tools = true
	f := ask(t, c, m)
	for _, want := range []struct {
		name, arguments string
		reply           replyMessage
	}{
		{"one", `{"x":1}`, replyMessage{structured: json.RawMessage(`{"y":2}`)}},
		{"two", `{}`, replyMessage{failed: &toolspec.CallError{Kind: toolspec.KindSecurity, Reason: "denied"}}},
	} {
		require.EqualValues(t, frameToolCall, f.Kind)
		call, err := decodeToolCall(f.Payload)
		require.NoError(t, err)
		assert.Equal(t, want.name, call.name)
		assert.Equal(t, want.arguments, string(call.arguments))
		require.NoError(t, c.Send(frameReply, 7, want.reply.encode(nil)))
		f = receive(t, c)
	}
	assert.JSONEq(t, `[{"y":2},"SECURITY"]`, string(answerOf(t, f).outcome.Result))
}

// TestServeEnds: a worker whose program stops making sense ends.
func TestServeEnds(t *testing.T) {
	for name, send := range map[string]func(*worker.Conn) error{
		"unknown kind": func(c *worker.Conn) error { return c.Send(99, 7, nil) },
		"no call":      func(c *worker.Conn) error { return c.Send(frameCall, 7, []byte("x")) },
		"no check":     func(c *worker.Conn) error { return c.Send(frameCheck, 7, []byte("x")) },
		"a reply":      func(c *worker.Conn) error { return c.Send(frameReply, 7, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			c, end := inside(t)
			require.NoError(t, send(c))
			_, err := c.Receive()
			assert.ErrorIs(t, err, io.EOF)
			assert.ErrorIs(t, end(), errWire)
		})
	}
	t.Run("wrong replies", func(t *testing.T) {
		for name, send := range map[string]func(*worker.Conn) error{
			"kind": func(c *worker.Conn) error { return c.Send(frameCall, 7, nil) },
			"id":   func(c *worker.Conn) error { return c.Send(frameReply, 8, (&replyMessage{}).encode(nil)) },
			"junk": func(c *worker.Conn) error { return c.Send(frameReply, 7, []byte{9}) },
		} {
			t.Run(name, func(t *testing.T) {
				c, end := inside(t)
				m := order(`try { await localpass.callTool('a') } catch {} try { await localpass.callTool('b') } catch {} console.log(1); return 1`)
				m.tools, m.stream = true, true
				require.EqualValues(t, frameToolCall, ask(t, c, m).Kind)
				require.NoError(t, send(c))
				_, err := c.Receive()
				assert.ErrorIs(t, err, io.EOF, "nothing more is said")
				assert.ErrorIs(t, end(), errWire)
			})
		}
	})
	t.Run("nobody listens", func(t *testing.T) {
		c, end := inside(t)
		m := order(`console.log(1); console.log(2); await localpass.callTool('x')`)
		m.tools, m.stream = true, true
		require.NoError(t, c.Send(frameCall, 7, m.encode(nil)))
		assert.ErrorIs(t, end(), io.ErrClosedPipe)
		c, end = inside(t)
		m.source = `await localpass.callTool('x')`
		require.NoError(t, c.Send(frameCall, 7, m.encode(nil)))
		assert.ErrorIs(t, end(), io.ErrClosedPipe)
	})
}

func TestServeChecks(t *testing.T) {
	c, _ := inside(t)
	for code, want := range map[string]int{`return x`: 0, `return fetch('a') + x`: 1, `const`: 1} {
		require.NoError(t, c.Send(frameCheck, 7, (&checkMessage{source: code, names: []string{"x"}}).encode(nil)))
		f := receive(t, c)
		require.EqualValues(t, frameProblems, f.Kind)
		var problems toolspec.Problems
		require.NoError(t, json.Unmarshal(f.Payload, &problems))
		assert.Len(t, problems, want, code)
		assert.Equal(t, want == 0, string(f.Payload) == "[]")
	}
}

func TestSetUpRefuses(t *testing.T) {
	for part, setup := range map[string]string{
		"worker setup":            `{`,
		`no engine "other"`:       `{"Engine":"other"}`,
		"version 1.0.0 of engine": `{"Engine":"localpass/goja","Version":"0.9.0"}`,
	} {
		_, _, err := setUpWorker([]byte(setup), nil)
		assert.ErrorContains(t, err, part)
	}
}

// TestReplyTo: what code is told of a tool that failed, and what it is not.
func TestReplyTo(t *testing.T) {
	secret := errors.New("secret")
	for name, tc := range map[string]struct {
		result *toolspec.Result
		err    error
		want   toolspec.CallError
	}{
		"untyped":     {nil, secret, toolspec.CallError{Kind: toolspec.KindRuntimeError, Component: "tool", Message: "the tool could not be called"}},
		"typed":       {nil, &toolspec.CallError{Kind: toolspec.KindTimeout, Reason: "deadline", Component: "fetch", Err: secret}, toolspec.CallError{Kind: toolspec.KindTimeout, Reason: "deadline", Component: "fetch", Message: "deadline"}},
		"nothing":     {nil, nil, toolspec.CallError{Kind: toolspec.KindRuntimeError, Component: "tool", Message: "the tool gave nothing"}},
		"with error":  {&toolspec.Result{IsError: true, Err: &toolspec.CallError{Kind: toolspec.KindSecurity, Message: "no"}}, nil, toolspec.CallError{Kind: toolspec.KindSecurity, Component: "tool", Message: "no"}},
		"without one": {&toolspec.Result{IsError: true, Content: []toolspec.Content{toolspec.Text("no")}}, nil, toolspec.CallError{Kind: toolspec.KindRuntimeError, Component: "tool", Message: "no"}},
	} {
		t.Run(name, func(t *testing.T) {
			sent, err := decodeReply(replyTo("tool", tc.result, tc.err).encode(nil))
			require.NoError(t, err)
			require.NotNil(t, sent.failed)
			assert.Equal(t, tc.want, *sent.failed)
			_, err = sent.result()
			assert.Error(t, err)
		})
	}
}

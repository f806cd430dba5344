package mcphub_test

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// served lists the names of what a hub serves.
func served(t testing.TB, h *mcphub.Hub) []string {
	t.Helper()
	tools, err := h.Tools(t.Context())
	require.NoError(t, err)
	names := []string{}
	for _, tool := range tools {
		names = append(names, tool.Definition().Name)
	}
	return names
}

func TestAddRefusesWhatHoldsNoPass(t *testing.T) {
	h := hubtest.NewHub(t, nil)
	assert.ErrorIs(t, h.Add(nil), studio.ErrNoPass)
	assert.ErrorIs(t, h.Add(&studio.Passed{}), studio.ErrNoPass)

	st := newStudio(t, &fakeRunner{}, nil)
	pass := publish(t, st, specOf(t, 1, "one"))
	st.Withdraw(pass.ID())
	assert.ErrorIs(t, h.Add(pass), studio.ErrWithdrawn)

	require.NoError(t, h.Add(hubtest.EchoTool(t, "echo")))
	err := h.Add(hubtest.EchoTool(t, "echo"))
	assert.ErrorIs(t, err, toolspec.ErrNameTaken)
	assert.ErrorContains(t, err, `"echo"`)
	assert.Equal(t, []string{"echo"}, served(t, h))

	assert.ErrorIs(t, h.Remove("nope"), mcphub.ErrUnknownTool)
	require.NoError(t, h.Remove("echo"))
	assert.Empty(t, served(t, h))
	require.NoError(t, h.Add(hubtest.EchoTool(t, "echo")), "the name is free again")
}

func TestAttachFollowsTheStudio(t *testing.T) {
	t.Parallel()
	leak.Check(t)
	st := newStudio(t, &fakeRunner{}, nil)
	one := publish(t, st, specOf(t, 1, "one"))
	h := hubtest.NewHub(t, nil, hubtest.EchoTool(t, "echo"))
	c := serve(t, h)
	s := c.open("2025-11-25", `{}`)
	messages, _ := s.stream(s.request("GET", ""))

	require.NoError(t, h.Attach(st))
	assert.Error(t, h.Attach(st), "attached already")
	assert.Error(t, h.Attach(nil))
	assert.Equal(t, []string{"echo", "one"}, toolNames(t, s.post(listTools).body))
	next(t, messages)

	two := publish(t, st, specOf(t, 2, "two"))
	assert.Equal(t, []string{"echo", "one", "two"}, toolNames(t, s.post(listTools).body), "served when Publish returns")
	assert.Contains(t, next(t, messages), "list_changed")
	r := result(t, s.post(call("1", "two", `{"text":"hey","times":null}`)).body)
	assert.Equal(t, map[string]any{"text": "hey"}, toMap(t, r["content"].([]any)[0].(map[string]any)["text"].(string)), "a spec checks its arguments by its own rules")
	_, kind, reason := failed(t, s.post(call("1", "two", `{}`)).body)
	assert.Equal(t, "INVALID_INPUT missing-argument", kind+" "+reason)

	st.Withdraw(two.ID())
	assert.Equal(t, []string{"echo", "one"}, toolNames(t, s.post(listTools).body), "gone when Withdraw returns")
	assert.Contains(t, next(t, messages), "list_changed")
	code, _ := rpcErr(t, s.post(call("1", "two", `{"text":"hey"}`)).body)
	assert.Equal(t, -32602, code)

	clash := newStudio(t, &fakeRunner{}, nil)
	publish(t, clash, specOf(t, 9, "one"))
	assert.ErrorIs(t, h.Attach(clash), toolspec.ErrNameTaken)
	assert.ErrorIs(t, h.Add(hubtest.EchoTool(t, "one")), toolspec.ErrNameTaken)
	assert.ErrorIs(t, h.Remove("one"), mcphub.ErrUnknownTool, "it belongs to the studio")

	later := newStudio(t, &fakeRunner{}, nil)
	require.NoError(t, h.Attach(later))
	publish(t, later, specOf(t, 10, "one"))
	tools, err := h.Tools(t.Context())
	require.NoError(t, err)
	require.Len(t, tools, 2, "the name stays with the first")
	st.Withdraw(one.ID())
	assert.Equal(t, []string{"echo", "one"}, served(t, h), "and passes to the second when it is free")
}

func toMap(t testing.TB, text string) map[string]any {
	t.Helper()
	var m map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &m), text)
	return m
}

// A call under way finishes under the pass it started with; the next is
// refused.
func TestWithdrawnDuringACall(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	var earning atomic.Bool
	earning.Store(true)
	runner := &fakeRunner{}
	runner.do = func(context.Context, *toolspec.RunRequest) (*toolspec.Outcome, error) {
		if !earning.Load() {
			close(begun)
			<-release
		}
		return &toolspec.Outcome{Result: json.RawMessage(`{"text":"hello"}`), Runtime: fakeRuntime}, nil
	}
	st := newStudio(t, runner, nil)
	pass := publish(t, st, specOf(t, 1, "one"))
	earning.Store(false)
	h := hubtest.NewHub(t, nil)
	require.NoError(t, h.Attach(st))
	tools, err := h.Tools(t.Context())
	require.NoError(t, err)
	s := serve(t, h).open("2025-11-25", `{}`)
	done := make(chan answer, 1)
	go func() { done <- s.post(call("1", "one", `{"text":"x"}`)) }()
	<-begun
	st.Withdraw(pass.ID())
	code, _ := rpcErr(t, s.post(call("2", "one", `{"text":"x"}`)).body)
	assert.Equal(t, -32602, code)
	r, err := tools[0].Call(t.Context(), &toolspec.Call{Arguments: json.RawMessage(`{"text":"x"}`)})
	require.NoError(t, err)
	assert.Equal(t, toolspec.KindSecurity, r.Err.Kind)
	assert.Equal(t, toolspec.ReasonWithdrawn, r.Err.Reason)
	close(release)
	assert.Contains(t, (<-done).body, "hello")
}

func TestWatch(t *testing.T) {
	h := hubtest.NewHub(t, nil)
	var n atomic.Int32
	stop := h.Watch(func() { n.Add(1) })
	require.NoError(t, h.Add(hubtest.EchoTool(t, "echo")))
	require.NoError(t, h.SetExposure(t.Context(), mcphub.Exposure{AutoAdd: true}))
	assert.EqualValues(t, 1, n.Load(), "what changes nothing tells nobody")
	require.NoError(t, h.Remove("echo"))
	assert.EqualValues(t, 2, n.Load())
	stop()
	require.NoError(t, h.Add(hubtest.EchoTool(t, "echo")))
	assert.EqualValues(t, 2, n.Load())
}

func TestInProcessCalls(t *testing.T) {
	var seen *toolspec.Call
	h := hubtest.NewHub(t, nil, hubtest.ToolDoing(t, "see", func(_ context.Context, call *toolspec.Call) (*toolspec.Result, error) {
		seen = call
		return toolspec.TextResult("ok"), nil
	}))
	tools, err := h.Tools(t.Context())
	require.NoError(t, err)
	mine := &toolspec.Call{Principal: toolspec.Principal{Subject: "ada"}, Conversation: "c1"}
	r, err := tools[0].Call(t.Context(), mine)
	require.NoError(t, err)
	assert.Equal(t, "ok", r.Text())
	assert.NotEmpty(t, seen.ID)
	assert.Equal(t, toolspec.Principal{Subject: "ada", Via: "in-process"}, seen.Principal)
	assert.Equal(t, &toolspec.Call{Principal: toolspec.Principal{Subject: "ada"}, Conversation: "c1"}, mine, "the caller's value stays as it is")
	_, err = tools[0].Call(t.Context(), &toolspec.Call{ID: "mine", Principal: toolspec.Principal{Via: "chat"}})
	require.NoError(t, err)
	assert.Equal(t, "mine", seen.ID)
	assert.Equal(t, "chat", seen.Principal.Via)
	for _, bad := range []string{`{`, `{"a":`, `7`, `{} {}`, ` [] `, `{"a":tru}`} {
		r, err := tools[0].Call(t.Context(), &toolspec.Call{Arguments: json.RawMessage(bad)})
		require.NoError(t, err)
		assert.Equal(t, toolspec.ReasonArguments, r.Err.Reason, bad)
	}
	for _, good := range []string{``, ` null `, " {\n} "} {
		r, err := tools[0].Call(t.Context(), &toolspec.Call{Arguments: json.RawMessage(good)})
		require.NoError(t, err)
		assert.False(t, r.IsError, good)
		assert.NotEmpty(t, seen.Arguments)
	}
}

func TestCallLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		h, err := mcphub.New(&mcphub.Options{MaxCalls: 2, CallTimeout: 10 * time.Second})
		require.NoError(t, err)
		defer h.Close()
		require.NoError(t, h.Add(hubtest.ToolDoing(t, "work", func(ctx context.Context, _ *toolspec.Call) (*toolspec.Result, error) {
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			<-time.After(4 * time.Second)
			return toolspec.TextResult("done"), ctx.Err()
		})))
		tools, err := h.Tools(t.Context())
		require.NoError(t, err)
		var wg sync.WaitGroup
		var done, busy, late atomic.Int32
		for i := range 7 { // two principals, since each has at most one of two places
			wg.Go(func() {
				r, err := tools[0].Call(t.Context(), &toolspec.Call{Principal: toolspec.Principal{Subject: []string{"ada", "bob"}[i%2]}})
				require.NoError(t, err)
				switch {
				case !r.IsError:
					done.Add(1)
				case r.Err.Reason == toolspec.ReasonBusy:
					busy.Add(1)
				case r.Err.Kind == toolspec.KindTimeout:
					late.Add(1)
				}
			})
		}
		wg.Wait()
		assert.EqualValues(t, 2, most.Load())
		assert.EqualValues(t, []int32{4, 1, 2}, []int32{done.Load(), busy.Load(), late.Load()}, "two rounds are done in time, the third begins and is late, one never began")

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for range 3 {
			wg.Go(func() {
				r, err := tools[0].Call(ctx, &toolspec.Call{})
				require.NoError(t, err)
				assert.True(t, r.IsError)
			})
		}
		wg.Wait()
		gone, leave := context.WithCancel(t.Context())
		for range 2 {
			wg.Go(func() { _, _ = tools[0].Call(t.Context(), &toolspec.Call{}) })
		}
		synctest.Wait()
		wg.Go(func() {
			r, err := tools[0].Call(gone, &toolspec.Call{})
			require.NoError(t, err)
			assert.Equal(t, toolspec.KindCancelled, r.Err.Kind)
		})
		synctest.Wait()
		leave()
		wg.Wait()
	})
}

// A tool's own time limit wins when it is shorter, the hub's otherwise.
func TestToolTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := mcphub.New(&mcphub.Options{CallTimeout: 10 * time.Second})
		require.NoError(t, err)
		defer h.Close()
		for name, limit := range map[string]time.Duration{"a": time.Second, "b": time.Minute, "c": 0} {
			tool, err := toolspec.Func(name, "Waits.", func(ctx context.Context, in struct {
				Wait bool `json:"wait,omitempty"`
			}) (string, error) {
				if in.Wait {
					<-ctx.Done()
				}
				return "ok", ctx.Err()
			}, &toolspec.FuncOptions{Timeout: limit})
			require.NoError(t, err)
			require.NoError(t, h.Add(hubtest.Certify(t, tool, `{}`, `"ok"`)))
		}
		tools, err := h.Tools(t.Context())
		require.NoError(t, err)
		for i, want := range []time.Duration{time.Second, 10 * time.Second, 10 * time.Second} {
			begin := time.Now()
			r, err := tools[i].Call(t.Context(), &toolspec.Call{Arguments: json.RawMessage(`{"wait":true}`)})
			require.NoError(t, err)
			assert.ErrorIs(t, r.Err, context.DeadlineExceeded)
			assert.Equal(t, want, time.Since(begin))
		}
	})
}

func TestClosedHub(t *testing.T) {
	leak.Check(t)
	tool, begun, _ := waiting(t)
	h := hubtest.NewHub(t, nil, tool)
	tools, err := h.Tools(t.Context())
	require.NoError(t, err)
	done := make(chan *toolspec.Result, 1)
	go func() {
		r, _ := tools[0].Call(context.Background(), &toolspec.Call{})
		done <- r
	}()
	<-begun
	require.NoError(t, h.Close())
	assert.Equal(t, toolspec.KindCancelled, (<-done).Err.Kind, "Close cancels what is under way")
	require.NoError(t, h.Close())

	r, err := tools[0].Call(t.Context(), &toolspec.Call{})
	require.NoError(t, err)
	assert.ErrorIs(t, r.Err, toolspec.ErrClosed)
	assert.ErrorIs(t, h.Add(hubtest.EchoTool(t, "echo")), toolspec.ErrClosed)
	assert.ErrorIs(t, h.Attach(newStudio(t, &fakeRunner{}, nil)), toolspec.ErrClosed)
	assert.ErrorIs(t, h.SetExposure(t.Context(), mcphub.Exposure{}), toolspec.ErrClosed)
	assert.ErrorIs(t, h.ListenAndServe(t.Context(), "127.0.0.1:0"), toolspec.ErrClosed)
}

func TestShutdownWaitsForCalls(t *testing.T) {
	tool, begun, release := waiting(t)
	h := hubtest.NewHub(t, nil, tool)
	tools, err := h.Tools(t.Context())
	require.NoError(t, err)
	done := make(chan *toolspec.Result, 1)
	go func() {
		r, _ := tools[0].Call(context.Background(), &toolspec.Call{})
		done <- r
	}()
	<-begun
	shut := make(chan error, 1)
	go func() { shut <- h.Shutdown(context.Background()) }()
	require.Eventually(t, func() bool { return h.Remove("nope") != nil && h.Attach(newStudio(t, &fakeRunner{}, nil)) != nil }, hubtest.Patience, time.Millisecond)
	select {
	case err := <-shut:
		require.Fail(t, "it did not wait", "%v", err)
	default:
	}
	close(release)
	assert.False(t, (<-done).IsError)
	assert.NoError(t, <-shut)
}

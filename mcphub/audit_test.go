package mcphub_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/audit"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
)

// records collects what a hub has recorded.
func records(t testing.TB, h *mcphub.Hub) []audit.Record {
	t.Helper()
	var all []audit.Record
	for r, err := range h.AuditRecords(t.Context()) {
		require.NoError(t, err)
		all = append(all, r)
	}
	return all
}

// logged reads the raw log of a store.
func logged(t testing.TB, store localpass.Log) []string {
	t.Helper()
	var all []string
	for r, err := range store.Records(t.Context(), "audit", localpass.LogOptions{}) {
		require.NoError(t, err)
		all = append(all, string(r.Data))
	}
	return all
}

// sound verifies the log of a store and tells how many calls are in it.
func sound(t testing.TB, store localpass.Persistence) int {
	t.Helper()
	report, err := audit.Verify(t.Context(), store)
	require.NoError(t, err)
	require.NoError(t, report.Err())
	return report.Calls
}

func TestAuditRecord(t *testing.T) {
	runner := &fakeRunner{}
	st := newStudio(t, runner, nil)
	pass := publish(t, st, specOf(t, 1, "one"))
	runner.do = func(context.Context, *toolspec.RunRequest) (*toolspec.Outcome, error) {
		return &toolspec.Outcome{Result: json.RawMessage(`"ok"`), Runtime: fakeRuntime, ConsoleCut: true,
			Limits: toolspec.Limits{Timeout: time.Second, Statements: 1000}, Usage: activity.Usage{Duration: 3, CPU: 2, Statements: 40, HostCalls: 5, Memory: 9, MemoryBefore: 8},
			Accesses: []activity.Access{{Component: "fetch", Op: "GET", Target: "https://api.example.com", Status: 200, Bytes: 12, Count: 2},
				{Component: "fs", Op: "writeText", Target: "notes/\"a\".txt", Count: 1}},
			AccessesCut: 7,
			Denials:     []activity.Denial{{Component: "fetch", Reason: "private-address", Detail: "http://10.0.0.1/?key=hunter2"}, {Component: "fs", Reason: "not-granted"}}}, nil
	}
	store := memory.New()
	who := func(*http.Request) (toolspec.Principal, error) {
		return toolspec.Principal{Subject: "ada", Issuer: "https://id.example.com"}, nil
	}
	h := hubtest.NewHub(t, &mcphub.Options{Store: store, Authenticate: who}, hubtest.EchoTool(t, "echo"))
	require.NoError(t, h.Attach(st))
	s := serve(t, h).open("2025-11-25", `{}`)
	begin := time.Now()
	s.post(call("1", "one", `{"times": 1.0, "text":"hunter2"}`))
	s.post(call("2", "one", `{"text":"hunter2","times":1}`))
	s.post(call("3", "echo", `{"text":7}`))
	s.post(call("4", "nope", `{}`))

	all := records(t, h)
	require.Len(t, all, 3, "one for each call; what was never called has none")
	first := all[0]
	assert.WithinRange(t, first.Time, begin.Add(-time.Second), time.Now())
	assert.Regexp(t, `^[0-9a-f]{32}$`, first.Call)
	assert.Equal(t, pass.ID(), first.Tool.ID)
	assert.Equal(t, "one", first.Tool.Name)
	assert.Equal(t, toolspec.L0, first.Tool.Level)
	assert.Equal(t, pass.Receipt().ID, first.Tool.Pass)
	assert.Equal(t, pass.Posture().Network, first.Tool.Posture.Network)
	assert.Equal(t, pass.Posture().Limits, first.Tool.Posture.Limits)
	assert.Equal(t, toolspec.Principal{Subject: "ada", Issuer: "https://id.example.com", Via: "http"}, first.Principal)
	assert.Equal(t, "tcp", first.Transport)
	assert.Equal(t, "2025-11-25", first.Protocol)
	assert.True(t, first.OK)
	assert.Positive(t, first.Duration)
	assert.Equal(t, fakeRuntime, *first.Runtime)
	assert.Equal(t, pass.Receipt().ContentHash, first.Tool.ContentHash)
	assert.Equal(t, toolspec.Limits{Timeout: time.Second, Statements: 1000}, *first.Limits)
	assert.Equal(t, activity.Usage{Duration: 3, CPU: 2, Statements: 40, HostCalls: 5, Memory: 9, MemoryBefore: 8}, *first.Usage)
	assert.Equal(t, []activity.Access{{Component: "fetch", Op: "GET", Target: "https://api.example.com", Status: 200, Bytes: 12, Count: 2},
		{Component: "fs", Op: "writeText", Target: "notes/\"a\".txt", Count: 1}}, first.Accesses)
	assert.Equal(t, 7, first.AccessesCut)
	assert.True(t, first.ConsoleCut)
	assert.Equal(t, []audit.Denial{{Component: "fetch", Reason: "private-address"}, {Component: "fs", Reason: "not-granted"}}, first.Denials)
	want, err := canon.Transform([]byte(`{"text":"hunter2","times":1}`))
	require.NoError(t, err)
	assert.Equal(t, canon.Digest(want), first.Arguments)
	assert.Equal(t, first.Arguments, all[1].Arguments, "the same arguments in other words")
	assert.Equal(t, first.Session, all[1].Session)

	bad := all[2]
	assert.Equal(t, "go:echo", bad.Tool.ID)
	assert.Nil(t, bad.Tool.Posture)
	assert.Nil(t, bad.Runtime)
	assert.False(t, bad.OK)
	assert.Equal(t, "INVALID_INPUT arguments arguments", fmt.Sprint(bad.Kind, " ", bad.Reason, " ", bad.Component))

	log := logged(t, store)
	require.Len(t, log, 4)
	assert.Contains(t, log[0], `"begin":{"version":1}`)
	for i, raw := range log[1:] {
		assert.NotContains(t, raw, "hunter2", "no argument, and nothing that came with a denial")
		assert.NotContains(t, raw, s.session, "no session id")
		plain, err := json.Marshal(all[i])
		require.NoError(t, err)
		_, own, ok := strings.Cut(raw, `"time"`)
		require.True(t, ok)
		assert.Equal(t, string(plain), `{"time"`+own, "a record that was read is written as it stood")
	}
	assert.Equal(t, 3, sound(t, store))
}

func TestAuditOfOtherWays(t *testing.T) {
	h := hubtest.NewHub(t, nil, hubtest.EchoTool(t, "echo"))
	p := stdio(t, h).open("2024-11-05", `{}`)
	p.ask(call("1", "echo", `{"text":"x"}`))
	c := serve(t, h)
	c.modern("1", "tools/call", "echo", `"name":"echo"`, "")
	tools, err := h.Tools(t.Context())
	require.NoError(t, err)
	_, err = tools[0].Call(t.Context(), &toolspec.Call{ID: "mine", Conversation: "c7", Principal: toolspec.Principal{Subject: "ada"}})
	require.NoError(t, err)

	all := records(t, h)
	require.Len(t, all, 3)
	assert.Equal(t, "local via stdio", all[0].Principal.String())
	assert.Equal(t, "pipe", all[0].Transport)
	assert.Equal(t, "2024-11-05", all[0].Protocol)
	assert.NotEmpty(t, all[0].Session)
	assert.Equal(t, "local via http", all[1].Principal.String())
	assert.Equal(t, "2026-07-28", all[1].Protocol)
	assert.Empty(t, all[1].Session)
	assert.Equal(t, "ada via in-process", all[2].Principal.String())
	assert.Equal(t, "mine", all[2].Call)
	assert.Equal(t, "c7", all[2].Conversation)
	assert.Empty(t, all[2].Transport)
}

// logStore is a store whose log can fail, hang or panic.
type logStore struct {
	*memory.Store
	append func(ctx context.Context, records []json.RawMessage) error
}

func (s *logStore) LogWriter(log string) (localpass.LogWriter, error) {
	w, err := s.Store.LogWriter(log)
	return logWriter{w, s}, err
}

type logWriter struct {
	localpass.LogWriter
	store *logStore
}

func (w logWriter) Append(ctx context.Context, records ...json.RawMessage) error {
	if w.store.append != nil {
		if err := w.store.append(ctx, records); err != nil {
			return err
		}
	}
	return w.LogWriter.Append(ctx, records...)
}

// No record, no result.
func TestAuditThatFails(t *testing.T) {
	var broken atomic.Int32
	store := &logStore{Store: memory.New()}
	store.append = func(context.Context, []json.RawMessage) error {
		switch broken.Load() {
		case 1:
			return errors.New("the disk is full of hunter2")
		case 2:
			panic("the store is broken")
		}
		return nil
	}
	h := hubtest.NewHub(t, &mcphub.Options{Store: store}, hubtest.EchoTool(t, "echo"))
	s := serve(t, h).open("2025-11-25", `{}`)
	assert.Contains(t, s.post(call("1", "echo", `{"text":"the result"}`)).body, "the result")
	for mode := int32(1); mode <= 2; mode++ {
		broken.Store(mode)
		a := s.post(call("1", "echo", `{"text":"the result"}`))
		text, kind, reason := failed(t, a.body)
		assert.Contains(t, text, "RUNTIME_ERROR: the call cannot be recorded")
		assert.Equal(t, "RUNTIME_ERROR audit-unavailable", kind+" "+reason)
		assert.NotContains(t, a.body, "the result")
		assert.NotContains(t, a.body, "hunter2")
	}
	broken.Store(0)
	assert.Contains(t, s.post(call("1", "echo", `{"text":"the result"}`)).body, "the result")
	assert.Equal(t, 2, sound(t, store), "after a failure a new chain begins")
}

type auditFunc func(ctx context.Context, r *audit.Record) error

func (f auditFunc) Audit(ctx context.Context, r *audit.Record) error { return f(ctx, r) }

func TestOwnAuditor(t *testing.T) {
	begun := make(chan struct{}, 1)
	var got atomic.Pointer[audit.Record]
	mode := "keep"
	h := hubtest.NewHub(t, &mcphub.Options{Store: memory.New(), Audit: auditFunc(func(ctx context.Context, r *audit.Record) error {
		if mode == "panic" {
			panic("broken")
		}
		kept := *r
		got.Store(&kept)
		return ctx.Err()
	})}, hubtest.EchoTool(t, "echo"), hubtest.ToolDoing(t, "wait", func(ctx context.Context, _ *toolspec.Call) (*toolspec.Result, error) {
		begun <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}))
	tools, err := h.Tools(t.Context())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	r, err := tools[1].Call(ctx, &toolspec.Call{})
	require.NoError(t, err)
	assert.Equal(t, toolspec.KindCancelled, r.Err.Kind, "a call that was cancelled is recorded too")
	assert.Equal(t, toolspec.KindCancelled, got.Load().Kind)
	assert.Equal(t, "wait", got.Load().Tool.Name)
	assert.Empty(t, records(t, h), "the hub does not know what an auditor keeps")

	mode = "panic"
	r, err = tools[0].Call(t.Context(), &toolspec.Call{Arguments: json.RawMessage(`{"text":"x"}`)})
	require.NoError(t, err)
	assert.Equal(t, mcphub.ReasonAuditUnavailable, r.Err.Reason)
}

// Records that come together are written together, and each once.
func TestAuditSharesWrites(t *testing.T) {
	const calls = 40
	var writes, most atomic.Int32
	first, go1 := make(chan struct{}), make(chan struct{})
	var once sync.Once
	store := &logStore{Store: memory.New()}
	store.append = func(_ context.Context, records []json.RawMessage) error {
		writes.Add(1)
		most.Store(max(most.Load(), int32(len(records))))
		once.Do(func() { // the others gather meanwhile
			close(first)
			<-go1
		})
		return nil
	}
	var running sync.WaitGroup
	running.Add(calls - 1)
	h := hubtest.NewHub(t, &mcphub.Options{Store: store}, hubtest.ToolDoing(t, "go", func(_ context.Context, call *toolspec.Call) (*toolspec.Result, error) {
		if call.ID != "first" {
			running.Done()
		}
		return toolspec.TextResult("ok"), nil
	}))
	tools, err := h.Tools(t.Context())
	require.NoError(t, err)
	var wg sync.WaitGroup
	one := func(id string) {
		wg.Go(func() {
			r, err := tools[0].Call(context.Background(), &toolspec.Call{ID: id})
			assert.NoError(t, err)
			assert.False(t, r.IsError)
		})
	}
	one("first")
	<-first
	for i := range calls - 1 {
		one(fmt.Sprint(i))
	}
	running.Wait()
	close(go1)
	wg.Wait()
	assert.Less(t, writes.Load(), int32(calls))
	assert.Greater(t, most.Load(), int32(1))
	assert.Equal(t, calls, sound(t, store))
}

func TestAuditFailureReachesAllThatWait(t *testing.T) {
	const calls = 10
	first, go1 := make(chan struct{}), make(chan struct{})
	var once sync.Once
	store := &logStore{Store: memory.New()}
	store.append = func(context.Context, []json.RawMessage) error {
		once.Do(func() {
			close(first)
			<-go1
		})
		return errFailing
	}
	var refused atomic.Int32
	h := hubtest.NewHub(t, &mcphub.Options{Store: store}, hubtest.EchoTool(t, "echo"))
	tools, err := h.Tools(t.Context())
	require.NoError(t, err)
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() {
			if i > 0 {
				<-first
			}
			r, err := tools[0].Call(context.Background(), &toolspec.Call{Arguments: json.RawMessage(`{"text":"x"}`)})
			assert.NoError(t, err)
			if r.IsError && errors.Is(r.Err, errFailing) {
				refused.Add(1)
			}
		})
	}
	<-first
	close(go1)
	wg.Wait()
	assert.EqualValues(t, calls, refused.Load())
}

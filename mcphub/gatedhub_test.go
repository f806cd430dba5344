package mcphub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// gatedTool is a tool in Go that wants approval and says what it did.
type gatedTool struct {
	def toolspec.Definition
	do  func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error)
}

func (g *gatedTool) Definition() toolspec.Definition { return g.def }
func (g *gatedTool) Call(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
	return g.do(ctx, call)
}

// gated makes a passed tool that wants approval, of one text argument. run is
// told of each call but for the one that earns the pass.
func gated(t testing.TB, name, description string, level toolspec.Level, run func(ctx context.Context, call *toolspec.Call)) *studio.Passed {
	t.Helper()
	tool := &gatedTool{def: toolspec.Definition{Name: name, Description: description, Level: level,
		InputSchema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`),
		Approval:    &toolspec.Approval{Mode: toolspec.ApprovalRequired, PromptTemplate: "May {toolName} run with {args}?"}}}
	tool.do = func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
		if call.ID != "certify" {
			run(ctx, call)
		}
		return toolspec.TextResult("done"), nil
	}
	return hubtest.Certify(t, tool, `{"text":"x"}`, `"done"`)
}

// ran is one run of a tool.
type ran struct {
	tool    string
	version int
	text    string
}

// gatedHub is a hub with a gate, its tools and its clients, in a bubble.
type gatedHub struct {
	t      testing.TB
	hub    *mcphub.Hub
	gate   *approval.Gate
	studio *studio.Studio
	audit  *auditList
	store  *memory.Store

	mu      sync.Mutex
	runs    []ran
	asked   []approval.Request
	quiet   bool // a tool earns its pass: its runs do not count
	version map[string]int
	nextID  int

	ending []func()
	closed bool
}

// auditList keeps what a gate records.
type auditList struct {
	mu      sync.Mutex
	records []approval.AuditRecord
	fail    error
}

func (a *auditList) AuditApproval(_ context.Context, r *approval.AuditRecord) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.records = append(a.records, *r)
	return a.fail
}

func (a *auditList) count(kind approval.AuditKind) (n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range a.records {
		if r.Kind == kind {
			n++
		}
	}
	return n
}

// newGatedHub must be called in a bubble, and close in the same one. change may set
// what is not as usual.
func newGatedHub(t testing.TB, change func(*approval.Options, *mcphub.Options)) *gatedHub {
	t.Helper()
	w := &gatedHub{t: t, audit: &auditList{}, store: memory.New(), version: map[string]int{}}
	gateOptions := &approval.Options{Store: w.store, Audit: w.audit, Approvers: []approval.Approver{approval.Elicitation(nil)}, PerMinute: 1 << 20,
		OnPending: func(r approval.Request) {
			w.mu.Lock()
			w.asked = append(w.asked, r)
			w.mu.Unlock()
		}}
	hubOptions := &mcphub.Options{Store: w.store, SessionIdle: 1000 * time.Hour,
		Authenticate: func(r *http.Request) (toolspec.Principal, error) {
			return toolspec.Principal{Subject: r.Header.Get("X-Who")}, nil
		}}
	if change != nil {
		change(gateOptions, hubOptions)
	}
	var err error
	w.gate, err = approval.NewGate(gateOptions)
	require.NoError(t, err)
	hubOptions.Approval = w.gate
	w.hub, err = mcphub.New(hubOptions)
	require.NoError(t, err)
	runner := &fakeRunner{do: func(_ context.Context, req *toolspec.RunRequest) (*toolspec.Outcome, error) {
		var version int
		_, _ = fmt.Sscanf(req.Spec.Description, "Version %d", &version)
		var text string
		for _, g := range req.Globals {
			if g.Name == "text" {
				_ = json.Unmarshal(g.Value, &text)
			}
		}
		w.ran(req.Spec.Name, version, text)
		return &toolspec.Outcome{Result: json.RawMessage(`{"done":true}`), Runtime: fakeRuntime}, nil
	}}
	w.studio = newStudio(t, runner, &studio.Options{Gate: w.gate})
	require.NoError(t, w.hub.Attach(w.studio))
	require.NoError(t, w.hub.Add(hubtest.Certified(t, "open", func(_ context.Context, in hubtest.TextIn) (string, error) {
		w.ran("open", 0, in.Text)
		return "done", nil
	}, `{"text":"x"}`, `"done"`, &toolspec.FuncOptions{Level: toolspec.L0})))
	w.runs = nil
	w.republish("wipe")
	w.republish("note")
	return w
}

func (w *gatedHub) ran(tool string, version int, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.quiet {
		w.runs = append(w.runs, ran{tool, version, text})
	}
}

// took returns the runs and the questions since the last time.
func (w *gatedHub) took() (runs []ran, asked []approval.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	runs, asked, w.runs, w.asked = w.runs, w.asked, nil, nil
	return runs, asked
}

// republish puts another version of a tool in the place of the one that is
// served: "wipe" is written in Go, "note" is a spec, which has a gate of its own.
func (w *gatedHub) republish(tool string) {
	w.t.Helper()
	w.version[tool]++
	version := w.version[tool]
	if tool == "wipe" {
		if version > 1 {
			require.NoError(w.t, w.hub.Remove("wipe"))
		}
		require.NoError(w.t, w.hub.Add(gated(w.t, "wipe", fmt.Sprintf("Version %d wipes.", version), toolspec.L3,
			func(_ context.Context, call *toolspec.Call) {
				var in hubtest.TextIn
				_ = json.Unmarshal(call.Arguments, &in)
				w.ran("wipe", version, in.Text)
			})))
		return
	}
	spec, err := toolspec.ParseSpec([]byte(fmt.Sprintf(`{"toolId":"00000007-0000-4000-8000-000000000000","name":"note","description":"Version %d keeps notes.",
		"params":[{"name":"text","description":"What to keep.","required":true,"type":"STRING","testValue":"x"}],
		"humanInTheLoop":{"mode":"REQUIRED"},
		"code":"return text;","codeType":"Javascript","x-tests":[{"args":{"text":"x"},"want":{"done":true}}]}`, version)))
	require.NoError(w.t, err)
	w.setQuiet(true)
	pass, report, err := w.studio.TestAndPublish(context.Background(), spec, &studio.TestOptions{ByAuthor: true})
	w.setQuiet(false)
	require.NoError(w.t, err)
	require.NotNil(w.t, pass, "%+v", report)
}

func (w *gatedHub) setQuiet(quiet bool) {
	w.mu.Lock()
	w.quiet = quiet
	w.mu.Unlock()
}

func (w *gatedHub) id() int {
	w.nextID++
	return w.nextID
}

// overHTTP returns a client; one of an earlier era has a session.
func (w *gatedHub) overHTTP(who string, modern, able bool) *rawClient {
	w.t.Helper()
	c := &rawClient{who: who, modern: modern, able: able, version: "2026-07-28", handler: w.hub.Handler()}
	if !modern {
		c.version = "2025-11-25"
		w.initialize(c)
		require.NotEmpty(w.t, c.session)
	}
	return c
}

// overStdio returns a client over stdio, which ends with the hub.
func (w *gatedHub) overStdio(modern, able bool) *rawClient {
	w.t.Helper()
	c := &rawClient{who: "local", modern: modern, able: able, version: "2026-07-28"}
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	c.stdin = stdin
	served := make(chan error, 1)
	go func() { served <- w.hub.ServeStdio(context.Background(), in, out) }()
	go func() {
		dec := json.NewDecoder(stdout)
		for {
			var raw json.RawMessage
			if dec.Decode(&raw) != nil {
				return
			}
			c.took(string(raw))
		}
	}()
	w.ending = append(w.ending, func() {
		_ = stdin.Close()
		if err := <-served; err != nil {
			w.t.Errorf("stdio: %v", err)
		}
		_ = out.Close()
	})
	if !modern {
		c.version = "2025-11-25"
		w.initialize(c)
	}
	return c
}

func (w *gatedHub) initialize(c *rawClient) {
	caps := `{}`
	if c.able {
		caps = `{"elicitation":{}}`
	}
	c.session = ""
	c.send(initialize(c.version, caps))
	synctest.Wait()
	require.Len(w.t, c.fresh(), 1)
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	synctest.Wait()
}

// close ends everything, once.
func (w *gatedHub) close() {
	if w.closed {
		return
	}
	w.closed = true
	for _, end := range w.ending {
		end()
	}
	for _, end := range []func() error{w.hub.Close, w.gate.Close} {
		if err := end(); err != nil {
			w.t.Errorf("close: %v", err)
		}
	}
}

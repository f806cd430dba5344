package mcphub

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec"
)

// TaskOptions are the options of the tasks of a hub: calls whose client has got
// a handle and fetches the result when it is ready. Clients of 2026-07-28 that
// declare the extension io.modelcontextprotocol/tasks get them for tools whose
// Definition.Task allows it, and while a person is asked whether a tool may run;
// those of 2025-11-25 where they ask for one. Tasks live in memory: they end with
// the hub. The zero value works.
type TaskOptions struct {
	// Off makes every call a plain one.
	Off bool
	// After is how long a client waits for the result itself before it gets a
	// task. What a tool asks in that time is asked before there is a task, and has
	// to be answered within Options.QuestionTimeout.
	// Default 100 ms; below 0 is at once.
	After time.Duration
	// Timeout bounds the run of a task, its waits for answers and for approval
	// included. A tool's own shorter limit wins. Default 30 minutes.
	Timeout time.Duration
	// Keep is how long a result is kept for a client that does not fetch it;
	// once fetched, it is kept for one minute at most. Default 10 minutes.
	Keep time.Duration
	// Poll is how often clients are asked to look. Default 1 s.
	Poll time.Duration
	// Max bounds the tasks that run or are kept, of which one principal may have
	// half. When there is no room, a call is a plain one, or refused when its
	// tool is one that only runs as a task. Default 1,000.
	Max int
	// MaxRunning bounds the tasks that run at the same time, beside
	// Options.MaxCalls; others wait within their time. Default 64.
	MaxRunning int
}

const (
	defaultTaskAfter   = 100 * time.Millisecond
	defaultTaskTimeout = 30 * time.Minute
	defaultTaskKeep    = 10 * time.Minute
	defaultTaskPoll    = time.Second
	defaultTaskMax     = 1000
	defaultTaskRunning = 64

	// taskRead is how long a result is kept after it was fetched: the answer may
	// have been lost on its way.
	taskRead = time.Minute
	// maxTaskQuestions bounds the questions of one task that are open.
	maxTaskQuestions = 32
)

func (o *TaskOptions) defaults() {
	o.After = cmp.Or(o.After, defaultTaskAfter)
	o.Timeout = cmp.Or(max(o.Timeout, 0), defaultTaskTimeout)
	o.Keep = cmp.Or(max(o.Keep, 0), defaultTaskKeep)
	o.Poll = cmp.Or(max(o.Poll, 0), defaultTaskPoll)
	o.Max = cmp.Or(max(o.Max, 0), defaultTaskMax)
	o.MaxRunning = cmp.Or(max(o.MaxRunning, 0), defaultTaskRunning)
}

// task is a call that runs on its own, whether its client knows of it yet or not.
type task struct {
	id       string
	owner    toolspec.Principal
	session  *session     // its owner up to 2025-11-25; nil since
	identity callIdentity // of the call
	created  time.Time
	opts     *TaskOptions
	out      *taskOutlet // nil when the client takes no messages
	stop     context.CancelFunc

	mu        sync.Mutex // guards what follows
	state     taskState
	questions taskQuestions
	handle    taskHandle
	kept      taskKept
	end       *taskEnd // nil as long as the call runs
}

// taskHandle is what the client knows of a task.
type taskHandle struct {
	told     bool // it has got the id
	gated    bool // the call ends with a question about itself: there will be no task
	fetching int  // requests that wait for the result (2025-11-25)
}

// taskKept is how long a task is kept.
type taskKept struct {
	until time.Time
	timer *time.Timer // nil as long as the task cannot be found
}

// keepFor sets how long the task is kept from now on. t.mu must be held.
func (t *task) keepFor(d time.Duration) {
	t.kept.until = time.Now().Add(d)
	if t.kept.timer != nil {
		t.kept.timer.Reset(d)
	}
}

// taskEnd is how the call of a task ended.
type taskEnd struct {
	kind     answerKind
	result   []byte     // as it is sent; nil when it will not be fetched
	failed   bool       // the result says so
	question *question  // with answeredByQuestion
	fault    *rpc.Error // with answeredByError, or why there is a result that only tasks have an error for
}

// callEnded takes how the call ended. message says it in short, where it failed.
func (t *task) callEnded(end *taskEnd, message string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = end
	if end.fault != nil {
		t.endAs(taskFailed, end.fault.Message)
	} else if !t.endAs(taskCompleted, message) {
		end.result = nil // it was cancelled
	}
	t.changed() // also for one that was cancelled: the call has ended
}

// cancel ends the task because the client wants it to. false: it has ended.
func (t *task) cancel() bool {
	t.mu.Lock()
	first := t.endAs(taskCancelled, "The client cancelled it.")
	t.mu.Unlock()
	t.stop()
	return first
}

// fetched notes that the client has got to know the end, which need not be kept
// for long then. t.mu must be held.
func (t *task) fetched() {
	if t.state.status.terminal() && time.Until(t.kept.until) > taskRead {
		t.keepFor(taskRead)
	}
}

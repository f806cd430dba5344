package mcphub

import (
	"cmp"
	"context"
	"encoding/json"
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
	// taskQuestions bounds the questions of one task that are open.
	taskQuestions = 32
)

func (o *TaskOptions) defaults() {
	o.After = cmp.Or(o.After, defaultTaskAfter)
	o.Timeout = cmp.Or(max(o.Timeout, 0), defaultTaskTimeout)
	o.Keep = cmp.Or(max(o.Keep, 0), defaultTaskKeep)
	o.Poll = cmp.Or(max(o.Poll, 0), defaultTaskPoll)
	o.Max = cmp.Or(max(o.Max, 0), defaultTaskMax)
	o.MaxRunning = cmp.Or(max(o.MaxRunning, 0), defaultTaskRunning)
}

// taskStatus is the status of a task.
type taskStatus uint8

const (
	taskWorking taskStatus = iota
	taskInputRequired
	taskCompleted
	taskFailed
	taskCancelled
)

var taskStatuses = [...]string{"working", "input_required", "completed", "failed", "cancelled"}

func (s taskStatus) terminal() bool { return s >= taskCompleted }

// task is a call that runs on its own, whether its client knows of it yet or not.
type task struct {
	id      string
	owner   toolspec.Principal
	session *session // its owner up to 2025-11-25; nil since
	tool    string
	digest  string // of the arguments
	created time.Time
	opts    *TaskOptions
	out     *taskOutlet // nil when the client takes no messages
	stop    context.CancelFunc

	mu       sync.Mutex // guards what follows
	status   taskStatus
	message  string // its progress, for people
	changes  uint64
	updated  time.Time
	expires  time.Time // when it is forgotten
	expiry   *time.Timer
	end      *taskEnd // nil as long as the call runs
	asked    []*taskQuestion
	keys     map[string]bool
	lastKey  int
	early    map[string]json.RawMessage // answers that came with the call
	told     bool                       // the client has got its id
	gated    bool                       // the call ends with a question about itself
	fetching int                        // requests that wait for the result (2025-11-25)
	watchers map[chan struct{}]struct{}
}

// watch returns what is woken by each change of the task from now on. Several
// changes may be one wake-up.
func (t *task) watch(wake chan struct{}) (leave func()) {
	t.mu.Lock()
	if t.watchers == nil {
		t.watchers = make(map[chan struct{}]struct{})
	}
	t.watchers[wake] = struct{}{}
	t.mu.Unlock()
	return func() {
		t.mu.Lock()
		delete(t.watchers, wake)
		t.mu.Unlock()
	}
}

// changed notifies the watchers. t.mu must be held.
func (t *task) changed() {
	t.changes++
	t.updated = time.Now()
	for wake := range t.watchers {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

// ends puts the task into its last state, once; what comes later is dropped.
// t.mu must be held.
func (t *task) ends(status taskStatus, message string) bool {
	if t.status.terminal() {
		return false
	}
	t.status, t.message, t.asked = status, message, nil
	t.keep(t.opts.Keep)
	t.changed()
	return true
}

// keep sets how long the task is kept from now on. t.mu must be held.
func (t *task) keep(d time.Duration) {
	t.expires = time.Now().Add(d)
	if t.expiry != nil {
		t.expiry.Reset(d)
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

// finish takes how the call ended. message says it in short, where it failed.
func (t *task) finish(end *taskEnd, message string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = end
	if end.fault != nil {
		t.ends(taskFailed, end.fault.Message)
	} else if !t.ends(taskCompleted, message) {
		end.result = nil // it was cancelled
	}
	t.changed() // also for one that was cancelled: the call has ended
}

// cancel ends the task because the client wants it to. false: it has ended.
func (t *task) cancel() bool {
	t.mu.Lock()
	first := t.ends(taskCancelled, "The client cancelled it.")
	t.mu.Unlock()
	t.stop()
	return first
}

// fetched notes that the client has got to know the end, which need not be kept
// for long then. t.mu must be held.
func (t *task) fetched() {
	if t.status.terminal() && time.Until(t.expires) > taskRead {
		t.keep(taskRead)
	}
}

package mcphub

import (
	"strconv"
	"time"

	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// taskStatus is the status of a task. A working task has the status input required while
// a question is open. It ends once: completed or failed with its call, or cancelled.
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

// taskState is the status of a task with the related values, for its watchers.
type taskState struct {
	status   taskStatus
	message  string // the progress, for people
	changes  uint64
	updated  time.Time
	watchers map[chan struct{}]struct{}
}

// watch registers a channel that is woken by each change of the task from now on. Several
// changes may cause only one wake-up.
func (t *task) watch(wake chan struct{}) (leave func()) {
	t.mu.Lock()
	if t.state.watchers == nil {
		t.state.watchers = make(map[chan struct{}]struct{})
	}
	t.state.watchers[wake] = struct{}{}
	t.mu.Unlock()
	return func() {
		t.mu.Lock()
		delete(t.state.watchers, wake)
		t.mu.Unlock()
	}
}

// changed notifies the watchers. t.mu must be held.
func (t *task) changed() {
	t.state.changes++
	t.state.updated = time.Now()
	for wake := range t.state.watchers {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

// endAs puts the task into its final status, once; later calls have no effect. t.mu must
// be held.
func (t *task) endAs(status taskStatus, message string) bool {
	if t.state.status.terminal() {
		return false
	}
	t.state.status, t.state.message, t.questions.open = status, message, nil
	t.keepFor(t.opts.Keep)
	t.changed()
	return true
}

// questionsChanged updates the status after the number of open questions changed. t.mu
// must be held.
func (t *task) questionsChanged() {
	switch {
	case t.state.status.terminal():
	case len(t.questions.open) > 0:
		t.state.status = taskInputRequired
	default:
		t.state.status = taskWorking
	}
	t.changed()
}

// appendTask writes the members that describe a task, without the result. t.mu must be
// held.
func (t *task) appendTask(dst []byte) []byte {
	dst = rpc.AppendString(append(dst, `"taskId":`...), t.id)
	dst = append(append(append(dst, `,"status":"`...), taskStatuses[t.state.status]...), '"')
	dst = rpc.AppendField(dst, "statusMessage", t.state.message)
	dst = rpc.AppendTime(append(dst, `,"createdAt":`...), t.created)
	dst = rpc.AppendTime(append(dst, `,"lastUpdatedAt":`...), t.state.updated)
	dst = appendMillis(append(dst, `,"ttlMs":`...), t.kept.until.Sub(t.created))
	return appendMillis(append(dst, `,"pollIntervalMs":`...), t.opts.Poll)
}

// appendMillis writes a time in whole milliseconds, rounded up, at least 1.
func appendMillis(dst []byte, d time.Duration) []byte {
	return strconv.AppendInt(dst, max(int64((d+time.Millisecond-1)/time.Millisecond), 1), 10)
}

// appendDetail is appendTask plus what belongs to the status: the questions, the result
// or the error.
func (t *task) appendDetail(dst []byte) []byte {
	dst = t.appendTask(dst)
	switch t.state.status {
	case taskInputRequired:
		dst = appendTaskQuestions(append(dst, `,"inputRequests":`...), t.questions.open)
	case taskCompleted:
		dst = append(append(dst, `,"result":`...), t.end.result...)
	case taskFailed:
		dst = strconv.AppendInt(append(dst, `,"error":{"code":`...), int64(t.end.fault.Code), 10)
		dst = append(rpc.AppendString(append(dst, `,"message":`...), t.end.fault.Message), '}')
	}
	return dst
}

func appendTaskQuestions(dst []byte, asked []*taskQuestion) []byte {
	dst = append(dst, '{')
	for _, q := range asked {
		dst = rpc.AppendString(append(rpc.AppendString(rpc.Comma(dst), q.key), `:{"method":`...), q.method)
		if q.params != nil {
			dst = append(append(dst, `,"params":`...), q.params...)
		}
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

// appendCreated writes the response to a call that became a task. t.mu must be
// held.
func (t *task) appendCreated(dst, id, serverInfo []byte) []byte {
	dst = append(rpc.AppendHead(dst, id), `,"result":{"resultType":"task",`...)
	return append(rpc.AppendMeta(t.appendTask(dst), nil, serverInfo), "}}"...)
}

// appendGot writes the response to tasks/get. t.mu must be held.
func (t *task) appendGot(dst, id, serverInfo []byte) []byte {
	dst = append(rpc.AppendHead(dst, id), `,"result":{"resultType":"complete",`...)
	return append(rpc.AppendMeta(t.appendDetail(dst), nil, serverInfo), "}}"...)
}

// appendParked writes the response to a call that asks before it becomes a task.
func appendParked(dst, id []byte, asked []*taskQuestion, state string, serverInfo []byte) []byte {
	dst = append(rpc.AppendHead(dst, id), `,"result":{"resultType":"input_required","inputRequests":`...)
	dst = appendTaskQuestions(dst, asked)
	dst = rpc.AppendString(append(dst, `,"requestState":`...), state)
	return append(rpc.AppendMeta(dst, nil, serverInfo), "}}"...)
}

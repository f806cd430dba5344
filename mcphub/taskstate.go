package mcphub

import "time"

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

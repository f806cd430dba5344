package mcphub

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/localpass/localpass/toolspec"
)

// The experimental tasks of 2025-11-25: the client asks for a task with the call,
// and fetches the result by a request of its own, on which it is asked what the
// tool wants to know. Such a task belongs to its session.

const (
	methodTasksList = string(mcp.MethodTasksList)

	// oldTaskPage is how many tasks a page of tasks/list has.
	oldTaskPage = 100
)

// oldTasks reports whether a request is one of a session that knows tasks.
func (h *Hub) oldTasks(x *exchange) bool {
	return x.session != nil && x.version == mcp.ProtocolVersion20251125 && !h.opts.Tasks.Off
}

// withOldTasks adds to a listed tool what a session that knows tasks learns of it.
func (h *Hub) withOldTasks(ctx context.Context, tool mcp.Tool, support toolspec.TaskSupport) mcp.Tool {
	if support == toolspec.TaskNever || h.opts.Tasks.Off {
		return tool
	}
	s, ok := server.ClientSessionFromContext(ctx).(*session)
	if !ok || s.speaks() != mcp.ProtocolVersion20251125 {
		return tool
	}
	tool.Execution = &mcp.ToolExecution{TaskSupport: mcp.TaskSupportOptional}
	if support == toolspec.TaskRequired {
		tool.Execution.TaskSupport = mcp.TaskSupportRequired
	}
	return tool
}

func (s *session) speaks() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// answerAsOldTask serves a call of such a session that asks for a task, or that
// should have; done says that it did.
func (h *Hub) answerAsOldTask(ctx context.Context, x *exchange, e *entry) (response []byte, bad *rpcError, done bool) {
	wanted := isObject(x.msg.task)
	switch {
	case x.msg.task != nil && !wanted:
		return nil, badParams(`"task" must be an object`), true
	case wanted && e.def.Task == toolspec.TaskNever:
		return nil, &rpcError{code: mcp.METHOD_NOT_FOUND, message: e.def.Name + " does not run as a task: call it without one"}, true
	case !wanted && e.def.Task == toolspec.TaskRequired:
		return nil, &rpcError{code: mcp.METHOD_NOT_FOUND, message: e.def.Name + " runs only as a task: call it with one"}, true
	case !wanted:
		return nil, nil, false
	}
	t := h.beginTask(ctx, x, e)
	if t == nil {
		return nil, &rpcError{code: mcp.INTERNAL_ERROR, message: "there are too many tasks: try again later"}, true
	}
	if x.transport != overStdio { // there the client always listens
		t.out.leave()
	}
	h.tasks.publish(t)
	t.mu.Lock()
	defer t.mu.Unlock()
	dst := append(appendHead(nil, x.msg.id), `,"result":{"task":{`...)
	return append(t.appendOldTask(dst), "}}}"...), nil, true
}

// appendOldTask writes the members that tell of a task. t.mu must be held.
func (t *task) appendOldTask(dst []byte) []byte {
	status := taskStatuses[t.status]
	if t.status == taskCompleted && t.failed {
		status = taskStatuses[taskFailed] // the failure of a tool is one of the task here
	}
	dst = appendString(append(dst, `"taskId":`...), t.id)
	dst = append(append(append(dst, `,"status":"`...), status...), '"')
	dst = appendField(dst, "statusMessage", t.message)
	dst = appendTime(append(dst, `,"createdAt":`...), t.created)
	dst = appendTime(append(dst, `,"lastUpdatedAt":`...), t.updated)
	dst = appendMillis(append(dst, `,"ttl":`...), t.expires.Sub(t.created))
	return appendMillis(append(dst, `,"pollInterval":`...), t.opts.Poll)
}

// answerOldTasks serves the methods of tasks (2025-11-25).
func (h *Hub) answerOldTasks(ctx context.Context, x *exchange) ([]byte, *rpcError) {
	if x.msg.method == methodTasksList {
		return h.listOldTasks(x)
	}
	id, bad := taskID(x.msg.params)
	if bad != nil {
		return nil, bad
	}
	t := h.tasks.find(id, x)
	if t == nil {
		return nil, badParams("there is no such task, or its time is up")
	}
	switch x.msg.method {
	case methodTasksResult:
		return h.awaitOldResult(ctx, x, t)
	case methodTasksCancel:
		if !t.cancel() {
			return nil, badParams("the task has ended")
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	dst := append(appendHead(nil, x.msg.id), `,"result":{`...)
	return append(t.appendOldTask(dst), "}}"...), nil
}

// listOldTasks serves tasks/list: those of the session, the oldest first.
func (h *Hub) listOldTasks(x *exchange) ([]byte, *rpcError) {
	tasks := h.tasks.of(x.session)
	slices.SortFunc(tasks, func(a, b *task) int {
		if c := a.created.Compare(b.created); c != 0 {
			return c
		}
		return strings.Compare(a.id, b.id)
	})
	if cursor := rawMap(x.msg.params)["cursor"]; cursor != nil {
		after, _ := text(cursor)
		i := slices.IndexFunc(tasks, func(t *task) bool { return t.id == after })
		if i < 0 {
			return nil, badParams("the cursor leads nowhere any more: begin again without it")
		}
		tasks = tasks[i+1:]
	}
	next := ""
	if len(tasks) > oldTaskPage {
		tasks = tasks[:oldTaskPage]
		next = tasks[oldTaskPage-1].id
	}
	dst := append(appendHead(nil, x.msg.id), `,"result":{"tasks":[`...)
	for i, t := range tasks {
		if i > 0 {
			dst = append(dst, ',')
		}
		t.mu.Lock()
		dst = append(t.appendOldTask(append(dst, '{')), '}')
		t.mu.Unlock()
	}
	return append(appendField(append(dst, ']'), "nextCursor", next), "}}"...), nil
}

// awaitOldResult serves tasks/result: it waits for the end of the task, and asks
// the client meanwhile what the tool wants to know.
func (h *Hub) awaitOldResult(ctx context.Context, x *exchange, t *task) ([]byte, *rpcError) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if x.out != nil && t.out.enter(x.out) {
		defer t.out.leave() // progress goes here meanwhile
	}
	wake := make(chan struct{}, 1)
	defer t.watch(wake)()
	asking := map[*taskQuestion]context.CancelFunc{}
	var asked sync.WaitGroup
	settle := sync.OnceFunc(func() { cancel(); asked.Wait() })
	defer settle()
	for {
		t.mu.Lock()
		over := t.status.terminal()
		for q, stop := range asking {
			if !slices.Contains(t.asked, q) { // it is settled, or nobody waits for it
				stop()
				delete(asking, q)
			}
		}
		for _, q := range t.asked {
			if x.out != nil && !q.put {
				q.put = true
				one, stop := context.WithCancel(ctx)
				asking[q] = stop
				asked.Go(func() { defer stop(); t.put(one, x, q) })
			}
		}
		t.mu.Unlock()
		if over {
			settle()
			return t.oldResult(x.msg.id)
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return nil, &rpcError{code: mcp.INTERNAL_ERROR, message: "the request was cancelled"}
		}
	}
}

// put asks the client one question of the task. When the request on which it is
// asked ends before the answer, the next one asks anew.
func (t *task) put(ctx context.Context, x *exchange, q *taskQuestion) {
	meta := appendString([]byte(`{"`+keyRelatedTask+`":{"taskId":`), t.id)
	params := []byte{'{'}
	_ = eachMember(q.params, func(token, name, value []byte) { // our own, without a _meta
		params = append(append(append(append(params, token...), ':'), value...), ',')
	})
	params = append(append(append(params, `"_meta":`...), meta...), "}}}"...)
	result, err := x.session.ask(ctx, x.out.send, q.method, params)
	t.mu.Lock()
	defer t.mu.Unlock()
	if ctx.Err() != nil {
		q.put = false
		return
	}
	if t.drop(q.key) != nil {
		q.answer <- reply{result, err}
	}
}

// oldResult writes what the call came to.
func (t *task) oldResult(id []byte) ([]byte, *rpcError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fetched()
	switch t.status {
	case taskFailed:
		return nil, t.fault
	case taskCancelled:
		return nil, &rpcError{code: mcp.INTERNAL_ERROR, message: "the task was cancelled"}
	}
	dst := append(appendHead(make([]byte, 0, len(t.result)+64), id), `,"result":`...)
	return append(append(dst, t.result...), '}'), nil
}

// related is a result that says which task it comes from.
func (t *task) related(r *toolspec.Result) *toolspec.Result {
	own := *r
	own.Meta = maps.Clone(r.Meta)
	if own.Meta == nil {
		own.Meta = map[string]json.RawMessage{}
	}
	own.Meta[keyRelatedTask] = append(appendString([]byte(`{"taskId":`), t.id), '}')
	return &own
}

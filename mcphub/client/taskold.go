package client

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec"
)

// The experimental tasks of 2025-11-25: the client asks for a task, polls its status, and
// fetches the result. In the meantime the server asks questions with ordinary requests
// that name the task in their _meta.

// oldTask is a call that was made as a task.
type oldTask struct {
	token    int64  // of its progress, valid for the life of the task
	id       string // "" until it is known; session.mu guards it
	progress func(toolspec.Progress)
	request  requestFunc
}

// callAsTask makes a tools/call as a task of 2025-11-25.
func (s *session) callAsTask(ctx context.Context, params json.RawMessage, opts *CallOptions, p *CallTiming) (json.RawMessage, error) {
	ctx, cancel := limited(ctx)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return nil, s.failure(rpc.MethodToolsCall, false, err)
	}
	deadline, _ := ctx.Deadline()
	ttl := strconv.AppendInt([]byte(`{"ttl":`), max(time.Until(deadline).Milliseconds(), 1), 10)
	rq := &request{id: s.lastID.Add(1), method: rpc.MethodToolsCall}
	if err := s.frame(rq, params, opts, []rawMember{{"task", append(ttl, '}')}}); err != nil {
		return nil, err
	}
	t := &oldTask{token: rq.id, progress: opts.Progress, request: opts.Request}
	defer s.attend(t)()
	created := func(m *rpc.Message) {
		id, _ := rpc.Text(rpc.Object(rpc.Object(m.Result)["task"])["taskId"])
		s.mu.Lock()
		t.id = id
		s.mu.Unlock()
	}
	within, stop := p.start(ctx)
	m, err := s.exchange(within, rq, &waiter{answer: make(chan *rpc.Message, 1), progress: opts.Progress, request: opts.Request,
		log: opts.Log, heard: opts.Logged, works: true, caller: opts.Caller, first: created}) // before the next message is read, because it may be a question of this task
	stop()
	switch {
	case err != nil:
		return nil, err
	case m.Error != nil:
		return nil, s.refusal(m.Error)
	}
	if created(m); t.id == "" { // the server did not make a task
		return m.Result, nil
	}
	result, err := s.awaitOldTask(ctx, t, rpc.Object(rpc.Object(m.Result)["task"]), p.task())
	var refused *RPCError
	if err != nil && !errors.As(err, &refused) && s.info.Capabilities.TaskCancel {
		s.cancelTask(t.id)
	}
	return result, err
}

// awaitOldTask polls the status of a task until it has ended, and fetches the
// result.
func (s *session) awaitOldTask(ctx context.Context, t *oldTask, state map[string]json.RawMessage, each time.Duration) (json.RawMessage, error) {
	for {
		status, _ := rpc.Text(state["status"])
		switch status {
		case "completed", "failed":
			return s.taskRequest(ctx, rpc.MethodTasksResult, t.id, each, &CallOptions{Request: t.request}, nil)
		case "cancelled":
			return nil, s.taskCancelled(state)
		case "input_required":
			// The server may have no other channel for its questions than this request,
			// which then lasts as long as the task.
			result, err := s.taskRequest(ctx, rpc.MethodTasksResult, t.id, 0, &CallOptions{Request: t.request}, nil)
			var refused *RPCError
			if err == nil || !errors.As(err, &refused) {
				return result, err
			}
			if state, again := s.oldTaskState(ctx, t.id, each); again != nil || isOver(state) {
				return nil, err // this error is the outcome of the call
			}
		}
		if err := s.pause(ctx, pollInterval(state["pollInterval"])); err != nil {
			return nil, s.failure(rpc.MethodToolsCall, true, s.whyNot(ctx, err))
		}
		var err error
		if state, err = s.oldTaskState(ctx, t.id, each); err != nil {
			return nil, err
		}
	}
}

func (s *session) oldTaskState(ctx context.Context, id string, each time.Duration) (map[string]json.RawMessage, error) {
	raw, err := s.taskRequest(ctx, rpc.MethodTasksGet, id, each, &CallOptions{}, nil)
	return rpc.Object(raw), err
}

func isOver(state map[string]json.RawMessage) bool {
	status, _ := rpc.Text(state["status"])
	return status == "completed" || status == "failed" || status == "cancelled"
}

// attend routes progress and questions of a task to their call until leave is called.
func (s *session) attend(t *oldTask) (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.oldTasks == nil {
		s.oldTasks = make(map[*oldTask]struct{})
	}
	s.oldTasks[t] = struct{}{}
	return func() {
		s.mu.Lock()
		delete(s.oldTasks, t)
		s.mu.Unlock()
	}
}

// progressOf returns the function that receives the progress of the task with this token;
// nil if there is none. s.mu must be held.
func (s *session) progressOf(token int64) func(toolspec.Progress) {
	for t := range s.oldTasks {
		if t.token == token {
			return t.progress
		}
	}
	return nil
}

// relatedTask returns the task in the _meta of a server's request, and the function that
// answers for it; "" if there is none.
func (s *session) relatedTask(m *rpc.Message) (id string, answer requestFunc) {
	if s.modern || m.Meta == nil {
		return "", nil
	}
	id, _ = rpc.Text(rpc.Object(rpc.Object(m.Meta)[rpc.KeyRelatedTask])["taskId"])
	if id == "" {
		return "", nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for t := range s.oldTasks {
		if t.id == id {
			return id, t.request
		}
	}
	return id, nil
}

// withRelatedTask adds the id of its task to an answer.
func withRelatedTask(result []byte, id string) []byte {
	if id == "" {
		return result
	}
	task := append(rpc.AppendString([]byte(`{"taskId":`), id), '}')
	meta := rpc.WithMembers(rpc.OrEmpty(rpc.Object(result)["_meta"]), map[string][]byte{rpc.KeyRelatedTask: task})
	return rpc.WithMembers(result, map[string][]byte{"_meta": meta})
}

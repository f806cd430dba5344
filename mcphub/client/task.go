package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// A server of 2026-07-28 may answer a call with a task, and a server of 2025-11-25
// requires a task for some calls. The caller does not notice: the session polls the
// status of the task until it has ended, and returns its result.

const (
	// taskLimit is the time limit of a call that became a task if its context has no
	// deadline.
	taskLimit = time.Hour
	// taskRequest is the time limit of one request about a task.
	taskRequest = 15 * time.Second
	// taskPoll is the polling interval if the server sets none; taskPollMin and
	// taskPollMax limit the interval that it sets.
	taskPoll, taskPollMin, taskPollMax = time.Second, 20 * time.Millisecond, 30 * time.Second
	// taskTries is how often in a row a request about a task may fail because there is no
	// connection.
	taskTries = 5
)

// codeTaskCancelled is the error code for a task that its server cancelled. The protocol
// defines none.
const codeTaskCancelled = rpc.CodeInternal

// CallTiming bounds the parts of a call that may become a task, which may take much
// longer than an ordinary call. The zero value adds no limits to those of the session.
type CallTiming struct {
	// Request bounds each request about a task. Default 15 s.
	Request time.Duration
	// Begin bounds the call until its answer, or until it becomes a task. nil: only the
	// context bounds it.
	Begin func(ctx context.Context) (context.Context, context.CancelFunc)
	// BecameTask is called when the call has become a task; may be nil.
	BecameTask func()
}

// TimesCalls reports whether Call of a session observes [CallOptions].Timing. Sessions of
// this package's transports and of [Connect] do.
func TimesCalls(s Session) bool {
	_, ok := s.(*session)
	return ok
}

func (p *CallTiming) start(ctx context.Context) (context.Context, context.CancelFunc) {
	if p.Begin == nil {
		return ctx, func() {}
	}
	return p.Begin(ctx)
}

// task is called when the call has become a task, and returns the time limit for each
// request about it.
func (p *CallTiming) task() time.Duration {
	if p.BecameTask != nil {
		p.BecameTask()
	}
	return cmp.Or(p.Request, taskRequest)
}

// bounded returns a context that ends after d; 0 means no limit.
func bounded(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, d)
}

// followed returns the result or, if it is a task, the result of the task.
func (s *session) followed(ctx context.Context, method string, opts *CallOptions, result json.RawMessage, p *CallTiming) (json.RawMessage, error) {
	// Most results are not tasks, and this check avoids parsing them.
	if !s.modern || !bytes.Contains(result, []byte(`"taskId"`)) && !bytes.Contains(result, []byte(`\u`)) {
		return result, nil
	}
	state := rpc.Object(result)
	if kind, _ := rpc.Text(state["resultType"]); kind != "task" {
		return result, nil
	}
	f := &taskFollower{s: s, opts: opts}
	if f.id, _ = rpc.Text(state["taskId"]); f.id == "" || method != rpc.MethodToolsCall {
		return nil, s.failure(method, true, fmt.Errorf("%w: a task as the answer to %s, or one without an id", ErrProtocol, method))
	}
	f.each = p.task()
	return f.follow(ctx, state)
}

// taskFollower follows one task of a server.
type taskFollower struct {
	s        *session
	opts     *CallOptions
	id       string
	each     time.Duration
	answered map[string]bool // keys of the questions that have an answer
	rounds   int
}

// limited sets the time limit for the whole task.
func limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, taskLimit)
}

// follow polls until the task has ended. A task is cancelled if its caller no longer
// waits. state is the status that is already known, or nil.
func (f *taskFollower) follow(ctx context.Context, state map[string]json.RawMessage) (json.RawMessage, error) {
	ctx, cancel := limited(ctx)
	defer cancel()
	result, err := f.poll(ctx, state)
	var asks *InputRequired
	var refused *RPCError
	keeps := f.opts.Rounds == 0 && errors.As(err, &asks) // the caller answers, and continues with Retry
	if err != nil && !keeps && !errors.As(err, &refused) {
		f.s.cancelTask(f.id)
	}
	return result, err
}

func (f *taskFollower) poll(ctx context.Context, state map[string]json.RawMessage) (json.RawMessage, error) {
	for {
		if state == nil {
			raw, err := f.request(ctx, rpc.MethodTasksGet, nil)
			if err != nil {
				return nil, err
			}
			state = rpc.Object(raw)
		}
		switch status, _ := rpc.Text(state["status"]); status {
		case "completed":
			if !rpc.IsObject(state["result"]) {
				return nil, f.violation("completed without a result")
			}
			return state["result"], nil
		case "failed":
			return nil, f.s.refusal(state["error"])
		case "cancelled":
			return nil, f.s.taskCancelled(state)
		case "input_required":
			if err := f.answer(ctx, state["inputRequests"]); err != nil {
				return nil, err
			}
		case "working":
		default:
			return nil, f.violation("with the unknown status " + strconv.Quote(clip.To(status, 50)))
		}
		if err := f.s.pause(ctx, pollInterval(state["pollIntervalMs"])); err != nil {
			return nil, f.s.failure(rpc.MethodToolsCall, true, f.s.whyNot(ctx, err))
		}
		state = nil
	}
}

func (f *taskFollower) violation(what string) error {
	return f.s.failure(rpc.MethodToolsCall, true, fmt.Errorf("%w: a task %s", ErrProtocol, what))
}

// pollInterval reads the polling interval that a server wants.
func pollInterval(raw []byte) time.Duration {
	ms, err := strconv.ParseFloat(string(raw), 64)
	switch {
	case err != nil, !(ms > 0):
		return taskPoll
	case ms >= float64(taskPollMax/time.Millisecond):
		return taskPollMax
	}
	return max(time.Duration(ms*float64(time.Millisecond)), taskPollMin)
}

// request sends one request about the task, and retries it if there was no connection.
func (f *taskFollower) request(ctx context.Context, method string, extra []rawMember) (json.RawMessage, error) {
	return f.s.taskRequest(ctx, method, f.id, f.each, &CallOptions{}, extra)
}

func (s *session) taskRequest(ctx context.Context, method, id string, each time.Duration, opts *CallOptions, extra []rawMember) (json.RawMessage, error) {
	params := append(rpc.AppendString([]byte(`{"taskId":`), id), '}')
	for try := 1; ; try++ {
		within, cancel := bounded(ctx, each)
		result, err := s.call(within, method, params, opts, extra)
		cancel()
		var conn *ConnError
		if err == nil || try >= taskTries || ctx.Err() != nil || s.Err() != nil || !errors.As(err, &conn) {
			return result, err
		}
		switch conn.Class {
		case ConnTransport, ConnTimeout, ConnBusy, ConnServer:
		default:
			return nil, err
		}
		if again := s.pause(ctx, max(conn.RetryAfter, taskPoll<<(try-1))); again != nil {
			return nil, err
		}
	}
}

// answer answers the new questions. It returns those that are not to be answered here.
func (f *taskFollower) answer(ctx context.Context, raw []byte) error {
	need := &InputRequired{Method: rpc.MethodToolsCall, Requests: map[string]InputRequest{}}
	for key, question := range rpc.Object(raw) {
		if !f.answered[key] {
			q := rpc.Object(question)
			method, _ := rpc.Text(q["method"])
			need.Requests[key] = InputRequest{Method: method, Params: q["params"]}
		}
	}
	if len(need.Requests) == 0 {
		return nil
	}
	need.retry = func(ctx context.Context, extra []rawMember) (json.RawMessage, error) {
		if err := f.update(ctx, need, extra); err != nil {
			return nil, err
		}
		return f.follow(ctx, nil)
	}
	if f.rounds >= f.opts.Rounds {
		return need
	}
	f.rounds++
	extra, err := f.s.answerAll(ctx, need, f.s.answers(f.opts.Request), 0)
	if err != nil {
		return err
	}
	return f.update(ctx, need, extra)
}

func (f *taskFollower) update(ctx context.Context, need *InputRequired, extra []rawMember) error {
	_, err := f.request(ctx, rpc.MethodTasksUpdate, extra)
	var refused *RPCError
	if errors.As(err, &refused) { // the task may have ended in the meantime
		state, again := f.request(ctx, rpc.MethodTasksGet, nil)
		if again != nil || !isOver(rpc.Object(state)) {
			f.s.cancelTask(f.id)
			return err
		}
	} else if err != nil {
		return err
	}
	if f.answered == nil {
		f.answered = map[string]bool{}
	}
	for key := range maps.Keys(need.Requests) {
		f.answered[key] = true
	}
	return nil
}

// taskCancelled returns the error for a task that the server cancelled.
func (s *session) taskCancelled(state map[string]json.RawMessage) error {
	message := "the server cancelled the task"
	if why, _ := rpc.Text(state["statusMessage"]); why != "" {
		message += ": " + tailOf(s.mask.String(why))
	}
	return &RPCError{Code: codeTaskCancelled, Message: message}
}

// cancelTask is best effort: no caller waits for it.
func (s *session) cancelTask(id string) {
	s.run(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, rpc.Courtesy)
		defer cancel()
		_, _ = s.call(ctx, rpc.MethodTasksCancel, append(rpc.AppendString([]byte(`{"taskId":`), id), '}'), &CallOptions{}, nil)
	})
}

// declareTasks adds the extension to the capabilities of each request since 2026-07-28:
// any call may then be answered with a task.
func declareTasks(extensions map[string]json.RawMessage) map[string]json.RawMessage {
	if slices.Contains(slices.Collect(maps.Keys(extensions)), rpc.ExtensionTasks) {
		return extensions
	}
	all := map[string]json.RawMessage{rpc.ExtensionTasks: json.RawMessage("{}")}
	maps.Copy(all, extensions)
	return all
}

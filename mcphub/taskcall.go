package mcphub

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"github.com/localpass/localpass/internal/clip"
	"net/http"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/localpass/localpass/toolspec"
)

// missingTasks is the error for a client that did not declare the extension.
func missingTasks() *rpcError {
	return &rpcError{code: mcp.MISSING_REQUIRED_CLIENT_CAPABILITY, message: "this needs tasks: declare the extension " + extensionTasks,
		data: map[string]any{"requiredCapabilities": map[string]any{"extensions": map[string]any{extensionTasks: map[string]any{}}}}}
}

// appendTasks declares tasks to a client of this version.
func (h *Hub) appendTasks(dst []byte, version string) []byte {
	switch {
	case h.opts.Tasks.Off:
	case mcp.IsModernProtocol(version):
		return append(dst, `,"extensions":{"`+extensionTasks+`":{}}`...)
	case version == mcp.ProtocolVersion20251125:
		return append(dst, `,"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}`...)
	}
	return dst
}

// mayBeTask reports whether a call of this tool may become a task: the tool says
// so, or a person is asked first.
func (h *Hub) mayBeTask(e *entry) bool {
	return e.def.Task != toolspec.TaskNever || h.opts.Approval != nil && wantsApproval(&e.def)
}

// answerAsTask serves a call that may become a task, when its client knows
// tasks; done says that it did.
func (h *Hub) answerAsTask(ctx context.Context, x *exchange, e *entry) (response []byte, bad *rpcError, done bool) {
	if h.oldTasks(x) {
		return h.answerAsOldTask(ctx, x, e)
	}
	if h.opts.Tasks.Off || !h.mayBeTask(e) {
		return nil, nil, false
	}
	only := e.def.Task == toolspec.TaskRequired
	if !x.modern || !x.caps.tasks {
		if only && x.modern {
			return nil, missingTasks(), true
		}
		if only {
			return nil, &rpcError{code: mcp.METHOD_NOT_FOUND, message: fmt.Sprintf("%q runs only as a task, for clients that know protocol version %s and tasks", e.def.Name, mcp.ProtocolVersion20260728)}, true
		}
		return nil, nil, false
	}
	var t *task
	if state, _ := text(x.msg.state); strings.HasPrefix(state, parkedPrefix) {
		if t = h.tasks.unpark(state, x.principal, e.def.Name, digest(x.msg.arguments)); t == nil {
			return nil, badParams("the requestState stands for no call that waits for answers: call again without it"), true
		}
		if bad := t.answers(x.msg.answers); bad != nil {
			t.stop()
			h.tasks.forget(t)
			return nil, bad, true
		}
	} else if t = h.beginTask(ctx, x, e); t == nil {
		if only {
			return nil, &rpcError{code: mcp.INTERNAL_ERROR, message: "there are too many tasks: try again later"}, true
		}
		return nil, nil, false
	}
	response, bad = h.awaitTask(ctx, x, t)
	return response, bad, true
}

// beginTask starts a call that runs on whatever becomes of its request. It
// returns nil when there is no room.
func (h *Hub) beginTask(ctx context.Context, x *exchange, e *entry) *task {
	o := &h.opts.Tasks
	now := time.Now()
	t := &task{id: rand.Text(), owner: x.principal, tool: e.def.Name, digest: digest(x.msg.arguments), opts: o,
		created: now, updated: now, expires: now.Add(o.Timeout + o.Keep)}
	// The request ends before the call does: nothing of it but what it says.
	y := &exchange{msg: x.msg, principal: x.principal, transport: x.transport, version: x.version, modern: x.modern,
		caps: x.caps, level: x.level, session: x.session, task: t}
	if h.oldTasks(x) {
		t.session = x.session
	} else {
		t.early = rawMap(x.msg.answers)
	}
	if x.out != nil || t.session != nil {
		t.out = &taskOutlet{out: x.out}
		y.out = t.out
	}
	run, stop := context.WithTimeout(context.WithoutCancel(ctx), o.Timeout)
	t.stop, y.ctx = stop, run
	if !h.tasks.admit(t) {
		stop()
		return nil
	}
	h.mu.Lock()
	closed := h.closed
	if !closed {
		h.loops.Go(func() {
			defer stop()
			defer context.AfterFunc(h.ends, stop)() // nobody can fetch what comes later
			if t.session != nil {
				h.loops.Go(func() {
					select {
					case <-t.session.done:
						stop()
						h.tasks.forget(t)
					case <-run.Done():
					}
				})
			}
			h.runTask(run, e, t, y)
		})
	}
	h.mu.Unlock()
	if closed {
		stop()
		h.tasks.forget(t)
		return nil
	}
	return t
}

// runTask makes the call of a task.
func (h *Hub) runTask(ctx context.Context, e *entry, t *task, y *exchange) {
	y.peer.hub, y.peer.x = h, y
	y.call = toolspec.Call{ID: h.clock.ID(), Arguments: y.msg.arguments, Principal: y.principal, Meta: rawMap(y.msg.meta), Peer: taskPeer{&y.peer, t}}
	from := origin{transport: y.transport, protocol: y.version, exchange: y}
	info := h.info
	if t.session != nil {
		from.session, info = t.session.label, nil
	}
	result := h.run(ctx, e, &y.call, from)
	y.peer.die()
	refused, fault := y.refused, (*rpcError)(nil)
	if result.Err != nil {
		switch result.Err.Reason {
		case toolspec.ReasonPanic, ReasonInvalidResult, ReasonAuditUnavailable: // no failure of the tool's own
			fault = &rpcError{code: mcp.INTERNAL_ERROR, message: result.Err.Message}
		}
	}
	if t.session != nil {
		result = t.related(result)
	}
	if lacks := (*lacksError)(nil); refused == nil && result.Err != nil && t.session == nil && errors.As(result.Err, &lacks) {
		refused = lacks.asError() // as with any call
	}
	message := ""
	if result.IsError && len(result.Content) > 0 {
		message = clip.To(result.Content[0].Text, 300) // some clients show nothing else of a failure
	}
	t.mu.Lock()
	t.question = y.question
	t.mu.Unlock()
	t.finish(resultObject(result, y.version, info), result.IsError, message, refused, fault)
}

// resultObject is the result of a call by itself.
func resultObject(r *toolspec.Result, version string, serverInfo []byte) []byte {
	whole := appendResult(make([]byte, 0, 512), nil, r, version, serverInfo)
	return whole[len(appendHead(nil, nil))+len(`,"result":`) : len(whole)-1]
}

// awaitTask answers a request for a call that runs: with its result, with its
// questions, or, when it takes long, with a task.
func (h *Hub) awaitTask(ctx context.Context, x *exchange, t *task) ([]byte, *rpcError) {
	defer t.out.leave()
	wake := make(chan struct{}, 1)
	defer t.watch(wake)()
	patience := time.NewTimer(h.opts.Tasks.After)
	defer patience.Stop()
	for {
		t.mu.Lock()
		over, result, refused, asked, question := t.over, t.result, t.refused, t.asked, t.question
		t.mu.Unlock()
		switch {
		case over:
			h.tasks.forget(t) // the client never knew
			if refused != nil {
				return nil, refused
			}
			t.out.leave()
			if question != nil {
				return appendQuestion(nil, x.msg.id, question, h.info), nil
			}
			response := append(appendHead(make([]byte, 0, len(result)+64), x.msg.id), `,"result":`...)
			return append(append(response, result...), '}'), nil
		case len(asked) > 0 && h.opts.Tasks.After >= 0:
			t.out.leave()
			return appendParked(nil, x.msg.id, asked, h.tasks.park(t, h.opts.QuestionTimeout), h.info), nil
		}
		select {
		case <-wake:
		case <-patience.C:
			if !t.tell() {
				continue
			}
			t.out.leave()
			h.tasks.publish(t)
			t.mu.Lock()
			defer t.mu.Unlock()
			return t.appendCreated(nil, x.msg.id, h.info), nil
		case <-ctx.Done(): // the client went away, and has no handle
			t.stop()
			h.tasks.forget(t)
			return nil, &rpcError{code: mcp.INTERNAL_ERROR, message: "the call was cancelled"}
		}
	}
}

// answerTasks serves tasks/get, tasks/update and tasks/cancel (2026-07-28).
func (h *Hub) answerTasks(x *exchange) ([]byte, *rpcError) {
	if !x.caps.tasks {
		return nil, missingTasks()
	}
	id, bad := taskID(x.msg.params)
	if bad != nil {
		return nil, bad
	}
	update := x.msg.method == methodTasksUpdate
	if update && !isObject(x.msg.answers) {
		return nil, badParams(`"inputResponses" must be an object: the answers by the keys of the questions`)
	}
	t := h.tasks.find(id, x)
	if t == nil {
		return nil, badParams("there is no such task, or its time is up")
	}
	switch {
	case update:
		if bad := t.answers(x.msg.answers); bad != nil {
			return nil, bad
		}
	case x.msg.method == methodTasksCancel:
		t.cancel()
	default:
		t.mu.Lock()
		defer t.mu.Unlock()
		t.fetched()
		return t.appendGot(nil, x.msg.id, h.info), nil
	}
	response := append(appendHead(nil, x.msg.id), `,"result":{"resultType":"complete"`...)
	return append(appendMeta(response, nil, h.info), "}}"...), nil
}

// taskID reads which task a request is about.
func taskID(params []byte) (string, *rpcError) {
	var raw []byte
	err := members(params, func(name, value []byte) error {
		if string(name) == "taskId" {
			return setOnce(&raw, name, value)
		}
		return nil
	})
	id, ok := text(raw)
	if err != nil || !ok {
		return "", badParams(`"taskId" must be a string, once: the id of a task`)
	}
	return id, nil
}

// checkTaskHeader holds the Mcp-Name header of a request about a task against
// its body: who stands between routes by it.
func checkTaskHeader(header http.Header, m *message) error {
	id, bad := taskID(m.params)
	if bad != nil {
		return nil // the request itself is refused, for a better reason
	}
	value := header.Get(mcp.HeaderName)
	if value == "" {
		return fmt.Errorf("the %s header is missing: %s needs it, with the task's id", mcp.HeaderName, m.method)
	}
	if named, ok := mcp.DecodeHeaderValue(value); !ok || named != id {
		return fmt.Errorf("the %s header does not say which task the body is about", mcp.HeaderName)
	}
	return nil
}

package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/toolspec/activity"
	"os"
	"strings"
	"time"

	"github.com/localpass/localpass/internal/fair"
	"github.com/localpass/localpass/internal/worker"
	"github.com/localpass/localpass/toolspec"
)

// conversation is one request to a worker with all messages that follow, on the caller's
// goroutine.
type conversation struct {
	ctx     context.Context
	tier    *isolated
	slot    *slot
	process *worker.Process
	id      uint64
	limit   time.Duration
	job     *job // of a run
	start   time.Time
	stop    func() bool

	console   []activity.ConsoleLine // streamed so far
	printed   int                    // bytes of it
	hostCalls int                    // requests of any kind
	toolCalls int                    // those of other tools
	denials   []activity.Denial
	recycle   bool // the worker wants to be replaced
	broken    bool // the worker is dead or must die
	ended     bool // the worker was ended by something other than this program or itself
}

// newConversation sets the deadline: the limit, or an earlier deadline of the context,
// plus the grace period in which the worker stops by itself.
func (t *isolated) newConversation(ctx context.Context, s *slot, limit time.Duration) *conversation {
	s.id++
	c := &conversation{ctx: ctx, tier: t, slot: s, process: s.process, id: s.id, limit: limit, start: time.Now()}
	if deadline, ok := ctx.Deadline(); ok {
		c.limit = max(min(limit, deadline.Sub(c.start)), time.Millisecond)
	}
	c.process.SetDeadline(c.start.Add(c.limit + t.limits.Grace))
	c.stop = func() bool { return true }
	if ctx.Done() != nil {
		c.stop = context.AfterFunc(ctx, func() {
			// After a deadline the worker gets its grace period; for a cancelled run
			// nobody waits.
			if errors.Is(ctx.Err(), context.Canceled) {
				c.process.Kill()
			}
		})
	}
	return c
}

// finish closes the conversation. A late cancellation that was not noticed may still have
// killed the worker.
func (c *conversation) finish() {
	if !c.stop() && errors.Is(c.ctx.Err(), context.Canceled) {
		c.recycle = true
	}
	if c.broken {
		c.process.Kill()
	}
}

// run asks for a run and serves it to its end.
func (c *conversation) run() *toolspec.Outcome {
	out, failed := c.talk()
	if failed != nil {
		out = &toolspec.Outcome{Err: failed, Unfinished: c.ended}
	}
	if c.job.req.Console != nil {
		out.Console = c.console
	}
	out.Usage.HostCalls = c.hostCalls
	out.Denials = c.denials
	noteDenial(out)
	return out
}

func (c *conversation) talk() (*toolspec.Outcome, *toolspec.CallError) {
	if failed := c.call(false); failed != nil {
		return nil, failed
	}
	for asked := false; ; {
		f, failed := c.receive()
		if failed != nil {
			return nil, failed
		}
		switch f.Kind {
		case frameResult:
			return c.result(f.Payload)
		case frameNeedSource:
			if asked {
				return nil, c.nonsense()
			}
			asked = true
			failed = c.call(true)
		case frameConsole:
			failed = c.printLine(f.Payload)
		case frameToolCall:
			failed = c.toolCall(f.Payload)
		case frameHostCall:
			failed = c.hostCall(f.Payload)
		default:
			failed = c.nonsense()
		}
		if failed != nil {
			return nil, failed
		}
	}
}

// call sends the request, with the source if this worker has not received it before.
func (c *conversation) call(source bool) *toolspec.CallError {
	j := c.job
	key := cacheKey{j.code.key, j.countsStatements()}
	_, known := c.slot.known[key]
	m := callMessage{
		key: j.code.key, typescript: j.code.typescript, hasSource: source || !known, timeout: c.remaining(), statements: j.statements, count: j.countsStatements(),
		stream: j.req.Console != nil, tools: j.req.CallTool != nil, grants: j.grants, seed: j.seed, globals: j.req.Globals, unset: j.req.Unset,
	}
	if m.hasSource {
		m.source = j.code.text
		if len(c.slot.known) >= 4*c.tier.limits.WorkerPrograms {
			clear(c.slot.known) // the worker has dropped most of them too
		}
		c.slot.known[key] = struct{}{}
	}
	if !j.now.IsZero() {
		m.now = j.now.UnixNano()
	}
	payload := m.encode(nil)
	if len(payload) > c.tier.limits.FrameBytes {
		return &toolspec.CallError{Kind: toolspec.KindInvalidInput, Reason: toolspec.ReasonArguments, Component: "arguments",
			Message: fmt.Sprintf("the arguments and the code are larger than %d bytes together", c.tier.limits.FrameBytes)}
	}
	return c.send(frameCall, payload)
}

// remaining returns the remaining time.
func (c *conversation) remaining() time.Duration {
	return max(c.limit-time.Since(c.start), time.Millisecond)
}

func (c *conversation) send(kind byte, payload []byte) *toolspec.CallError {
	if err := c.process.Send(kind, c.id, payload); err != nil {
		return c.lost(err)
	}
	return nil
}

func (c *conversation) receive() (worker.Frame, *toolspec.CallError) {
	f, err := c.process.Receive()
	if err != nil {
		return f, c.lost(err)
	}
	if f.ID != c.id {
		return f, c.nonsense()
	}
	return f, nil
}

// lost returns why a worker no longer answers: it exceeded its time, the caller
// cancelled, or it died.
func (c *conversation) lost(err error) *toolspec.CallError {
	c.broken = true
	if errors.Is(c.ctx.Err(), context.Canceled) {
		return contextError(context.Canceled)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) || time.Since(c.start) >= c.limit {
		return contextError(context.DeadlineExceeded)
	}
	// A process closes its pipe when it ends; the reason is known a moment later, unless
	// this program killed it.
	if !c.process.Ends(c.tier.limits.Grace) {
		if errors.Is(err, worker.ErrFrame) {
			return c.nonsense()
		}
		c.process.Kill()
		<-c.process.Done()
	}
	exit := c.process.Exit()
	c.ended = exit.Outside
	return death(exit)
}

// nonsense returns the failure of a worker that violates the protocol, which is not used
// again.
func (c *conversation) nonsense() *toolspec.CallError {
	c.broken = true
	return &toolspec.CallError{Kind: toolspec.KindRuntimeError, Reason: ReasonWorker, Component: componentSandbox, Message: "the worker answered something that makes no sense", Err: errWire}
}

func (c *conversation) result(payload []byte) (*toolspec.Outcome, *toolspec.CallError) {
	m, err := decodeResult(payload, c.tier.limits)
	if err != nil {
		return nil, c.nonsense()
	}
	c.recycle = m.recycle
	return &m.outcome, nil
}

// printLine handles one streamed line.
func (c *conversation) printLine(payload []byte) *toolspec.CallError {
	d := decoder{buf: payload}
	line, ok := decodeLine(&d)
	c.printed += len(line.Text)
	lim := c.tier.limits
	if d.done() != nil || !ok || c.job.req.Console == nil || len(c.console) > lim.ConsoleLines || c.printed > 2*lim.ConsoleBytes {
		return c.nonsense()
	}
	c.console = append(c.console, line)
	if failed := printLine(c.job.req.Console, line); failed != nil {
		c.broken = true // the worker is still running
		return failed
	}
	return nil
}

// toolCall calls another tool for the code and sends its result.
func (c *conversation) toolCall(payload []byte) *toolspec.CallError {
	m, err := decodeToolCall(payload)
	if err != nil || c.job.req.CallTool == nil || c.toolCalls >= c.tier.limits.ToolCalls {
		return c.nonsense()
	}
	c.toolCalls++
	c.hostCalls++
	ctx, cancel := context.WithDeadline(c.ctx, c.start.Add(c.limit))
	r, err := callTool(fair.Nest(ctx), c.job.req.CallTool, m.name, m.arguments)
	ended := ctx.Err()
	cancel()
	if ended != nil { // the worker still waits, but the answer came too late
		c.broken = true
		return contextError(ended)
	}
	reply := replyTo(m.name, r, err)
	if reply.failed != nil && reply.failed.Kind == toolspec.KindSecurity {
		c.denials = append(c.denials, activity.Denial{Component: "callTool", Reason: reply.failed.Reason, Detail: clip.To(m.name, 128)})
	}
	data := reply.encode(nil)
	if len(data) > c.tier.limits.FrameBytes {
		data = (&replyMessage{failed: &toolspec.CallError{
			Kind: toolspec.KindResourceLimit, Reason: toolspec.ReasonResultTooLarge, Component: slug(m.name), Message: "the tool's result is too large to pass on",
		}}).encode(nil)
	}
	return c.send(frameReply, data)
}

// hostCall carries out an operation for which the code has no rights. The host checks the
// request, because it may come from a worker that hostile code has taken over.
func (c *conversation) hostCall(payload []byte) *toolspec.CallError {
	m, err := decodeHostCall(payload)
	if err != nil || c.job.host == nil || c.hostCalls >= c.tier.limits.HostCalls+c.tier.limits.ToolCalls {
		return c.nonsense()
	}
	c.hostCalls++
	ctx, cancel := context.WithDeadline(c.ctx, c.start.Add(c.limit))
	reply, failed := c.job.host.serve(ctx, m.HostRequest)
	ended := ctx.Err()
	cancel()
	if ended != nil {
		c.broken = true
		return contextError(ended)
	}
	answer := hostReplyMessage{reply: reply, failed: failed}
	data := answer.encode(nil)
	if len(data) > c.tier.limits.FrameBytes {
		data = (&hostReplyMessage{failed: &toolspec.CallError{
			Kind: toolspec.KindResourceLimit, Reason: toolspec.ReasonResultTooLarge, Component: componentSandbox, Message: "the answer is too large to pass on",
		}}).encode(nil)
	}
	return c.send(frameReply, data)
}

// replyTo converts a tool's result to a reply. It does not include the cause of a
// failure, which is for the operator.
func replyTo(name string, r *toolspec.Result, err error) *replyMessage {
	var failed *toolspec.CallError
	switch {
	case errors.As(err, &failed):
	case err != nil:
		failed = &toolspec.CallError{Kind: toolspec.KindRuntimeError, Message: "the tool could not be called"}
	case r == nil:
		failed = &toolspec.CallError{Kind: toolspec.KindRuntimeError, Message: "the tool gave nothing"}
	case r.IsError && r.Err != nil:
		failed = r.Err
	case r.IsError:
		failed = &toolspec.CallError{Kind: toolspec.KindRuntimeError, Message: r.Text()}
	}
	if failed == nil {
		return &replyMessage{structured: r.Structured, text: r.Text()}
	}
	e := *failed
	if e.Component == "" {
		e.Component = slug(name)
	}
	if e.Message == "" {
		_, e.Message, _ = strings.Cut(e.ModelText(), ": ")
	}
	return &replyMessage{failed: &e}
}

// check asks the worker to check code.
func (c *conversation) check(code *code, names []string) (toolspec.Problems, *toolspec.CallError) {
	m := checkMessage{source: code.text, typescript: code.typescript, names: names}
	if failed := c.send(frameCheck, m.encode(nil)); failed != nil {
		return nil, failed
	}
	f, failed := c.receive()
	if failed != nil {
		return nil, failed
	}
	var problems toolspec.Problems
	if f.Kind != frameProblems || json.Unmarshal(f.Payload, &problems) != nil {
		return nil, c.nonsense()
	}
	for i := range problems {
		p := &problems[i]
		p.Code, p.Pointer, p.Reason = toolspec.CodeResolver, "code", slug(p.Reason)
		p.Message, p.Remedy = clip.To(p.Message, maxMessage), clip.To(p.Remedy, maxMessage)
		if p.Severity != toolspec.SeverityWarning {
			p.Severity = toolspec.SeverityError
		}
	}
	return problems, nil
}

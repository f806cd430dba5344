package sandbox

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"time"

	"github.com/localpass/localpass/internal/worker"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
)

// server is the inside of a worker: it answers one request at a time.
type server struct {
	engine   Engine
	limits   *Limits
	programs *lru[cacheKey, Program]
	out      []byte
}

// cacheKey names a compiled program: its code, and whether it counts.
type cacheKey struct {
	key   programKey
	count bool
}

func newServer(engine Engine, lim *Limits) *server {
	return &server{engine: engine, limits: lim, programs: newLRU[cacheKey, Program](lim.WorkerPrograms, lim.WorkerSource)}
}

// warm runs a program once, so that the first real run finds everything initialized.
func (s *server) warm() {
	const code = `console.log([1].map(String).join(), JSON.stringify({}), new Date(0)); return await Promise.resolve({a: "b"})`
	if p, _ := s.engine.Compile(Source{Code: code}); p != nil {
		ctx, cancel := context.WithTimeout(context.Background(), s.limits.Handshake)
		defer cancel()
		p.Run(ctx, &Invocation{Guarded: true})
	}
}

// handle answers one frame. An error ends the worker.
func (s *server) handle(c *worker.Child, f worker.Frame) error {
	switch f.Kind {
	case frameCall:
		m, err := decodeCall(f.Payload)
		if err != nil {
			return err
		}
		return s.call(c, f.ID, m)
	case frameCheck:
		m, err := decodeCheck(f.Payload)
		if err != nil {
			return err
		}
		return s.check(c, f.ID, m)
	}
	return errWire
}

func (s *server) send(c *worker.Child, kind byte, id uint64, buf []byte) error {
	s.out = buf[:0]
	if cap(buf) > 64<<10 {
		s.out = nil
	}
	return c.Send(kind, id, buf)
}

// call runs a program.
func (s *server) call(c *worker.Child, id uint64, m *callMessage) error {
	key := cacheKey{m.key, m.count}
	program, ok := s.programs.get(key)
	if !ok && !m.hasSource {
		return c.Send(frameNeedSource, id, nil)
	}
	ctx, cancel := context.WithTimeout(context.Background(), m.timeout)
	defer cancel()
	start := cpuTime()
	var refused *toolspec.CallError
	if !ok {
		var problems toolspec.Problems
		if program, problems = s.engine.Compile(Source{Code: m.source, TypeScript: m.typescript, Count: m.count}); program == nil {
			refused = refusal(problems)
		} else {
			s.programs.put(key, program, program.Size())
		}
	}
	if refused == nil {
		refused = refusal(program.Problems(append(m.names(), grantedNames(m.grants)...)).Errors())
	}
	host := &hostCalls{server: s, child: c, id: id}
	out := &toolspec.Outcome{Err: refused}
	if refused == nil {
		out = runProgram(ctx, program, s.invocation(m, host))
	}
	if host.err != nil {
		return host.err // the parent program violated the protocol
	}
	out.Usage.CPU = cpuTime() - start
	if m.stream {
		out.Console = nil // the program already has them
	}
	answer := resultMessage{outcome: *out, recycle: c.Held() > s.limits.RecycleHeld || panicked(out)}
	answer.outcome.Usage.MemoryBefore, answer.outcome.Usage.Memory = c.Grown()
	return s.send(c, frameResult, id, answer.encode(s.out))
}

// runProgram ensures that an engine returns an outcome and does not panic.
func runProgram(ctx context.Context, p Program, in *Invocation) (out *toolspec.Outcome) {
	defer func() {
		if x := recover(); x != nil {
			out = &toolspec.Outcome{Err: panicError("the engine failed on this code", x)}
		} else if out == nil {
			out = &toolspec.Outcome{Err: panicError("the engine gave no outcome", "nil")}
		}
	}()
	return p.Run(ctx, in)
}

func panicked(out *toolspec.Outcome) bool {
	return out.Err != nil && out.Err.Reason == toolspec.ReasonPanic
}

func (s *server) invocation(m *callMessage, host *hostCalls) *Invocation {
	in := &Invocation{Globals: m.globals, Unset: m.unset, Statements: m.statements, Guarded: true}
	if m.tools {
		in.CallTool = host.callTool
	}
	if in.Grants = m.grants; m.grants != (Grants{}) {
		in.Host = host.call
	}
	if m.stream {
		in.Console = host.console
	}
	if len(m.seed) == 32 {
		in.Random = rand.NewChaCha8([32]byte(m.seed))
	}
	if m.now != 0 {
		now := time.Unix(0, m.now)
		in.Now = func() time.Time { return now }
	}
	return in
}

// check checks code without running it.
func (s *server) check(c *worker.Child, id uint64, m *checkMessage) error {
	program, problems := s.engine.Compile(Source{Code: m.source, TypeScript: m.typescript})
	if program != nil {
		problems = program.Problems(m.names)
	}
	if problems == nil {
		problems = toolspec.Problems{}
	}
	data, err := json.Marshal(problems)
	if err != nil {
		return err
	}
	return c.Send(frameProblems, id, data)
}

// hostCalls sends the code's requests to the program over the pipe.
type hostCalls struct {
	server *server
	child  *worker.Child
	id     uint64
	err    error // why the conversation broke
}

func (h *hostCalls) console(line activity.ConsoleLine) {
	if h.err != nil {
		return
	}
	e := encoder{buf: h.server.out[:0]}
	encodeLine(&e, &line)
	h.err = h.server.send(h.child, frameConsole, h.id, e.buf)
}

// callTool sends a tool call and waits. If the wait exceeds the time limit of the run,
// the program ends the worker.
func (h *hostCalls) callTool(name string, arguments json.RawMessage) (*toolspec.Result, error) {
	if h.err != nil {
		return nil, h.err
	}
	m := toolCallMessage{name: name, arguments: arguments}
	f, err := h.request(frameToolCall, m.encode(h.server.out[:0]))
	if err != nil {
		return nil, err
	}
	reply, err := decodeReply(f.Payload)
	if err != nil {
		h.err = err
		return nil, err
	}
	return reply.result()
}

// call asks the program for an operation for which the code has no rights.
func (h *hostCalls) call(req HostRequest) (HostReply, *toolspec.CallError) {
	broken := &toolspec.CallError{Kind: toolspec.KindRuntimeError, Reason: ReasonWorker, Component: componentSandbox, Message: "the program does not answer"}
	if h.err != nil {
		return HostReply{}, broken
	}
	m := hostCallMessage{req}
	f, err := h.request(frameHostCall, m.encode(h.server.out[:0]))
	if err != nil {
		return HostReply{}, broken
	}
	reply, err := decodeHostReply(f.Payload)
	if err != nil {
		h.err = err
		return HostReply{}, broken
	}
	return reply.reply, reply.failed
}

// request sends a question and waits for its answer.
func (h *hostCalls) request(kind byte, payload []byte) (worker.Frame, error) {
	if h.err = h.server.send(h.child, kind, h.id, payload); h.err != nil {
		return worker.Frame{}, h.err
	}
	f, err := h.child.Receive()
	if err == nil && (f.Kind != frameReply || f.ID != h.id) {
		err = errWire
	}
	h.err = err
	return f, err
}

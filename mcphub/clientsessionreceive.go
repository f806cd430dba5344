package mcphub

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/internal/canon/scan"
	"github.com/localpass/localpass/toolspec"
)

// maxAsked bounds the requests of one server that are served side by side.
const maxAsked = 32

// maxReplies bounds the answers under way to requests that need no thought. What
// a server asks beyond them gets none: it would otherwise decide how many
// goroutines and connections this side has.
const maxReplies = 64

// take reads one message of the server and deals with it. from is the request
// whose response carries the message, if one does.
//
// Up to 2025-03-26 several messages could come as one batch.
func (s *clientSession) take(data []byte, from *clientRequest) error {
	if i := scan.Blank(data, 0); i < len(data) && data[i] == '[' {
		return s.takeBatch(data[i:], from)
	}
	var m message
	if bad := m.parse(data); bad != nil {
		// An error without an id answers what the server could not read. It can
		// be matched only where the transport does.
		if fault := faultOf(data); fault != nil {
			if from != nil {
				s.receive(&message{id: idOf(from.id), fault: fault}, from)
			}
			return nil
		}
		return fmt.Errorf("%w: %w", ErrProtocol, bad)
	}
	s.receive(&m, from)
	return nil
}

func (s *clientSession) takeBatch(data []byte, from *clientRequest) error {
	var failed error
	end, bad := scan.Elements(data, 0, canon.MaxDepth, func(value scan.Span) *scan.Error {
		one := value.Of(data)
		if failed == nil && isObject(one) { // no batch within a batch
			failed = s.take(one, from)
		}
		return nil
	})
	if bad != nil || scan.Blank(data, end) != len(data) {
		return fmt.Errorf("%w: a malformed batch", ErrProtocol)
	}
	return failed
}

// faultOf finds the error in a response whose id is null or missing.
func faultOf(data []byte) (fault []byte) {
	if !validJSON(data) {
		return nil
	}
	data = bytes.TrimSpace(data)
	_ = members(data, func(name, value []byte) error { // visit never fails
		if string(name) == "error" && isObject(value) {
			fault = value
		}
		return nil
	})
	return fault
}

// receive deals with one message.
func (s *clientSession) receive(m *message, from *clientRequest) {
	switch {
	case m.method == "":
		s.answered(m, from)
	case m.isRequest():
		s.askedBy(m, from)
	case m.method == methodProgress && s.progressed(m):
	case m.method == methodLog && s.logged(m, from):
	case m.method == methodCancelled:
		s.takenBack(m)
	default:
		if m.method == methodListening {
			s.listening(m)
		}
		s.notified(Notification{Method: m.method, Params: m.params})
	}
}

// answered hands a response to whoever waits for it. One that nobody waits for
// came too late.
func (s *clientSession) answered(m *message, from *clientRequest) {
	id, err := strconv.ParseInt(string(m.id), 10, 64)
	if err != nil {
		return
	}
	s.mu.Lock()
	w := s.waiting[id]
	delete(s.waiting, id)
	var wake context.CancelFunc
	if w != nil && (from == nil || from.id != id) {
		wake = w.wake
	}
	s.mu.Unlock()
	if w == nil {
		return
	}
	if w.first != nil {
		w.first(m)
	}
	w.answer <- m // one place, and only ever one answer
	if wake != nil {
		wake()
	}
}

// progressed hands progress to the call that asked for it, and reports whether
// there is one.
func (s *clientSession) progressed(m *message) bool {
	var token []byte
	var p toolspec.Progress
	_ = members(m.params, func(name, value []byte) error { // visit never fails
		switch string(name) {
		case "progressToken":
			token = value
		case "progress":
			p.Done, _ = strconv.ParseFloat(string(value), 64)
		case "total":
			p.Total, _ = strconv.ParseFloat(string(value), 64)
		case "message":
			p.Message, _ = text(value)
		}
		return nil
	})
	id, err := strconv.ParseInt(string(token), 10, 64)
	if err != nil {
		return false
	}
	s.mu.Lock()
	tell := s.progressOf(id)
	if w := s.waiting[id]; w != nil {
		tell = w.progress
	}
	s.mu.Unlock()
	if tell == nil {
		return false
	}
	s.guarded("progress", func() { tell(p) })
	return true
}

// belongsTo finds the call that a message of the server belongs to: the one whose
// response carries it or, when it came beside all of them, the oldest, as long as
// all that are under way are of one and the same caller. nil: nobody can tell.
func (s *clientSession) belongsTo(from *clientRequest) (found *waiter) {
	if from != nil {
		return from.wait
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var oldest int64
	for id, w := range s.waiting {
		switch {
		case !w.works:
		case found == nil:
			found, oldest = w, id
		case w.caller == nil, w.caller != found.caller:
			return nil
		case id < oldest:
			found, oldest = w, id
		}
	}
	return found
}

// logged hands a log message to the call that it belongs to, and reports whether
// there is one that wants it.
func (s *clientSession) logged(m *message, from *clientRequest) bool {
	w := s.belongsTo(from)
	if w == nil || w.log == nil {
		return false
	}
	var l toolspec.LogMessage
	_ = members(m.params, func(name, value []byte) error { // visit never fails
		switch string(name) {
		case "level":
			l.Level, _ = text(value)
		case "logger":
			l.Logger, _ = text(value)
		case "data":
			l.Data = s.mask.JSON(value)
		}
		return nil
	})
	s.guarded("log", func() { w.log(l) })
	return true
}

// notified tells the handler.
func (s *clientSession) notified(n Notification) {
	if tell := s.opts.Handler.Notification; tell != nil {
		s.guarded(n.Method, func() { tell(s.ctx, n) })
	}
}

// guarded keeps a handler that panics from taking the session with it.
func (s *clientSession) guarded(what string, do func()) {
	defer func() {
		if v := recover(); v != nil {
			s.fail(s.failure(what, true, fmt.Errorf("the handler panicked: %v", v)))
		}
	}()
	do()
}

// takenBack ends a request of the server that it does not want answered.
func (s *clientSession) takenBack(m *message) {
	_ = members(m.params, func(name, value []byte) error { // visit never fails
		if string(name) == "requestId" {
			s.mu.Lock()
			cancel := s.asked[string(value)]
			s.mu.Unlock()
			if cancel != nil {
				cancel()
			}
		}
		return nil
	})
}

// askedBy serves a request of the server.
func (s *clientSession) askedBy(m *message, from *clientRequest) {
	if _, http := s.link.(*httpLink); http && s.modern {
		return // there are none any more, and no way to answer
	}
	refuse := func(bad *rpcError) {
		s.reply(appendError(nil, m.id, bad))
	}
	if m.method == methodPing {
		s.reply(append(appendHead(nil, m.id), `,"result":{}}`...))
		return
	}
	task, own := s.relatedTask(m)
	if own == nil && (task == "" || from != nil) { // one of another task is of no call
		if w := s.belongsTo(from); w != nil {
			own = w.request
		}
	}
	answer := s.answers(own)
	if bad := s.mayAsk(answer, m.method, m.params); bad != nil {
		refuse(bad)
		return
	}
	key := string(m.id)
	ctx, cancel := context.WithCancel(s.ctx)
	s.mu.Lock()
	_, again := s.asked[key]
	full := len(s.asked) >= maxAsked
	if !again && !full {
		if s.asked == nil {
			s.asked = make(map[string]context.CancelFunc)
		}
		s.asked[key] = cancel
	}
	s.mu.Unlock()
	if again || full {
		cancel()
		refuse(&rpcError{code: codeInvalidRequest, message: "too many requests at the same time, or the same id twice"})
		return
	}
	s.run(func(context.Context) {
		result, bad := s.answerTo(ctx, answer, m)
		taken := ctx.Err() != nil
		cancel()
		s.mu.Lock()
		delete(s.asked, key)
		s.mu.Unlock()
		switch {
		case taken: // no answer is wanted
		case bad != nil:
			s.respond(s.ctx, appendError(nil, m.id, bad))
		default:
			s.respond(s.ctx, append(appendRaw(append(appendHead(nil, m.id), `,"result":`...), withRelatedTask(result, task)), '}'))
		}
	})
}

// reply sends a response that is ready, on a goroutine of its own.
func (s *clientSession) reply(frame []byte) {
	if s.replies.Add(1) > maxReplies || !s.run(func(ctx context.Context) {
		defer s.replies.Add(-1)
		s.respond(ctx, frame)
	}) {
		s.replies.Add(-1)
	}
}

// respond sends a response. When that fails, the server's request stays open:
// the server gives it up in its own time.
func (s *clientSession) respond(ctx context.Context, frame []byte) {
	ctx, cancel := context.WithTimeout(ctx, courtesy)
	defer cancel()
	_ = s.link.post(ctx, "", frame)
}

// answers picks who answers: the call's own function, or the handler.
func (s *clientSession) answers(own requestFunc) requestFunc {
	if own != nil {
		return own
	}
	return s.opts.Handler.Request
}

// mayAsk holds a request of the server against what was declared.
func (s *clientSession) mayAsk(answer requestFunc, method string, params []byte) *rpcError {
	if answer == nil {
		return undeclared(method)
	}
	return s.opts.Capabilities.mayBeAsked(method, params)
}

func undeclared(method string) *rpcError {
	return &rpcError{code: codeMethodNotFound, message: fmt.Sprintf("this client did not declare what %s needs", method)}
}

// mayBeAsked holds a request of a server against what was declared.
func (can *ClientCapabilities) mayBeAsked(method string, params []byte) *rpcError {
	no := undeclared(method)
	members := rawMap(params)
	switch method {
	case methodElicit:
		mode, _ := text(members["mode"])
		switch {
		case !can.Form && !can.URL:
			return no
		case mode == "url" && !can.URL, mode != "url" && !can.Form, mode != "" && mode != "url" && mode != "form":
			return badParams("this client did not declare questions of the mode %q", or(mode, "form"))
		}
		return nil
	case methodSample:
		switch {
		case !can.Sampling:
			return no
		case !can.SamplingTools && (members["tools"] != nil || members["toolChoice"] != nil):
			return badParams("this client did not declare sampling with tools")
		}
		return nil
	case methodRoots:
		if can.Roots {
			return nil
		}
		return no
	}
	return &rpcError{code: codeMethodNotFound, message: "Method not found: " + method}
}

// answerTo asks whoever answers. What a handler's error says may be private: the
// server learns it only from an RPCError.
func (s *clientSession) answerTo(ctx context.Context, answer requestFunc, m *message) (result []byte, bad *rpcError) {
	defer func() {
		if v := recover(); v != nil {
			result, bad = nil, &rpcError{code: codeInternal, message: "the client failed to answer"}
		}
	}()
	q := ServerRequest{Method: m.method, Params: s.mask.JSON(m.params)} // a server may repeat what it was sent
	result, err := answer(ctx, q)
	if errors.Is(err, errNotRelayed) {
		if other := s.opts.Handler.Request; other != nil {
			result, err = other(ctx, q)
		} else if m.method == methodElicit { // which a tool can deal with better than with an error
			result, err = []byte(`{"action":"decline"}`), nil
		}
	}
	var refused *RPCError
	switch {
	case errors.As(err, &refused):
		bad = &rpcError{code: refused.Code, message: refused.Message}
		if validJSON(refused.Data) {
			bad.data = json.RawMessage(refused.Data)
		}
		return nil, bad
	case errors.Is(err, errors.ErrUnsupported):
		return nil, &rpcError{code: codeMethodNotFound, message: "the client cannot answer this"}
	case err != nil:
		return nil, &rpcError{code: codeInternal, message: "the client failed to answer"}
	case !validJSON(result) || !isObject(bytes.TrimSpace(result)):
		return nil, &rpcError{code: codeInternal, message: "the client failed to answer"}
	}
	return result, nil
}

// refusal makes an error of what the server answered. Secrets that it repeats
// are masked.
func (s *clientSession) refusal(fault []byte) error {
	e := &RPCError{}
	var code []byte
	_ = members(fault, func(name, value []byte) error { // visit never fails
		switch string(name) {
		case "code":
			code = value
		case "message":
			e.Message, _ = text(value)
		case "data":
			e.Data = value
		}
		return nil
	})
	n, err := strconv.ParseFloat(string(code), 64)
	if err != nil {
		n = codeInternal
	}
	e.Code = int(n)
	e.Message = tailOf(s.mask.String(or(e.Message, "no reason given")))
	if e.Data != nil {
		e.Data = s.mask.JSON(e.Data)
	}
	return e
}

func idOf(n int64) []byte { return strconv.AppendInt(nil, n, 10) }

package client

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/internal/canon/scan"
	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec"
)

// readMessage reads and processes one message of the server. from is the request whose
// response carries the message, if there is one.
//
// Up to 2025-03-26 several messages may come as one batch.
func (s *session) readMessage(data []byte, from *request) error {
	if i := scan.Blank(data, 0); i < len(data) && data[i] == '[' {
		return s.readBatch(data[i:], from)
	}
	var m rpc.Message
	if bad := m.Parse(data); bad != nil {
		s.took(nil, data, from)
		// An error without an id answers a message that the server could not parse. Only
		// the transport can match it to a request.
		if fault := faultOf(data); fault != nil {
			if from != nil {
				s.receive(&rpc.Message{ID: idOf(from.id), Error: fault}, from)
			}
			return nil
		}
		return fmt.Errorf("%w: %w", ErrProtocol, bad)
	}
	s.took(&m, data, from)
	s.receive(&m, from)
	return nil
}

func (s *session) readBatch(data []byte, from *request) error {
	var failed error
	end, bad := scan.Elements(data, 0, canon.MaxDepth, func(value scan.Span) *scan.Error {
		one := value.Of(data)
		if failed == nil && rpc.IsObject(one) { // batches cannot be nested
			failed = s.readMessage(one, from)
		}
		return nil
	})
	if bad != nil || scan.Blank(data, end) != len(data) {
		return fmt.Errorf("%w: a malformed batch", ErrProtocol)
	}
	return failed
}

// faultOf returns the error of a response whose id is null or missing.
func faultOf(data []byte) (fault []byte) {
	if !rpc.ValidJSON(data) {
		return nil
	}
	data = bytes.TrimSpace(data)
	_ = rpc.Members(data, func(name, value []byte) error { // visit never fails
		if string(name) == "error" && rpc.IsObject(value) {
			fault = value
		}
		return nil
	})
	return fault
}

// receive processes one message.
func (s *session) receive(m *rpc.Message, from *request) {
	switch {
	case m.Method == "":
		s.answered(m, from)
	case m.IsRequest():
		s.askedBy(m, from)
	case m.Method == rpc.MethodProgress && s.progressed(m):
	case m.Method == rpc.MethodLog && s.logged(m, from):
	case m.Method == rpc.MethodCancelled:
		s.takenBack(m)
	default:
		if m.Method == rpc.MethodListening {
			s.listening(m)
		}
		s.notified(Notification{Method: m.Method, Params: m.Params, mask: s.mask})
	}
}

// answered delivers a response to the waiting caller. A response without a waiting caller
// came too late and is dropped.
func (s *session) answered(m *rpc.Message, from *request) {
	id, err := strconv.ParseInt(string(m.ID), 10, 64)
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
	w.answer <- m // capacity 1, and there is never more than one answer
	if wake != nil {
		wake()
	}
}

// progressed passes progress to the call that asked for it, and reports whether there is
// such a call.
func (s *session) progressed(m *rpc.Message) bool {
	var token []byte
	var p toolspec.Progress
	_ = rpc.Members(m.Params, func(name, value []byte) error { // visit never fails
		switch string(name) {
		case "progressToken":
			token = value
		case "progress":
			p.Done, _ = strconv.ParseFloat(string(value), 64)
		case "total":
			p.Total, _ = strconv.ParseFloat(string(value), 64)
		case "message":
			p.Message, _ = rpc.Text(value)
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

// belongsTo finds the call that a message of the server belongs to: the call whose
// response carries the message or, if the message came outside of all responses, the
// oldest call, provided that all calls in progress have the same caller. It returns nil
// if the call is unknown.
func (s *session) belongsTo(from *request) (found *waiter) {
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

// logged passes a log message to the call that it belongs to, and reports whether that
// call accepts it.
func (s *session) logged(m *rpc.Message, from *request) bool {
	w := s.belongsTo(from)
	if w != nil && w.heard != nil {
		s.guarded("log", func() { w.heard(Notification{Method: m.Method, Params: m.Params, mask: s.mask}) })
	}
	if w == nil || w.log == nil {
		return false
	}
	var l toolspec.LogMessage
	_ = rpc.Members(m.Params, func(name, value []byte) error { // visit never fails
		switch string(name) {
		case "level":
			l.Level, _ = rpc.Text(value)
		case "logger":
			l.Logger, _ = rpc.Text(value)
		case "data":
			l.Data = s.mask.JSON(value)
		}
		return nil
	})
	s.guarded("log", func() { w.log(l) })
	return true
}

// notified calls the handler.
func (s *session) notified(n Notification) {
	if tell := s.opts.Handler.Notification; tell != nil {
		s.guarded(n.Method, func() { tell(s.ctx, n) })
	}
}

// guarded prevents a panic in a handler from ending the session.
func (s *session) guarded(what string, do func()) {
	defer func() {
		if v := recover(); v != nil {
			s.fail(s.failure(what, true, fmt.Errorf("the handler panicked: %v", v)))
		}
	}()
	do()
}

// refusal returns an error for the server's error response. Secrets in its text are
// masked.
func (s *session) refusal(fault []byte) error {
	e := &RPCError{}
	var code []byte
	_ = rpc.Members(fault, func(name, value []byte) error { // visit never fails
		switch string(name) {
		case "code":
			code = value
		case "message":
			e.Message, _ = rpc.Text(value)
		case "data":
			e.Data = value
		}
		return nil
	})
	n, err := strconv.ParseFloat(string(code), 64)
	if err != nil {
		n = rpc.CodeInternal
	}
	e.Code = int(n)
	e.Message = tailOf(s.mask.String(cmp.Or(e.Message, "no reason given")))
	if e.Data != nil {
		e.Data = s.mask.JSON(e.Data)
	}
	return e
}

func idOf(n int64) []byte { return strconv.AppendInt(nil, n, 10) }

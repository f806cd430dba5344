package mcphub

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/toolspec"
)

// writer writes the whole response for the request that waits for it: another
// one than the handler began with, when the client was asked meanwhile and had to
// come back.
type writer func(x *exchange) []byte

// handle lets somebody else's code answer a request that is no call of a tool:
// the handler of a prompt, a resource or a completion, or another server. It
// has the time and the slots that calls have, a peer as long as it runs, and does
// not get away with a panic.
func (h *Hub) handle(ctx context.Context, x *exchange, target string, do func(ctx context.Context, call *toolspec.Call) (writer, error)) ([]byte, *rpcError) {
	if bad := checkAnswers(&x.msg); x.modern && bad != nil {
		return nil, bad
	}
	return h.askable(ctx, x, target, x.msg.arguments, nil, func(ctx context.Context) ending {
		x.call = toolspec.Call{ID: h.clock.ID(), Arguments: x.msg.arguments, Principal: x.principal, Meta: rawMap(x.msg.meta), Peer: &x.peer}
		write, err := h.attend(ctx, x, target, do)
		return func(last *exchange) ([]byte, *rpcError) {
			lacks, opens := (*lacksError)(nil), (*urlRequired)(nil)
			switch {
			case err == nil:
				return write(last), nil
			case x.modern && errors.As(err, &lacks):
				return nil, lacks.asError() // it failed for want of that
			case x.session != nil && errors.As(err, &opens):
				return nil, opens.asError()
			}
			return nil, h.handlerError(x, target, err)
		}
	})
}

// requestOf is what a handler learns of a request.
func requestOf(call *toolspec.Call) Request {
	return Request{ID: call.ID, Principal: call.Principal, Meta: call.Meta, Peer: call.Peer}
}

// attend runs do within the limits of a call.
func (h *Hub) attend(ctx context.Context, x *exchange, target string, do func(ctx context.Context, call *toolspec.Call) (writer, error)) (write writer, err error) {
	in := &room{places: h.slots}
	within, stop := newCallClock(ctx, h.opts.CallTimeout, in)
	defer stop()
	if !h.calls.enter(&x.call, stop) {
		return nil, &rpcError{code: mcp.INTERNAL_ERROR, message: "the server is shutting down"}
	}
	defer h.calls.leave(&x.call)
	request := genai.Request{Method: x.msg.method, Target: target, Transport: x.transport, Protocol: x.version}
	if x.session != nil {
		request.Session = x.session.label
	}
	ctx, op := h.tel.StartRequest(within, request)
	defer func() {
		if v := recover(); v != nil {
			h.tel.Log().Error("mcphub: a handler panicked", "method", x.msg.method, "target", target, "request", x.call.ID, "panic", v, "stack", string(debug.Stack()))
			write, err = nil, fmt.Errorf("panic: %v", v)
		}
		if op == nil {
			return
		}
		if err == nil {
			op.End(ctx, "", nil)
		} else {
			op.End(ctx, "handler_error", err)
		}
	}()
	if !in.enter(within) {
		if errors.Is(within.Err(), context.DeadlineExceeded) {
			return nil, errBusy
		}
		return nil, within.Err()
	}
	defer in.end()
	x.peer.time(within)
	return do(ctx, &x.call)
}

var errBusy = &rpcError{code: mcp.INTERNAL_ERROR, message: "the server is busy; try again later"}

// handlerError is what a client learns of an error: what a handler meant for it,
// and else nothing of what it says.
func (h *Hub) handlerError(x *exchange, target string, err error) *rpcError {
	var own *rpcError
	var meant *RPCError
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &meant):
		e := &rpcError{code: meant.Code, message: meant.Message}
		if validJSON(meant.Data) {
			e.data = meant.Data
		}
		return e
	case errors.Is(err, ErrUnknownResource):
		uri, _ := x.msg.uri()
		return resourceNotFound(x, uri)
	}
	h.tel.Log().Warn("mcphub: a request could not be answered", "method", x.msg.method, "target", target, "request", x.call.ID, "error", err)
	e := &rpcError{code: mcp.INTERNAL_ERROR, message: "the server failed to answer"}
	if errors.Is(err, context.DeadlineExceeded) {
		e.message = "the request took too long"
	}
	return e
}

package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// maxAsked is how many requests of one server are served concurrently.
const maxAsked = 32

// maxReplies is the maximum number of responses sent at the same time that need no
// handler, such as refusals. Requests of a server beyond that limit get no response:
// otherwise the server would decide how many goroutines and connections this side has.
const maxReplies = 64

// takenBack cancels the answer to a request that the server has cancelled.
func (s *session) takenBack(m *rpc.Message) {
	_ = rpc.Members(m.Params, func(name, value []byte) error { // visit never fails
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
func (s *session) askedBy(m *rpc.Message, from *request) {
	if _, http := s.link.(*httpLink); http && s.modern {
		return // no requests are left, and there is no way to answer
	}
	refuse := func(bad *rpc.Error) {
		s.reply(rpc.AppendError(nil, m.ID, bad), from)
	}
	if m.Method == rpc.MethodPing {
		s.reply(append(rpc.AppendHead(nil, m.ID), `,"result":{}}`...), from)
		return
	}
	task, own := s.relatedTask(m)
	if own == nil && (task == "" || from != nil) { // a request of another task belongs to no call
		if w := s.belongsTo(from); w != nil {
			own = w.request
		}
	}
	answer := s.answers(own)
	if bad := s.mayAsk(answer, m.Method, m.Params); bad != nil {
		refuse(bad)
		return
	}
	key := string(m.ID)
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
		refuse(&rpc.Error{Code: rpc.CodeInvalidRequest, Message: "too many requests at the same time, or the same id twice"})
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
			s.respond(s.ctx, rpc.AppendError(nil, m.ID, bad), from)
		default:
			s.respond(s.ctx, append(rpc.AppendRaw(append(rpc.AppendHead(nil, m.ID), `,"result":`...), withRelatedTask(result, task)), '}'), from)
		}
	})
}

// reply sends a finished response from a new goroutine.
func (s *session) reply(frame []byte, from *request) {
	if s.replies.Add(1) > maxReplies || !s.run(func(ctx context.Context) {
		defer s.replies.Add(-1)
		s.respond(ctx, frame, from)
	}) {
		s.replies.Add(-1)
	}
}

// respond sends a response. If that fails, the server's request stays open until the
// server gives it up.
func (s *session) respond(ctx context.Context, frame []byte, from *request) {
	ctx, cancel := context.WithTimeout(ctx, rpc.Courtesy)
	defer cancel()
	s.responds(frame, from)
	_ = s.link.post(ctx, "", frame)
}

// answers chooses the function that answers: the call's own function, or the handler.
func (s *session) answers(own requestFunc) requestFunc {
	if own != nil {
		return own
	}
	return s.opts.Handler.Request
}

// mayAsk checks a request of the server against the declared capabilities.
func (s *session) mayAsk(answer requestFunc, method string, params []byte) *rpc.Error {
	if answer == nil {
		return undeclared(method)
	}
	return s.opts.Capabilities.refuses(method, params)
}

func undeclared(method string) *rpc.Error {
	return &rpc.Error{Code: rpc.CodeMethodNotFound, Message: fmt.Sprintf("this client did not declare what %s needs", method)}
}

// Refuses checks a request of a server against the declared capabilities, and returns the
// error with which to refuse it; nil if it is allowed.
func (can *ClientCapabilities) Refuses(r *ServerRequest) error {
	if bad := can.refuses(r.Method, r.Params); bad != nil {
		return &RPCError{Code: bad.Code, Message: bad.Message}
	}
	return nil
}

func (can *ClientCapabilities) refuses(method string, params []byte) *rpc.Error {
	no := undeclared(method)
	members := rpc.Object(params)
	switch method {
	case rpc.MethodElicit:
		mode, _ := rpc.Text(members["mode"])
		switch {
		case !can.Form && !can.URL:
			return no
		case mode == "url" && !can.URL, mode != "url" && !can.Form, mode != "" && mode != "url" && mode != "form":
			return rpc.BadParams("this client did not declare questions of the mode %q", cmp.Or(mode, "form"))
		}
		return nil
	case rpc.MethodSample:
		switch {
		case !can.Sampling:
			return no
		case !can.SamplingTools && (members["tools"] != nil || members["toolChoice"] != nil):
			return rpc.BadParams("this client did not declare sampling with tools")
		}
		return nil
	case rpc.MethodRoots:
		if can.Roots {
			return nil
		}
		return no
	}
	return &rpc.Error{Code: rpc.CodeMethodNotFound, Message: "Method not found: " + method}
}

// answerTo calls the function that answers. The text of a handler's error may be private:
// the server gets it only from an RPCError.
func (s *session) answerTo(ctx context.Context, answer requestFunc, m *rpc.Message) (result []byte, bad *rpc.Error) {
	defer func() {
		if v := recover(); v != nil {
			result, bad = nil, &rpc.Error{Code: rpc.CodeInternal, Message: "the client failed to answer"}
		}
	}()
	q := ServerRequest{Method: m.Method, Params: s.mask.JSON(m.Params), mask: s.mask} // a server may repeat what it received
	result, err := answer(ctx, q)
	if errors.Is(err, rpc.ErrNotRelayed) {
		if other := s.opts.Handler.Request; other != nil {
			result, err = other(ctx, q)
		} else if m.Method == rpc.MethodElicit { // a tool can handle that better than an error
			result, err = []byte(`{"action":"decline"}`), nil
		}
	}
	var refused *RPCError
	switch {
	case errors.As(err, &refused):
		bad = &rpc.Error{Code: refused.Code, Message: refused.Message}
		if rpc.ValidJSON(refused.Data) {
			bad.Data = json.RawMessage(refused.Data)
		}
		return nil, bad
	case errors.Is(err, errors.ErrUnsupported):
		return nil, &rpc.Error{Code: rpc.CodeMethodNotFound, Message: "the client cannot answer this"}
	case err != nil:
		return nil, &rpc.Error{Code: rpc.CodeInternal, Message: "the client failed to answer"}
	case !rpc.ValidJSON(result) || !rpc.IsObject(bytes.TrimSpace(result)):
		return nil, &rpc.Error{Code: rpc.CodeInternal, Message: "the client failed to answer"}
	}
	return result, nil
}

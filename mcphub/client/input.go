package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// InputRequired says that the server needs input from this side to finish a call
// (2026-07-28). It is an error of [Session]'s Call; find it with errors.As, answer the
// questions and call Retry.
//
// While the questions are open, the connection is free: the answer may take as long as
// the server's state is valid.
type InputRequired struct {
	Method string
	// Requests are the questions, by the server's id. If empty, the server only wants the
	// call to be repeated later.
	Requests map[string]InputRequest
	// State must be sent back to the server, which alone can interpret it.
	State string

	state json.RawMessage // as the server wrote it; nil if absent
	retry func(ctx context.Context, extra []rawMember) (json.RawMessage, error)
}

// InputRequest is one question.
type InputRequest struct {
	// Method is elicitation/create, sampling/createMessage or roots/list.
	Method string
	Params json.RawMessage // nil when there are none
}

// Error names the method and the requested input.
func (r *InputRequired) Error() string {
	if len(r.Requests) == 0 {
		return fmt.Sprintf("client: %s: the server wants to be asked again later", r.Method)
	}
	ids := slices.Sorted(maps.Keys(r.Requests))
	for i, id := range ids {
		ids[i] = id + " (" + r.Requests[id].Method + ")"
	}
	return fmt.Sprintf("client: %s: the server needs answers first: %s", r.Method, strings.Join(ids, ", "))
}

// Retry repeats the call with the answers to all Requests, each a JSON object, such as
// {"action":"decline"}. Like the call, it returns a result, an error, or further
// questions.
func (r *InputRequired) Retry(ctx context.Context, answers map[string]json.RawMessage) (json.RawMessage, error) {
	var extra []rawMember
	if len(r.Requests) > 0 {
		all := []byte{'{'}
		for _, id := range slices.Sorted(maps.Keys(r.Requests)) {
			answer := answers[id]
			if !rpc.ValidJSON(answer) || !rpc.IsObject(bytes.TrimSpace(answer)) {
				return nil, fmt.Errorf("client: %s: the question %q needs a JSON object as its answer", r.Method, id)
			}
			all = append(append(rpc.AppendString(rpc.Comma(all), id), ':'), answer...)
		}
		extra = append(extra, rawMember{"inputResponses", append(all, '}')})
	}
	if r.state != nil {
		extra = append(extra, rawMember{"requestState", r.state})
	}
	return r.retry(ctx, extra)
}

// checked validates a result of 2026-07-28: it may be a question, or a list with tools
// that must not be used.
func (s *session) checked(ctx context.Context, method string, params json.RawMessage, opts *CallOptions, result json.RawMessage) (json.RawMessage, error) {
	for round := 0; ; round++ {
		need := s.inputRequired(method, params, opts, result)
		if need == nil {
			break
		}
		if round >= opts.Rounds {
			return nil, need
		}
		extra, err := s.answerAll(ctx, need, s.answers(opts.Request), round)
		if err != nil {
			return nil, err
		}
		if result, err = s.call(ctx, method, params, opts, extra); err != nil {
			return nil, err
		}
	}
	if _, http := s.link.(*httpLink); http && method == rpc.MethodToolsList {
		return s.headerTools(result), nil
	}
	return result, nil
}

// inputRequired reads a question from a result; nil if it is not one.
func (s *session) inputRequired(method string, params json.RawMessage, opts *CallOptions, result json.RawMessage) *InputRequired {
	// Most results are not questions, and this check avoids parsing them.
	if !bytes.Contains(result, []byte("input_required")) && !bytes.Contains(result, []byte(`\u`)) {
		return nil
	}
	all := rpc.Object(result)
	if kind, _ := rpc.Text(all["resultType"]); kind != "input_required" {
		return nil
	}
	need := &InputRequired{Method: method, Requests: map[string]InputRequest{}}
	for id, raw := range rpc.Object(all["inputRequests"]) {
		question := rpc.Object(raw)
		name, _ := rpc.Text(question["method"])
		need.Requests[id] = InputRequest{Method: name, Params: question["params"]}
	}
	if state, ok := rpc.Text(all["requestState"]); ok {
		need.State, need.state = state, all["requestState"]
	}
	once := *opts
	once.Rounds = 0
	need.retry = func(ctx context.Context, extra []rawMember) (json.RawMessage, error) {
		result, err := s.call(ctx, method, params, &once, extra)
		if err != nil {
			return nil, err
		}
		if result, err = s.checked(ctx, method, params, &once, result); err != nil {
			return nil, err
		}
		return s.followed(ctx, method, &once, result, &CallTiming{})
	}
	return need
}

// answerAll answers all questions with the handler, one after another, because they go to
// the same person. Kinds of questions that were not declared are not answered.
func (s *session) answerAll(ctx context.Context, need *InputRequired, answer requestFunc, round int) ([]rawMember, error) {
	if len(need.Requests) == 0 {
		select {
		case <-time.After(min(250*time.Millisecond<<round, 4*time.Second)):
		case <-ctx.Done():
			return nil, s.failure(need.Method, true, ctx.Err())
		}
	}
	answers := []byte{'{'}
	for _, id := range slices.Sorted(maps.Keys(need.Requests)) {
		q := need.Requests[id]
		bad := s.mayAsk(answer, q.Method, q.Params)
		var result []byte
		if bad == nil {
			result, bad = s.answerTo(ctx, answer, &rpc.Message{Method: q.Method, Params: q.Params})
		}
		if bad != nil {
			if ctx.Err() != nil {
				return nil, s.failure(need.Method, true, ctx.Err())
			}
			return nil, fmt.Errorf("client: %s: the server's question %q cannot be answered: %s: %w", need.Method, id, bad.Message, need)
		}
		answers = append(append(rpc.AppendString(rpc.Comma(answers), id), ':'), result...)
	}
	var extra []rawMember
	if len(need.Requests) > 0 {
		extra = append(extra, rawMember{"inputResponses", append(answers, '}')})
	}
	if need.state != nil {
		extra = append(extra, rawMember{"requestState", need.state})
	}
	return extra, nil
}

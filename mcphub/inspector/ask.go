package inspector

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/internal/schema"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec"
)

// PendingQuestion is a question of a server that waits for a person's answer.
type PendingQuestion struct {
	ID     string `json:"id"`
	Server string `json:"serverId"`
	// Method is elicitation/create or sampling/createMessage, and Params the question,
	// with secrets of the connection masked.
	Method string          `json:"method"`
	Params json.RawMessage `json:"params,omitempty"`
	// Inspection is the id of the operation that caused it.
	Inspection string    `json:"inspectionId,omitempty"`
	Asked      time.Time `json:"askedAt"`
	// Deadline is when it is answered automatically.
	Deadline time.Time `json:"deadline"`
}

// openQuestion is a question that waits for an answer.
type openQuestion struct {
	PendingQuestion
	params  json.RawMessage // as the server sent them
	settled chan verdict    // capacity 1
}

// verdict is how a question ended, as a word, with the answer to the server.
type verdict struct {
	word   string
	result json.RawMessage
	err    error
}

// codeUserSaidNo is the error code that the server gets if a user declines a completion.
const codeUserSaidNo = -1

// verdictGone ends the questions of a deleted server: no answer is sent.
var verdictGone = verdict{word: "gone", err: &client.RPCError{Code: rpc.CodeInternal, Message: "the client has forgotten this server"}}

// settle ends a question; the first verdict counts.
func (q *openQuestion) settle(v verdict) {
	select {
	case q.settled <- v:
	default:
	}
}

// noteKinds returns the kinds of notes for a question and for its answer.
func (q *openQuestion) noteKinds() (asked, answered NoteKind) {
	if q.Method == rpc.MethodSample {
		return NoteSamplingRequest, NoteSamplingResponded
	}
	return NoteElicitationRequest, NoteElicitationResponded
}

// Pending returns the open questions of a server, the oldest first; of all servers if
// server is empty.
func (i *Inspector) Pending(server string) []PendingQuestion {
	i.mu.Lock()
	out := make([]PendingQuestion, 0, len(i.pending))
	for _, q := range i.pending {
		if server == "" || q.Server == server {
			out = append(out, q.PendingQuestion)
		}
	}
	i.mu.Unlock()
	slices.SortFunc(out, func(a, b PendingQuestion) int {
		if d := a.Asked.Compare(b.Asked); d != 0 {
			return d
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out
}

// Answer answers a question. For a form, answer is the object of its fields, which must
// match the schema of the question; for an opened address it is nil; for a completion it
// is the message {"role", "content", "model", "stopReason"}, where role, model and
// stopReason are optional. The error is ErrNotPending if the question is not open, and
// ErrInvalidOperation if the answer is invalid; the question then stays open.
func (i *Inspector) Answer(id string, answer json.RawMessage) error {
	q, err := i.question(id)
	if err != nil {
		return err
	}
	result, err := q.accept(answer)
	if err != nil {
		return err
	}
	return i.settle(id, verdict{word: "answered", result: result})
}

// Decline declines a question.
func (i *Inspector) Decline(id string) error {
	q, err := i.question(id)
	if err != nil {
		return err
	}
	return i.settle(id, q.refuse("declined", "decline"))
}

// Cancel ends a question without accepting or declining it.
func (i *Inspector) Cancel(id string) error {
	q, err := i.question(id)
	if err != nil {
		return err
	}
	return i.settle(id, q.refuse("cancelled", "cancel"))
}

func (i *Inspector) question(id string) (*openQuestion, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if q := i.pending[id]; q != nil {
		return q, nil
	}
	return nil, fmt.Errorf("%w: %q", ErrNotPending, clip.To(id, maxShown))
}

// settle delivers a verdict to the waiting caller. The first verdict counts.
func (i *Inspector) settle(id string, v verdict) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	q := i.pending[id]
	if q == nil {
		return fmt.Errorf("%w: %q", ErrNotPending, clip.To(id, maxShown))
	}
	delete(i.pending, id)
	q.settle(v)
	return nil
}

// refuse returns the verdict for a user who declines or cancels.
func (q *openQuestion) refuse(word, action string) verdict {
	if q.Method == rpc.MethodSample {
		return verdict{word: word, err: &client.RPCError{Code: codeUserSaidNo, Message: "User rejected sampling request"}}
	}
	return verdict{word: word, result: json.RawMessage(`{"action":"` + action + `"}`)}
}

// late returns the verdict if nobody answered in time.
func (q *openQuestion) late() verdict {
	if q.Method == rpc.MethodSample {
		return verdict{word: "timed out", result: json.RawMessage(`{"role":"assistant","model":"none","stopReason":"endTurn",` +
			`"content":{"type":"text","text":"Nobody answered this request in time."}}`)}
	}
	return verdict{word: "timed out", result: json.RawMessage(`{"action":"cancel"}`)}
}

// accept makes the result from an answer.
func (q *openQuestion) accept(answer json.RawMessage) (json.RawMessage, error) {
	answer = bytes.TrimSpace(answer)
	if len(answer) > 0 && (!rpc.ValidJSON(answer) || !rpc.IsObject(answer)) && string(answer) != "null" {
		return nil, invalidOperation("the answer must be a JSON object")
	}
	if string(answer) == "null" {
		answer = nil
	}
	asked := rpc.Object(q.params)
	if q.Method == rpc.MethodSample {
		all := rpc.Object(answer)
		if kind := all["content"]; !rpc.IsObject(kind) && (len(kind) == 0 || kind[0] != '[') {
			return nil, invalidOperation(`the answer to a request for a completion needs "content"`)
		}
		for name, value := range map[string]string{"role": `"assistant"`, "model": `"operator"`, "stopReason": `"endTurn"`} {
			if all[name] == nil {
				all[name] = json.RawMessage(value)
			}
		}
		return json.Marshal(all)
	}
	if mode, _ := rpc.Text(asked["mode"]); mode == "url" {
		if len(rpc.Object(answer)) > 0 {
			return nil, invalidOperation("an address that is to be opened takes no fields")
		}
		return json.RawMessage(`{"action":"accept"}`), nil
	}
	if answer == nil {
		answer = json.RawMessage("{}")
	}
	if form := asked["requestedSchema"]; rpc.IsObject(form) {
		s, err := schema.CompileObject(form)
		if err != nil {
			return nil, invalidOperation("the form of the server is no good, it can only be declined: %v", err)
		}
		if err := s.Validate(answer); err != nil {
			return nil, invalidOperation("the answer does not match what is asked for: %v", err)
		}
	}
	return append(rpc.AppendRaw([]byte(`{"action":"accept","content":`), answer), '}'), nil
}

// ask asks users a question that a server sent because of an operation, and waits for the
// answer. call is the clock of the operation: it is stopped during the wait, and its end
// ends the wait.
func (i *Inspector) ask(ctx context.Context, call *rpc.CallClock, server, inspection string, r client.ServerRequest) (json.RawMessage, error) {
	if r.Method == rpc.MethodRoots {
		return i.rootsResult(server)
	}
	if r.Method != rpc.MethodElicit && r.Method != rpc.MethodSample {
		return nil, &client.RPCError{Code: rpc.CodeMethodNotFound, Message: "Method not found: " + r.Method}
	}
	now := i.clock.Now()
	q := &openQuestion{PendingQuestion: PendingQuestion{ID: i.clock.ID(), Server: server, Method: r.Method, Params: slices.Clone(r.Mask().JSON(r.Params)),
		Inspection: inspection, Asked: now, Deadline: now.Add(i.opts.AnswerTimeout)}, params: slices.Clone(r.Params), settled: make(chan verdict, 1)}
	full := false
	err := i.state(server, func(*inspected) {
		open := 0
		for _, other := range i.pending {
			if other.Server == server {
				open++
			}
		}
		if full = open >= maxPending; !full {
			i.pending[q.ID] = q
		}
	})
	if err != nil || full {
		return nil, &client.RPCError{Code: rpc.CodeInternal, Message: "the client cannot take this question now"}
	}
	defer call.Pause()()
	asked, answered := q.noteKinds()
	message, _ := rpc.Text(rpc.Object(q.Params)["message"])
	i.note(ServerNote{Server: server, Kind: asked, Question: q.ID, Method: q.Method, Summary: cmp.Or(message, "a completion is asked for")})
	timer := time.NewTimer(i.opts.AnswerTimeout)
	defer timer.Stop()
	var v verdict
	select {
	case v = <-q.settled:
	case <-timer.C:
		v = q.late()
	case <-ctx.Done(): // the server withdrew the question, or its session ended
		v = verdict{word: "cancelled by the server", err: ctx.Err()}
		answered = NoteCancelled
	case <-call.Done():
		v = verdict{word: "cancelled with the operation", err: call.Err()}
	case <-i.ctx.Done():
		v = verdict{word: "cancelled", err: toolspec.ErrClosed}
	}
	i.mu.Lock()
	delete(i.pending, q.ID)
	i.mu.Unlock()
	select {
	case v = <-q.settled: // the user was already told that the answer counts
	default:
	}
	i.note(ServerNote{Server: server, Kind: answered, Question: q.ID, Method: q.Method, Summary: v.word})
	return v.result, v.err
}

// askedOutside answers a question that cannot be assigned to an operation. Roots are the
// same for the whole session; any other question may be meant for another caller and is
// not shown here.
func (i *Inspector) askedOutside(ctx context.Context, server string, r client.ServerRequest, other func(context.Context, client.ServerRequest) (json.RawMessage, error)) (json.RawMessage, error) {
	switch {
	case r.Method == rpc.MethodRoots && i.opts.Answers.Roots:
		return i.rootsResult(server)
	case other != nil:
		return other(ctx, r)
	}
	return nil, &client.RPCError{Code: rpc.CodeMethodNotFound, Message: "this client answers only during a call that the question belongs to"}
}

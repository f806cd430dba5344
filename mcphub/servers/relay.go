package servers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec"
)

// relay forwards the questions that a server asks because of one call to the caller.
type relay struct {
	ctx    context.Context // of the call
	peer   toolspec.Peer
	policy RelayPolicy
	server string // the id of its record
	feed   *feed  // for what the server reports during this call
	pages  *pages // nil if the client is not notified when a page is done

	mu        sync.Mutex // guards the fields below
	questions int
	samples   int
}

var errNotRelayed = fmt.Errorf("servers: %w", rpc.ErrNotRelayed)

// request answers one question.
func (r *relay) request(ctx context.Context, q client.ServerRequest) (json.RawMessage, error) {
	kind := rpc.KindOfQuestion(q.Method, q.Params)
	if !r.policy.allows(kind) {
		return nil, errNotRelayed
	}
	depth := depthOf(q.Params)
	if depth >= r.policy.MaxDepth {
		return nil, &client.RPCError{Code: rpc.CodeInvalidRequest, Message: "the question came through too many servers"}
	}
	if no := r.spend(kind); no != nil {
		return nil, no
	}
	params, err := r.passedOn(kind, q.Params, depth+1)
	if err != nil {
		return nil, &client.RPCError{Code: rpc.CodeInvalidParams, Message: err.Error()}
	}
	// The question ends with the call, with the session, or when the server withdraws it.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.ctx, cancel)()
	defer rpc.ClockOf(r.ctx).Pause()()
	var result json.RawMessage
	if raw, ok := r.peer.(rpc.RawPeer); ok {
		result, err = raw.AskRaw(ctx, q.Method, params)
	} else {
		result, err = askTyped(ctx, r.peer, kind, params)
	}
	var said *rpc.ClientError
	switch {
	case errors.As(err, &said):
		return nil, &client.RPCError{Code: said.Code, Message: said.Message}
	case errors.Is(err, errors.ErrUnsupported):
		return nil, errNotRelayed
	}
	return result, err
}

// spend takes a question from the budget of the call.
func (r *relay) spend(kind rpc.QuestionKind) *client.RPCError {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch kind {
	case rpc.FormQuestion, rpc.URLQuestion:
		if r.questions++; r.questions > r.policy.MaxQuestions {
			return &client.RPCError{Code: rpc.CodeInvalidRequest, Message: "the call has asked as many questions as it may"}
		}
	case rpc.ModelQuestion, rpc.ModelToolsQuestion:
		if r.samples++; r.samples > r.policy.MaxSamples {
			return &client.RPCError{Code: codeRejected, Message: "the call has had as many completions as it may"}
		}
	}
	return nil
}

// codeRejected is the error code with which a client says that the user declined
// (sampling).
const codeRejected = -1

// depthOf returns how many hubs have forwarded a question.
func depthOf(params []byte) int {
	n, err := strconv.Atoi(string(rpc.Object(rpc.Object(rpc.Object(params)["_meta"])[rpc.KeyOrigin])[rpc.KeyDepth]))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// passedOn converts the params of a question for the client: they stay as the server
// wrote them, except for members that belong to one hop. They name the server that asks:
// in _meta and, in texts for a person, in front of the message.
func (r *relay) passedOn(kind rpc.QuestionKind, params []byte, depth int) (json.RawMessage, error) {
	origin := rpc.AppendString([]byte(`{"server":`), r.server)
	origin = strconv.AppendInt(append(origin, `,"`+rpc.KeyDepth+`":`...), int64(depth), 10)
	meta := map[string]json.RawMessage{}
	for name, value := range rpc.WithoutReserved(rpc.Object(rpc.Object(params)["_meta"])) {
		meta[name] = value
	}
	meta[rpc.KeyOrigin] = append(origin, '}')
	set := map[string][]byte{"_meta": rpc.Encode(meta), "task": nil}
	members := rpc.Object(params)
	switch kind {
	case rpc.FormQuestion, rpc.URLQuestion:
		message, ok := rpc.Text(members["message"])
		if !ok {
			return nil, errors.New("a question needs a message")
		}
		set["message"] = rpc.AppendString(nil, asker(r.server, message))
		set["elicitationId"] = nil
		if kind == rpc.URLQuestion {
			set["elicitationId"] = r.page(params)
		}
	case rpc.ModelQuestion, rpc.ModelToolsQuestion:
		tokens, err := strconv.ParseFloat(string(members["maxTokens"]), 64)
		if err != nil || !(tokens > 0) {
			return nil, errors.New("a sampling request needs maxTokens")
		}
		if tokens > float64(r.policy.MaxTokens) {
			set["maxTokens"] = strconv.AppendInt(nil, int64(r.policy.MaxTokens), 10)
		}
	}
	if params == nil {
		params = []byte("{}")
	}
	return rpc.WithMembers(params, set), nil
}

// asker puts the name of the server in front of a message.
func asker(server, message string) string {
	if server == "" {
		return message
	}
	return "[" + server + "] " + message
}

package mcphub

import (
	"context"
	"encoding/json"

	"github.com/localpass/localpass/mcphub/internal/rpc"
)

var _ rpc.RawPeer = (*peer)(nil)

// AskRaw passes a question of another server on to the client unchanged.
func (p *peer) AskRaw(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	q := &query{method: method, need: needOf(rpc.KindOfQuestion(method, params)), params: params}
	p.askAll(ctx, q)
	return q.result, q.err
}

// needOf returns what a client must have declared to be asked a question of this kind.
func needOf(k rpc.QuestionKind) need {
	switch k {
	case rpc.FormQuestion:
		return needForm
	case rpc.URLQuestion:
		return needURL
	case rpc.ModelQuestion:
		return needSampling
	case rpc.ModelToolsQuestion:
		return needTools
	case rpc.RootsQuestion:
		return needRoots
	}
	return need{what: "such questions", able: func(*rpc.Capabilities) bool { return false }}
}

// SendRaw sends a message of the call unchanged.
func (p *peer) SendRaw(message []byte) error { return p.send(message) }

// Client describes the client that waits for the call. Calls that came over the same
// session or the same pipe have the same identity; independent requests have none.
func (p *peer) Client() rpc.PeerClient {
	x := p.waitingRequest()
	c := rpc.PeerClient{Identity: p, Session: x.session != nil, OpensURLs: x.caps.URL, WantsProgress: x.msg.ProgressToken != nil, Level: x.level}
	switch {
	case x.session != nil:
		c.Identity = x.session
	case x.pipe != nil:
		c.Identity = x.pipe
	}
	if x.pipe != nil && x.out != nil { // the pipe outlives the call
		c.SendLater = x.out.send
	}
	return c
}

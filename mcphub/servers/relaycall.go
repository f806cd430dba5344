package servers

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec"
)

// CallFor is like [Connections.CallWith], on behalf of a call in this program: questions
// and messages of the server that belong to the request are passed to the caller of that
// call, as far as the [RelayPolicy] of the server allows, and have arrived there when
// CallFor returns. meta makes the _meta of the request; nil means [TraceMeta].
func (c *Connections) CallFor(ctx context.Context, call *toolspec.Call, id, method string, params json.RawMessage, meta MetaFunc, rules CallRules) (json.RawMessage, error) {
	if meta == nil {
		meta = TraceMeta
	}
	along, err := checkedMeta(meta(ctx, call))
	if err != nil {
		return nil, err
	}
	r, opts, flush := relayOptions(ctx, id, c.relayPolicy(id), call)
	defer flush()
	opts.Meta = along
	if r != nil {
		r.pages = &c.pages
	}
	return c.CallWith(ctx, id, method, params, opts, rules)
}

// relayPolicy returns the relay policy of a server.
func (c *Connections) relayPolicy(id string) RelayPolicy {
	u, err := c.server(id)
	if err != nil {
		return RelayPolicy{NoForms: true, NoURLs: true}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.policy()
}

// policy returns the policy of the record, or else the policy for all servers. u.mu must
// be held, or u must not be shared yet.
func (u *upstream) policy() RelayPolicy {
	if own := u.settings.record.Relay; own != nil {
		return *own
	}
	return u.c.opts.Relay
}

func relayOptions(ctx context.Context, server string, policy RelayPolicy, call *toolspec.Call) (r *relay, opts *client.CallOptions, flush func()) {
	opts = &client.CallOptions{Rounds: inputRounds}
	if call.Peer == nil {
		return nil, opts, func() {}
	}
	f := &feed{}
	r = &relay{ctx: ctx, peer: call.Peer, policy: policy.withDefaults(), server: server, feed: f}
	opts.Request, opts.Caller = r.request, callerOf(call)
	progress, level := true, rpc.LogInfo
	if p, ok := call.Peer.(rpc.RawPeer); ok {
		c := p.Client()
		progress, level = c.WantsProgress, c.Level
	}
	if progress {
		opts.Progress = func(p toolspec.Progress) {
			f.put(func() { _ = call.Peer.Progress(ctx, p) }) // a client that accepts no progress gets none
		}
	}
	if level != rpc.LogNone {
		opts.LogLevel = level.String()
		opts.Log = func(m toolspec.LogMessage) {
			m.Logger = cmp.Or(m.Logger, server)
			f.put(func() { _ = call.Peer.Log(ctx, m) })
		}
	}
	return r, opts, f.end
}

// callerOf identifies the caller: messages on a shared session are passed on only if all
// calls in progress have the same caller.
func callerOf(call *toolspec.Call) any {
	type who struct {
		principal    toolspec.Principal
		conversation string
	}
	if p, ok := call.Peer.(rpc.RawPeer); ok {
		return p.Client().Identity
	}
	if call.Conversation != "" {
		return who{call.Principal, call.Conversation}
	}
	return call
}

// maxFed is how many messages may wait to be passed on in one call. Further messages are
// dropped, because they are only notifications.
const maxFed = 256

// feed passes messages on in order, in its own goroutine, so that a slow caller does not
// delay other callers of the same session.
type feed struct {
	mu      sync.Mutex // guards the fields below
	queue   []func()
	running chan struct{} // closed when the goroutine has ended; nil if there is none
	over    bool
}

// put queues do. It reports whether there was room and the call was not over.
func (f *feed) put(do func()) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over || len(f.queue) == maxFed {
		return false
	}
	f.queue = append(f.queue, do)
	if f.running == nil {
		f.running = make(chan struct{})
		go f.drain(f.running)
	}
	return true
}

func (f *feed) drain(done chan struct{}) {
	defer close(done)
	for {
		f.mu.Lock()
		queue := f.queue
		if f.queue = nil; len(queue) == 0 {
			f.running = nil
			f.mu.Unlock()
			return
		}
		f.mu.Unlock()
		for _, do := range queue {
			do()
		}
	}
}

// end waits until everything is passed on, and accepts no more.
func (f *feed) end() {
	f.mu.Lock()
	f.over = true
	running := f.running
	f.mu.Unlock()
	if running != nil {
		<-running
	}
}

// urlRounds is how often the user is asked to open pages in one call.
const urlRounds = 3

// opening handles a server that requires pages to be opened before it does what it was
// asked. A client with a session gets the server's error unchanged. Any other client is
// asked, and if the user has agreed to all pages, the call is retried.
func (r *relay) opening(ctx context.Context, refused *client.RPCError) (again bool, err error) {
	var asks []json.RawMessage
	rpc.Elements(rpc.Object(refused.Data)["elicitations"], func(raw []byte) {
		if rpc.KindOfQuestion(rpc.MethodElicit, raw) == rpc.URLQuestion {
			asks = append(asks, raw)
		}
	})
	if len(asks) == 0 || r.policy.NoURLs {
		return false, refused
	}
	if p, ok := r.peer.(rpc.RawPeer); ok {
		if c := p.Client(); c.Session && c.OpensURLs {
			data := []byte(`{"elicitations":[`)
			for _, ask := range asks {
				message, _ := rpc.Text(rpc.Object(ask)["message"])
				data = append(rpc.Comma(data), rpc.WithMembers(ask, map[string][]byte{"message": rpc.AppendString(nil, asker(r.server, message)), "elicitationId": r.page(ask)})...)
			}
			return false, fmt.Errorf("servers: %w", &rpc.URLRequired{Data: append(data, "]}"...)})
		}
	}
	for _, ask := range asks {
		answer, err := r.request(ctx, client.ServerRequest{Method: rpc.MethodElicit, Params: ask})
		if err != nil || rpc.ParseElicited(answer).Action != toolspec.ElicitAccept {
			return false, refused
		}
	}
	return true, nil
}

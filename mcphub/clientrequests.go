package mcphub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec"
)

// clientRequests are the requests of the hub to the client of one session.
type clientRequests struct {
	ended <-chan struct{} // closed when the session ends

	mu      sync.Mutex           // guards the fields below
	waiting map[int64]chan reply // channels for answers, by request id
	last    int64
	deaf    bool // the client sends nothing any more, so it answers no question
}

// reply is a client's answer to a request of the hub.
type reply struct {
	result []byte
	err    error
}

// deliver passes a response to the waiting request, and reports whether there was one.
func (r *clientRequests) deliver(m *rpc.Message) bool {
	id, err := strconv.ParseInt(string(m.ID), 10, 64)
	if err != nil {
		return false
	}
	r.mu.Lock()
	waiting := r.waiting[id]
	delete(r.waiting, id)
	r.mu.Unlock()
	if waiting == nil {
		return false
	}
	answer := reply{result: m.Result}
	if m.Error != nil {
		var fault struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		}
		answer.err = errors.New("mcphub: the client answered with a malformed error")
		if json.Unmarshal(m.Error, &fault) == nil {
			answer.err = fmt.Errorf("mcphub: %w", &rpc.ClientError{Code: fault.Code, Message: fault.Message})
		}
	}
	waiting <- answer // capacity 1, and there is never more than one answer
	return true
}

// ask sends a request to the client and waits for the answer. If ctx ends first, the client is notified that no answer is needed any more.
func (r *clientRequests) ask(ctx context.Context, send func([]byte) error, method string, params []byte) (json.RawMessage, error) {
	answer := make(chan reply, 1)
	r.mu.Lock()
	if r.gone() {
		r.mu.Unlock()
		return nil, fmt.Errorf("mcphub: the client is gone: %w", toolspec.ErrClosed)
	}
	r.last++
	id := r.last
	if r.waiting == nil {
		r.waiting = make(map[int64]chan reply)
	}
	r.waiting[id] = answer
	r.mu.Unlock()

	request := strconv.AppendInt([]byte(`{"jsonrpc":"2.0","id":`), id, 10)
	request = rpc.AppendString(append(request, `,"method":`...), method)
	if params != nil {
		request = append(append(request, `,"params":`...), params...)
	}
	if err := send(append(request, '}')); err != nil {
		r.forget(id)
		return nil, err
	}
	select {
	case a := <-answer:
		return a.result, a.err
	case <-r.ended:
		r.forget(id)
		return nil, fmt.Errorf("mcphub: the session ended before the client answered: %w", toolspec.ErrClosed)
	case <-ctx.Done():
		r.forget(id)
		cancelled := strconv.AppendInt([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`), id, 10)
		_ = send(append(cancelled, `,"reason":"no longer needed"}}`...)) // best effort: the question has ended either way
		return nil, fmt.Errorf("mcphub: the client did not answer %s: %w", method, ctx.Err())
	}
}

// gone reports whether the client can no longer answer. mu must be held.
func (r *clientRequests) gone() bool {
	select {
	case <-r.ended:
		return true
	default:
		return r.deaf
	}
}

// hangUp fails all current and future questions to the client, because the client has closed its side. Requests in
// progress continue.
func (r *clientRequests) hangUp() {
	r.mu.Lock()
	asked := r.waiting
	r.waiting, r.deaf = nil, true
	r.mu.Unlock()
	for _, answer := range asked {
		answer <- reply{err: fmt.Errorf("mcphub: the client left without an answer: %w", toolspec.ErrClosed)}
	}
}

func (r *clientRequests) forget(id int64) {
	r.mu.Lock()
	delete(r.waiting, id)
	r.mu.Unlock()
}

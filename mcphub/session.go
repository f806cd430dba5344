package mcphub

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec"
)

// Values of network.transport in spans and audit records.
const (
	overHTTP  = "tcp"
	overStdio = "pipe"
)

// session is one client that went through initialize (2024-11-05 to
// 2025-11-25): an issued id over HTTP, the connection itself over stdio. Later
// clients have no session: each of their requests says all there is to know.
type session struct {
	id        string
	label     string // what logs, spans and records show: never the id itself
	principal toolspec.Principal
	done      chan struct{} // closed when the session ends

	mu         sync.Mutex
	ended      bool
	version    string
	caps       rpc.Capabilities
	client     approval.Client // what it says that it is
	level      rpc.LogLevel
	offers     offers               // what was announced to it
	seen       listState            // of the lists, as far as the client knows
	subscribed *listener            // nil without a subscription
	flights    map[*flight]struct{} // requests under way
	asked      map[int64]chan reply // our requests to the client
	lastAsked  int64
	stream     *stream                // nil without one
	streams    map[uint64]*httpStream // that can be resumed
	lastStream uint64
	past       []uint64 // of streams, those that have ended
	reached    *reach   // where questions of tasks go; nil: nowhere
	deaf       bool     // the client says nothing any more: it answers no question

	// Over HTTP only: a session in which nothing happens ends.
	idle  time.Duration
	last  time.Time // something happened
	timer *time.Timer
}

// reply is a client's answer to one of our requests.
type reply struct {
	result []byte
	err    error
}

func newSession(id string, who toolspec.Principal) *session {
	sum := sha256.Sum256([]byte(id))
	return &session{id: id, label: hex.EncodeToString(sum[:6]), principal: who, done: make(chan struct{}), level: rpc.LogInfo}
}

// flight is a request under way. Clients must not use an id twice, and some do:
// as each of their requests has a response of its own, that does no harm.
type flight struct {
	id     []byte
	cancel context.CancelFunc
}

// begin registers a request under way, so that it can be cancelled by its id,
// and keeps the session alive until finish. It returns nil when the session has
// ended.
func (s *session) begin(id []byte, cancel context.CancelFunc) *flight {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return nil
	}
	if s.flights == nil {
		s.flights = make(map[*flight]struct{})
	}
	f := &flight{id, cancel}
	s.flights[f] = struct{}{}
	return f
}

// finish is the end of what begin began.
func (s *session) finish(f *flight) {
	s.mu.Lock()
	delete(s.flights, f)
	s.mu.Unlock()
	s.touch()
}

// cancel ends the requests with this id that are under way.
func (s *session) cancel(id []byte) {
	s.mu.Lock()
	var stops []context.CancelFunc
	for f := range s.flights {
		if bytes.Equal(f.id, id) {
			stops = append(stops, f.cancel)
		}
	}
	s.mu.Unlock()
	for _, stop := range stops {
		stop()
	}
}

// touch puts the end of an idle session off.
func (s *session) touch() {
	s.mu.Lock()
	if s.timer != nil {
		s.last = time.Now()
	}
	s.mu.Unlock()
}

// watchIdle calls drop when nothing has happened in the session for that long
// and nothing is under way in it.
func (s *session) watchIdle(idle time.Duration, drop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle, s.last = idle, time.Now()
	s.timer = time.AfterFunc(idle, func() {
		s.mu.Lock()
		rest := s.idle - time.Since(s.last)
		if len(s.flights) > 0 || s.stream != nil {
			rest = s.idle
		}
		if rest > 0 && !s.ended {
			s.timer.Reset(rest)
		}
		s.mu.Unlock()
		if rest <= 0 {
			drop()
		}
	})
}

// end ends the session and everything in it. It may be called twice.
func (s *session) end() {
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return
	}
	s.ended = true
	close(s.done)
	if s.timer != nil {
		s.timer.Stop()
	}
	stops := make([]context.CancelFunc, 0, len(s.flights)+1)
	for f := range s.flights {
		stops = append(stops, f.cancel)
	}
	if s.stream != nil {
		stops = append(stops, s.stream.stop)
	}
	subscribed := s.subscribed
	s.forgetStreams()
	s.mu.Unlock()
	subscribed.close()
	for _, stop := range stops {
		stop()
	}
}

// stream is the listening stream of a session.
type stream struct{ stop context.CancelFunc }

// listen makes stop end the listening stream of the session, and ends the one
// before it: a client that comes back must not be kept out by what is left of
// its last connection. leave is called when the stream has ended.
func (s *session) listen(stop context.CancelFunc) (leave func()) {
	own := &stream{stop: stop}
	s.mu.Lock()
	before, ended := s.stream, s.ended
	s.stream = own
	s.mu.Unlock()
	if before != nil {
		before.stop()
	}
	if ended {
		stop()
	}
	return func() {
		s.mu.Lock()
		if s.stream == own {
			s.stream = nil
		}
		s.mu.Unlock()
		s.touch()
	}
}

// know records the changes of the lists that were sent to the client.
func (s *session) know(seen listState) {
	s.mu.Lock()
	s.seen = seen
	s.mu.Unlock()
}

// deliver passes a response to the request that waits for it, and reports
// whether there was one.
func (s *session) deliver(m *rpc.Message) bool {
	id, err := strconv.ParseInt(string(m.ID), 10, 64)
	if err != nil {
		return false
	}
	s.mu.Lock()
	waiting := s.asked[id]
	delete(s.asked, id)
	s.mu.Unlock()
	if waiting == nil {
		return false
	}
	r := reply{result: m.Result}
	if m.Error != nil {
		var fault struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		}
		r.err = errors.New("mcphub: the client answered with a malformed error")
		if json.Unmarshal(m.Error, &fault) == nil {
			r.err = fmt.Errorf("mcphub: %w", &rpc.ClientError{Code: fault.Code, Message: fault.Message})
		}
	}
	waiting <- r // one place, and only ever one answer
	return true
}

// ask sends a request to the client and waits for the answer. When ctx ends
// first the client is notified that it need not answer any more.
func (s *session) ask(ctx context.Context, send func([]byte) error, method string, params []byte) (json.RawMessage, error) {
	answer := make(chan reply, 1)
	s.mu.Lock()
	if s.ended || s.deaf {
		s.mu.Unlock()
		return nil, fmt.Errorf("mcphub: the client is gone: %w", toolspec.ErrClosed)
	}
	s.lastAsked++
	id := s.lastAsked
	if s.asked == nil {
		s.asked = make(map[int64]chan reply)
	}
	s.asked[id] = answer
	s.mu.Unlock()

	request := strconv.AppendInt([]byte(`{"jsonrpc":"2.0","id":`), id, 10)
	request = rpc.AppendString(append(request, `,"method":`...), method)
	if params != nil {
		request = append(append(request, `,"params":`...), params...)
	}
	if err := send(append(request, '}')); err != nil {
		s.forget(id)
		return nil, err
	}
	select {
	case r := <-answer:
		return r.result, r.err
	case <-s.done:
		s.forget(id)
		return nil, fmt.Errorf("mcphub: the session ended before the client answered: %w", toolspec.ErrClosed)
	case <-ctx.Done():
		s.forget(id)
		cancelled := strconv.AppendInt([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`), id, 10)
		_ = send(append(cancelled, `,"reason":"no longer needed"}}`...)) // optional: the question has ended either way
		return nil, fmt.Errorf("mcphub: the client did not answer %s: %w", method, ctx.Err())
	}
}

// hangUp fails all questions to the client, now and later: it has closed its
// side. Requests under way continue.
func (s *session) hangUp() {
	s.mu.Lock()
	asked := s.asked
	s.asked, s.deaf = nil, true
	s.mu.Unlock()
	for _, answer := range asked {
		answer <- reply{err: fmt.Errorf("mcphub: the client left without an answer: %w", toolspec.ErrClosed)}
	}
}

func (s *session) forget(id int64) {
	s.mu.Lock()
	delete(s.asked, id)
	s.mu.Unlock()
}

// agree notes what initialize settled on.
func (s *session) agree(version string, offers offers) {
	s.mu.Lock()
	s.version, s.offers = version, offers
	s.mu.Unlock()
}

// listener is where the session's subscriptions are.
func (s *session) listener(all *subscriptions) *listener {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.subscribed == nil {
		s.subscribed = all.listener()
		s.subscribed.closed = s.ended
	}
	return s.subscribed
}

// following is what the session is notified of over its listening stream: the
// features that it knows.
func (s *session) following(all *subscriptions) *following {
	l := s.listener(all)
	s.mu.Lock()
	defer s.mu.Unlock()
	return &following{filter: filter{tools: true, prompts: s.offers.prompts, resources: s.offers.resources}, listener: l,
		seen: s.seen, told: s.know}
}

package mcphub

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// A client of 2025-11-25 whose connection ends before the answer arrives asks for the
// rest with a GET that names the last event it saw. The content of each event stream of a
// session is kept for that purpose, within limits.
const (
	replayEvents = 1_000
	replayBytes  = 1 << 20
	// replayKept is how long a stream is kept after its end, and replayStreams how many
	// streams a session keeps.
	replayKept    = time.Minute
	replayStreams = 8
	// replayRetry is the delay after which a client should come back.
	replayRetry = 500 * time.Millisecond
)

// replay is the recorded content of an event stream. The lock of the stream guards it.
type replay struct {
	id     uint64 // of the stream, within its session
	first  uint64 // the number of the first event that is kept
	events [][]byte
	size   int
	gone   chan struct{} // closed when the connection is released; nil without a waiting connection
}

// appendID writes the id of an event.
func (r *replay) appendID(dst []byte, number uint64) []byte {
	dst = strconv.AppendUint(append(dst, "id: "...), r.id, 10)
	return append(strconv.AppendUint(append(dst, '_'), number, 10), '\n')
}

// prime writes the first event: it has only an id, so that a client can reconnect no
// matter how much it has received.
func (r *replay) prime() []byte {
	b := append(r.appendID(nil, 0), "retry: "...)
	return append(strconv.AppendInt(b, replayRetry.Milliseconds(), 10), "\ndata: \n\n"...)
}

// add records a message and starts its event.
func (r *replay) add(dst, message []byte) []byte {
	r.events = append(r.events, slices.Clone(message))
	r.size += len(message)
	dst = r.appendID(dst, r.first+uint64(len(r.events))-1)
	for len(r.events) > 1 && (len(r.events) > replayEvents || r.size > replayBytes) {
		r.size -= len(r.events[0])
		r.events, r.first = r.events[1:], r.first+1
	}
	return dst
}

// keptStreams are the resumable streams of a session.
type keptStreams struct {
	mu     sync.Mutex // guards the fields below
	closed bool
	byID   map[uint64]*httpStream
	last   uint64
	over   []uint64 // ended streams, the oldest first
}

// keep makes a stream resumable; it returns nil if the session has ended.
func (k *keptStreams) keep(stream *httpStream) *replay {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return nil
	}
	k.last++
	if k.byID == nil {
		k.byID = map[uint64]*httpStream{}
	}
	k.byID[k.last] = stream
	return &replay{id: k.last, first: 1}
}

// forgetLater drops an ended stream after a delay. The stream's lock must be held.
func (k *keptStreams) forgetLater(stream *httpStream) {
	id := stream.replay.id
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return
	}
	k.over = append(k.over, id)
	if len(k.over) > replayStreams {
		delete(k.byID, k.over[0])
		k.over = slices.Delete(k.over, 0, 1)
	}
	time.AfterFunc(replayKept, func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		delete(k.byID, id)
		k.over = slices.DeleteFunc(k.over, func(other uint64) bool { return other == id })
	})
}

// close drops all streams and accepts no more.
func (k *keptStreams) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed, k.byID, k.over = true, nil, nil
}

// resumable reports whether a stream of a session of this version can be resumed.
func resumable(version string) bool { return version >= mcp.ProtocolVersion20251125 }

// comeBack serves a GET that asks for the rest of a stream.
func (h *Hub) comeBack(w http.ResponseWriter, r *http.Request, s *session, last string) {
	stream, number, ok := s.streams.find(last)
	if !ok {
		http.Error(w, "there is nothing to resume from this event", http.StatusBadRequest)
		return
	}
	gone, ok := stream.connect(w, number)
	if !ok {
		http.Error(w, "what came after this event is not kept any more", http.StatusBadRequest)
		return
	}
	defer stream.disconnect(gone)
	beat := time.NewTicker(keepAlive)
	defer beat.Stop()
	for {
		select {
		case <-gone:
			return
		case <-beat.C:
			_ = stream.alive() // gone releases a connection that fails
		case <-r.Context().Done():
			return
		case <-s.done:
			return
		case <-h.life.closing.Done():
			return
		}
	}
}

// find finds the stream that an event belongs to.
func (k *keptStreams) find(event string) (stream *httpStream, number uint64, ok bool) {
	id, rest, _ := strings.Cut(event, "_")
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		return nil, 0, false
	}
	if number, err = strconv.ParseUint(rest, 10, 63); err != nil {
		return nil, 0, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	stream = k.byID[n]
	return stream, number, stream != nil
}

// connect makes w carry the stream from now on, after sending the events since the given
// one. If another connection carries the stream, it is released. gone is closed when this
// connection is released.
func (s *httpStream) connect(w http.ResponseWriter, after uint64) (gone chan struct{}, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.replay
	if r == nil || after+1 < r.first || after+1 > r.first+uint64(len(r.events)) {
		return nil, false
	}
	s.leave()
	gone = make(chan struct{})
	r.gone = gone
	s.w, s.rc = w, http.NewResponseController(w)
	s.begin()
	b := []byte(":\n\n") // tells the client at once that the stream is open
	for i := after + 1 - r.first; i < uint64(len(r.events)); i++ {
		b = append(r.appendID(b, r.first+i), "event: message\ndata: "...)
		b = append(append(b, r.events[i]...), "\n\n"...)
	}
	_ = s.lose(s.write(b)) // returns no error: the stream is kept
	if s.ended {
		s.leave()
	}
	return gone, true
}

// leave releases the connection. mu must be held.
func (s *httpStream) leave() {
	s.w, s.rc = nil, nil
	if r := s.replay; r != nil && r.gone != nil {
		close(r.gone)
		r.gone = nil
	}
}

// disconnect calls leave, unless another connection has taken over.
func (s *httpStream) disconnect(gone chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.replay.gone == gone {
		s.leave()
	}
}

// detach ends the connection before the answer: the client comes back for it.
func (s *httpStream) detach() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == nil || s.ended {
		return errors.ErrUnsupported
	}
	if err := s.start(); err != nil {
		return err
	}
	switch {
	case s.replay == nil:
		return errors.ErrUnsupported
	case s.w == nil:
		return nil
	case s.replay.gone != nil: // a GET, which returns
		s.leave()
		return nil
	}
	// The handler of a POST is still running. Its connection can only be taken by
	// hijacking it.
	conn, buffered, err := s.rc.Hijack()
	if err != nil {
		return fmt.Errorf("mcphub: this connection cannot be let go of: %w: %w", errors.ErrUnsupported, err)
	}
	s.leave()
	_ = conn.SetDeadline(time.Now().Add(writeLimit))
	_, _ = buffered.WriteString("0\r\n\r\n") // the end of a chunked body
	return errors.Join(buffered.Flush(), conn.Close())
}

// Detach implements [toolspec.Detacher].
func (p *peer) Detach(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	stream, ok := p.waitingRequest().out.(*httpStream)
	if !ok {
		return p.lacks("answers that it comes back for")
	}
	if err := stream.detach(); err != nil {
		return fmt.Errorf("mcphub: the client waits on: %w", err)
	}
	return nil
}

package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// Heartbeat is the interval of keep-alives on an idle stream: shorter than the idle
	// limit of common proxies.
	Heartbeat = 15 * time.Second
	// writeLimit is the time limit for a write to a reader.
	writeLimit = 10 * time.Second
	// retryAfter is how long a browser waits before it reconnects after a broken
	// connection.
	retryAfter = time.Second
	eventMedia = "text/event-stream"
	// eventResync tells a client that events are missing: it must reload what it follows.
	eventResync = "resync"
)

// EventStream returns the content of an answer that is a stream of events whose data has
// the type T.
func EventStream[T any]() Content {
	c := Of[T]()
	c.Media = eventMedia
	return c
}

// StreamParams returns the parameters of a route that is served with [Events.Follow].
func StreamParams() []Param {
	return []Param{
		{In: InHeader, Name: "Last-Event-ID", Description: "The id of the last event that was received: the stream goes on behind it."},
		{In: InQuery, Name: "after", Description: "The same, for clients that cannot set the header."},
	}
}

// Events is a log of events that keeps the latest ones, so that a client whose connection
// broke can continue. The ids of events have the form epoch.n. It is safe for concurrent
// use and starts no goroutine.
type Events struct {
	epoch string
	size  int

	mu     sync.Mutex
	ring   []event // the latest events, oldest first
	last   int64   // the number of the latest event; the first is 1
	closed bool
	wake   chan struct{} // closed at each change, then replaced
}

type event struct {
	kind string
	data []byte
}

// NewEvents returns an empty log that keeps the latest size events. The epoch
// distinguishes it from other logs, such as the one before a restart; it must not contain
// a dot or a line break.
func NewEvents(epoch string, size int) *Events {
	return &Events{epoch: epoch, size: max(size, 1), wake: make(chan struct{})}
}

// Send adds an event; its kind is a word such as "run.console". After Close it does
// nothing. It returns an error if data cannot be encoded as JSON.
func (e *Events) Send(kind string, data any) error {
	raw, err := marshal(data)
	if err != nil {
		return fmt.Errorf("httpapi: event %s: %w", kind, err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	if len(e.ring) == e.size {
		copy(e.ring, e.ring[1:])
		e.ring = e.ring[:e.size-1]
	}
	e.ring = append(e.ring, event{kind, raw[:len(raw)-1]}) // without the line feed
	e.last++
	e.signal()
	return nil
}

// Close ends the log: followers get the events that are kept, and then their streams end.
func (e *Events) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		e.closed = true
		e.signal()
	}
}

func (e *Events) signal() {
	close(e.wake)
	e.wake = make(chan struct{})
}

// after returns the events after number n, the number of the first of them, whether the
// log has ended, and a channel that is closed when there are more events.
func (e *Events) after(n int64) (list []event, first int64, closed bool, wake <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	oldest := e.last - int64(len(e.ring)) + 1
	first = max(n+1, oldest)
	list = append(list, e.ring[first-oldest:]...)
	return list, first, e.closed, e.wake
}

// position parses a Last-Event-ID. ok is false if the id belongs to another log or if
// events after it are no longer kept.
func (e *Events) position(id string) (n int64, ok bool) {
	if id == "" {
		return 0, true
	}
	epoch, number, _ := strings.Cut(id, ".")
	n, err := strconv.ParseInt(number, 10, 64)
	e.mu.Lock()
	defer e.mu.Unlock()
	if epoch != e.epoch || err != nil || n < 0 || n > e.last {
		return 0, false
	}
	return n, n >= e.last-int64(len(e.ring))
}

// Follow answers with the events after the one named in the header Last-Event-ID or the
// query member "after", until the log is closed, the request ends or done is closed. If
// events in between are no longer kept, the first event is "resync": the client must
// reload what it follows.
//
// An idle stream gets a comment every [Heartbeat]. A reader that reads nothing for ten
// seconds is disconnected.
func (e *Events) Follow(w http.ResponseWriter, r *http.Request, done <-chan struct{}) error {
	id := lastEvent(r)
	at, whole := e.position(id)
	out := startStream(w)
	defer out.rest()
	if !whole {
		out.text("event: %s\ndata: {}\n\n", eventResync)
	}
	if id == "" { // the log is longer than the kept part
		if _, first, _, _ := e.after(0); first > 1 {
			out.text("event: %s\ndata: {}\n\n", eventResync)
		}
	}
	beat := time.NewTicker(Heartbeat)
	defer beat.Stop()
	for {
		list, first, closed, wake := e.after(at)
		for i, ev := range list {
			at = first + int64(i)
			out.text("id: %s.%d\nevent: %s\ndata: %s\n\n", e.epoch, at, ev.kind, ev.data)
		}
		out.flush()
		if out.err != nil || closed {
			return nil // the reader is gone, or has received all events
		}
		select {
		case <-wake:
		case <-beat.C:
			out.text(": beat\n\n")
		case <-r.Context().Done():
			return nil
		case <-done:
			return nil
		}
	}
}

// stream writes to a reader that may be slow; its first error is kept.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	err     error
}

func (s *stream) text(format string, args ...any) {
	if s.err == nil {
		s.deadline(time.Now().Add(writeLimit))
	}
	if s.err == nil {
		_, s.err = fmt.Fprintf(s.w, format, args...)
	}
}

func (s *stream) flush() {
	if s.err == nil {
		s.err = s.control.Flush()
	}
}

func (s *stream) deadline(t time.Time) {
	if err := s.control.SetWriteDeadline(t); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		s.err = err
	}
}

// rest removes the deadline of the connection, which may serve other requests.
func (s *stream) rest() { s.deadline(time.Time{}) }

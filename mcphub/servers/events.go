package servers

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/localpass/localpass/toolspec"
)

// EventKind distinguishes the kinds of [Event].
type EventKind string

// The kinds.
const (
	// EventSnapshot contains the state of all servers. It is the first event of a
	// subscription, and is sent again after a subscriber was too slow.
	EventSnapshot EventKind = "snapshot"
	// EventConnection: the state of a connection changed.
	EventConnection EventKind = "connection_change"
	// EventStatus: something else about a server changed, such as its record or the
	// status of its synchronization.
	EventStatus EventKind = "status_update"
	// EventCapabilities: a server was synchronized; Diff says what differs.
	EventCapabilities EventKind = "capabilities_synced"
	// EventRemoved: its record was deleted.
	EventRemoved EventKind = "server_removed"
)

// Event describes one change.
type Event struct {
	// Seq grows by one with each event.
	Seq  uint64    `json:"seq"`
	At   time.Time `json:"at"`
	Kind EventKind `json:"kind"`
	// Status is the status of the server; nil in a snapshot.
	Status *Status `json:"status,omitempty"`
	// Previous is the state before, in a change of the connection.
	Previous State `json:"previousState,omitempty"`
	// Diff is what a synchronization found.
	Diff *Diff `json:"diff,omitempty"`
	// Servers are all servers, sorted by id, in a snapshot.
	Servers []Status `json:"servers,omitempty"`
	// Lagged is how many events the subscriber missed before this snapshot.
	Lagged int `json:"lagged,omitempty"`
}

// EventOptions are the options of [Connections.Events].
type EventOptions struct {
	// After is the Seq of the last event that the subscriber has seen. If all later
	// events are still kept (the last 256 are), they are sent instead of the snapshot.
	After uint64
}

const (
	eventRing  = 256
	eventQueue = 64 // events that may wait for one subscriber
)

// eventBus delivers events to subscribers. It never waits for a subscriber.
type eventBus struct {
	mu   sync.Mutex
	seq  uint64
	ring []Event
	subs map[*eventSub]struct{}
}

// The bus guards eventSub.
type eventSub struct {
	queue  []Event
	lagged int // events that were not queued; 0 if the subscriber keeps up
	wake   chan struct{}
}

func (b *eventBus) publish(e Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seq++
	e.Seq = b.seq
	if b.ring = append(b.ring, e); len(b.ring) > 2*eventRing {
		b.ring = append([]Event(nil), b.ring[len(b.ring)-eventRing:]...)
	}
	for s := range b.subs {
		switch {
		case s.lagged > 0:
			s.lagged++
		case len(s.queue) == eventQueue:
			s.lagged, s.queue = len(s.queue)+1, nil
		default:
			s.queue = append(s.queue, e)
		}
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
}

// subscribe starts a subscription. resumed reports that the events after the given one
// are queued.
func (b *eventBus) subscribe(after uint64) (s *eventSub, seq uint64, resumed bool) {
	s = &eventSub{wake: make(chan struct{}, 1)}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.subs == nil {
		b.subs = map[*eventSub]struct{}{}
	}
	b.subs[s] = struct{}{}
	if after > 0 && after <= b.seq {
		kept := b.ring[max(0, len(b.ring)-eventRing):]
		if resumed = after == b.seq || len(kept) > 0 && kept[0].Seq <= after+1; resumed {
			for _, e := range kept {
				if e.Seq > after {
					s.queue = append(s.queue, e)
				}
			}
		}
	}
	return s, b.seq, resumed
}

func (b *eventBus) end(s *eventSub) {
	b.mu.Lock()
	delete(b.subs, s)
	b.mu.Unlock()
}

// next removes and returns the pending events of a subscriber.
func (b *eventBus) next(s *eventSub) (events []Event, lagged int, seq uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	events, lagged = s.queue, s.lagged
	s.queue, s.lagged = nil, 0
	return events, lagged, b.seq
}

// Events yields the status of the servers, and then each change, until ctx ends or the
// Connections close; the last pair is then the error. The first event is a snapshot. A
// slow subscriber never delays others: it misses events, and gets a new snapshot that
// says how many. opts may be nil.
func (c *Connections) Events(ctx context.Context, opts *EventOptions) iter.Seq2[Event, error] {
	if opts == nil {
		opts = &EventOptions{}
	}
	return func(yield func(Event, error) bool) {
		s, seq, resumed := c.events.subscribe(opts.After)
		defer c.events.end(s)
		if !resumed && !yield(c.snapshotEvent(seq, 0), nil) {
			return
		}
		for {
			events, lagged, seq := c.events.next(s)
			if lagged > 0 {
				events = []Event{c.snapshotEvent(seq, lagged)}
			}
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
			}
			if len(events) > 0 {
				continue
			}
			select {
			case <-s.wake:
			case <-c.closed:
				yield(Event{}, fmt.Errorf("servers: events: the connections are closed: %w", toolspec.ErrClosed))
				return
			case <-ctx.Done():
				yield(Event{}, ctx.Err())
				return
			}
		}
	}
}

func (c *Connections) snapshotEvent(seq uint64, lagged int) Event {
	return Event{Seq: seq, At: c.clock.Now(), Kind: EventSnapshot, Servers: c.Statuses(), Lagged: lagged}
}

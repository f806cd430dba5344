package approval

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/observe/genai"
)

// Broker keeps requests and their answers in a Persistence. Several programs
// may share the store: of two answers one counts, an approval is used once, and
// an answer that one program takes in reaches the other that waits for it.
//
// All methods are safe for concurrent use.
type Broker struct {
	store localpass.Persistence
	opts  BrokerOptions
	clock clock.Clock
}

// BrokerOptions are the options of [NewBroker].
type BrokerOptions struct {
	// Audit is told of every question and answer before it counts. It may be nil
	// only with NoAudit.
	Audit Auditor
	// NoAudit says that no record is wanted. It is for tests and for programs
	// that record elsewhere: without it nobody can tell later who said yes.
	NoAudit bool
	// Keep is how many requests that have ended are kept; default 1,000. KeepFor
	// is how long; default 7 days.
	Keep    int
	KeepFor time.Duration
	// Poll is how often a store that cannot be watched is looked at for answers
	// of other programs; default 250 ms.
	Poll time.Duration
	// Now replaces time.Now for the times in records.
	Now func() time.Time
	// Telemetry is told of failures. nil is off.
	Telemetry *genai.Telemetry
}

// NewBroker returns a broker over the store.
func NewBroker(store localpass.Persistence, opts *BrokerOptions) (*Broker, error) {
	b := &Broker{store: store}
	if opts != nil {
		b.opts = *opts
	}
	if store == nil {
		return nil, errors.New("approval: a broker needs a store")
	}
	if err := checkAuditor(b.opts.Audit, b.opts.NoAudit); err != nil {
		return nil, err
	}
	b.clock = clock.Clock{NowFunc: b.opts.Now}
	return b, nil
}

// Ask writes down a request, which is pending from then on.
func (b *Broker) Ask(ctx context.Context, r Request) (Record, error) {
	return Record{}, errors.ErrUnsupported
}

// Get returns a request and what became of it, or [ErrNotFound]. One that is
// past its deadline is given as expired.
func (b *Broker) Get(ctx context.Context, id string) (Record, error) {
	return Record{}, errors.ErrUnsupported
}

// List yields the requests in the order in which they were asked.
func (b *Broker) List(ctx context.Context, opts ListOptions) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) { yield(Record{}, errors.ErrUnsupported) }
}

// Watch yields each request as it is asked, decided, used or expires by a
// write, also those of other programs, until ctx ends or the loop is left.
func (b *Broker) Watch(ctx context.Context) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) { yield(Record{}, errors.ErrUnsupported) }
}

// Wait returns when the request is no longer pending, or with ctx's error.
func (b *Broker) Wait(ctx context.Context, id string) (Record, error) {
	return Record{}, errors.ErrUnsupported
}

// Decide takes in an answer and returns the record as it then stands. The same
// answer again changes nothing and is no error. Another one gives [ErrDecided],
// one past the deadline [ErrExpired], both with the record; an answer that does
// not fit the request gives [ErrInvalid], an unknown request [ErrNotFound].
func (b *Broker) Decide(ctx context.Context, d Decision) (Record, error) {
	return Record{}, errors.ErrUnsupported
}

// Close ends the waits and what runs in the background.
func (b *Broker) Close() error { return nil }

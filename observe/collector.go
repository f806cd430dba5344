package observe

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/observe/genai"
)

// Defaults of the [Options], and bounds that have no option.
const (
	DefaultTraces = 2000
	DefaultBytes  = 64 << 20
	DefaultSpans  = 500
	// MaxSubscribers is how many may follow a collector at once.
	MaxSubscribers = 32
	// DefaultBuffer is how many events wait for a subscriber that asks for 0.
	DefaultBuffer = 64

	queueSize    = 1024 // operations that wait for the worker
	maxActive    = 1000 // traces with a span under way
	activeTTL    = 5 * time.Minute
	sweepEvery   = 30 * time.Second
	publishEvery = 500 * time.Millisecond // of one trace that is under way
	closeTime    = 5 * time.Second        // for Close to take in what is queued
)

// Options are the options of [New]. The zero value keeps what the package says.
type Options struct {
	// Traces is how many traces are kept, the latest ones. Default 2000.
	Traces int
	// Bytes bounds what all of them take, roughly, of which one trace may take a
	// half: its further spans lose their attributes. Default 64 MiB.
	Bytes int
	// Spans is how many spans of one trace are kept; others are counted in
	// [Summary.DroppedSpans]. Default 500.
	Spans int
	// Content keeps what people and models wrote, where an operation tells it:
	// messages, instructions, arguments and results. It is masked, and kept apart from
	// the attributes, so that an export does not carry it.
	Content bool
	// Redact masks the secrets that the program knows, in every text, before it is
	// kept. It must be safe for concurrent use. nil: only what looks like a secret
	// is masked.
	Redact func(string) string
	// Local reports whether the models of a provider run without a price, such as
	// on this machine. nil: none do, and what they cost is unknown.
	Local func(provider string) bool
	// Service names the program in exports. Default "localpass".
	Service string
	// Base is where operations go besides: its providers, logger and sink. The
	// telemetry of the collector has them too. nil: nowhere.
	Base *genai.Telemetry
	// Clock replaces time.Now.
	Clock func() time.Time
}

// Collector makes traces of operations and keeps the latest. It is safe for
// concurrent use, and must be closed.
type Collector struct {
	opts  Options
	clock clock.Clock
	tel   *genai.Telemetry

	queue queue
	flush chan chan struct{}
	stop  chan struct{} // closed by Close
	done  chan struct{} // closed when the worker has ended
	once  sync.Once

	mu    sync.RWMutex // guards the store
	store store

	subs subscribers

	spans, traces, evicted, lostSpans, panics atomic.Int64
}

var (
	_ genai.Sink     = (*Collector)(nil)
	_ genai.Beginner = (*Collector)(nil)
)

// New returns a collector that runs. The error names the option that is not
// usable.
func New(opts *Options) (*Collector, error) {
	c := &Collector{flush: make(chan chan struct{}), stop: make(chan struct{}), done: make(chan struct{})}
	if opts != nil {
		c.opts = *opts
	}
	for _, o := range []struct {
		name  string
		value *int
		or    int
	}{{"Traces", &c.opts.Traces, DefaultTraces}, {"Bytes", &c.opts.Bytes, DefaultBytes}, {"Spans", &c.opts.Spans, DefaultSpans}} {
		if *o.value < 0 {
			return nil, fmt.Errorf("observe: Options.%s is %d: give how many, or 0 for %d", o.name, *o.value, o.or)
		}
		if *o.value == 0 {
			*o.value = o.or
		}
	}
	if c.opts.Service == "" {
		c.opts.Service = "localpass"
	}
	c.clock = clock.Clock{NowFunc: c.opts.Clock}
	c.store = newStore()
	c.queue.init(queueSize)
	c.subs.init()
	c.tel = &genai.Telemetry{Sink: c, Redact: c.opts.Redact}
	if b := c.opts.Base; b != nil {
		c.tel.TracerProvider, c.tel.MeterProvider, c.tel.Logger = b.TracerProvider, b.MeterProvider, b.Logger
		if b.Redact != nil {
			c.tel.Redact = b.Redact
		}
		if b.Sink != nil {
			c.tel.Sink = fan{c, b.Sink}
		}
	}
	go c.run()
	return c, nil
}

// Telemetry is what the other packages are handed, so that their operations come
// here, and to [Options.Base]. It is the same each time.
func (c *Collector) Telemetry() *genai.Telemetry { return c.tel }

// fan hands operations to a second sink.
type fan struct {
	c     *Collector
	other genai.Sink
}

func (f fan) Observe(ctx context.Context, e genai.Event) {
	f.c.Observe(ctx, e)
	f.other.Observe(ctx, e)
}

func (f fan) Begin(ctx context.Context, e genai.Event) {
	f.c.Begin(ctx, e)
	if b, ok := f.other.(genai.Beginner); ok {
		b.Begin(ctx, e)
	}
}

// Observe implements [genai.Sink]. It copies the event and returns.
func (c *Collector) Observe(_ context.Context, e genai.Event) {
	c.spans.Add(1)
	c.queue.put(c.copyOf(e, true))
}

// Begin implements [genai.Beginner]. It copies the event and returns.
func (c *Collector) Begin(_ context.Context, e genai.Event) { c.queue.put(c.copyOf(e, false)) }

// run makes traces of what is queued, until Close.
func (c *Collector) run() {
	defer close(c.done)
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	var later <-chan time.Time // when what is held back may be sent
	for {
		select {
		case <-c.queue.ready:
			c.drain()
		case answer := <-c.flush:
			c.drain()
			close(answer)
		case <-sweep.C:
			c.drain()
			c.locked(func(now time.Time) { c.sweep(now) })
		case <-later:
			later = nil
		case <-c.stop:
			c.drain()
			c.publish(true)
			return
		}
		if c.publish(false) && later == nil {
			later = time.After(publishEvery)
		}
	}
}

// drain takes in all that is queued.
func (c *Collector) drain() {
	for {
		batch := c.queue.drain()
		if len(batch) == 0 {
			return
		}
		for i := range batch {
			o := &batch[i]
			c.guarded(func() {
				made := c.spanOf(o) // masking takes its time: readers must not wait for it
				c.locked(func(now time.Time) { c.apply(o, made, now) })
			})
		}
	}
}

// guarded does what may fail unexpectedly, as a redactor may: that costs one
// operation and nothing more.
func (c *Collector) guarded(do func()) {
	defer func() {
		if recover() != nil {
			c.panics.Add(1)
		}
	}()
	do()
}

// locked changes the store.
func (c *Collector) locked(do func(now time.Time)) {
	c.guarded(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		do(c.clock.Now())
	})
}

// Flush returns when everything that ended before the call is in the traces. The
// error is that of ctx.
func (c *Collector) Flush(ctx context.Context) error {
	answer := make(chan struct{})
	select {
	case c.flush <- answer:
	case <-c.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-answer:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Service is the name of the program, as the options give it.
func (c *Collector) Service() string { return c.opts.Service }

// Close takes in what is queued, ends the subscriptions and stops. The traces can be read
// afterwards. The error says that this took longer than 5 seconds, such as when
// [Options].Redact does not return; the collector then stops as soon as it can. Close can
// be called again.
func (c *Collector) Close() error {
	c.once.Do(func() { c.queue.close(); close(c.stop) })
	timer := time.NewTimer(closeTime)
	defer timer.Stop()
	select {
	case <-c.done:
		c.subs.close()
		return nil
	case <-timer.C:
		return fmt.Errorf("observe: after %v the collector is still taking in what was queued: close it again to wait longer, or look at Options.Redact", closeTime)
	}
}

// Counters tell how a collector fares, since it was made.
type Counters struct {
	// Spans and Traces are how many were taken in; Evicted how many traces made
	// room for newer ones.
	Spans, Traces, Evicted int64
	// LostOperations found no room in the queue, LostSpans none in their trace;
	// LostEvents were not taken fast enough by a subscriber. Panics are operations that
	// made the collector panic; it continued without them.
	LostOperations, LostSpans, LostEvents, Panics int64
	// Kept and Bytes are the traces that are there now, and what they take.
	Kept, Bytes, Subscribers int
}

// Counters tell how the collector fares.
func (c *Collector) Counters() Counters {
	out := Counters{Spans: c.spans.Load(), Traces: c.traces.Load(), Evicted: c.evicted.Load(), LostSpans: c.lostSpans.Load(), Panics: c.panics.Load(),
		LostOperations: c.queue.lost(), LostEvents: c.subs.lost.Load(), Subscribers: c.subs.count()}
	c.mu.RLock()
	defer c.mu.RUnlock()
	out.Kept, out.Bytes = c.store.order.Len(), c.store.bytes
	return out
}

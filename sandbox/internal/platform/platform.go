package platform

import (
	"crypto/rand"
	"io"
	"time"

	"github.com/dop251/goja"
)

//go:generate node testdata/golden.mjs

// Options configures the sources of time, randomness and time zones, what is installed,
// and the limits of one run. The zero value means the real sources, everything, and the
// default limits.
type Options struct {
	// Clock returns the time that Intl.DateTimeFormat formats if it is called without a
	// date. If nil, it is time.Now. It does not affect Date: see goja's SetTimeSource.
	Clock func() time.Time
	// Random is the source of random bytes for crypto. If nil, it is crypto/rand.
	Random io.Reader
	// Zones loads a time zone by its name in the IANA database, in its proper case. It is
	// called once per zone and runtime. If nil, it is time.LoadLocation.
	// [intl.Zones.Load] shares loaded zones between runtimes.
	Zones func(name string) (*time.Location, error)
	// Features is the set of features to install; the zero value means everything. See
	// [FeaturesIn].
	Features Features
	// Limits holds the limits of one run; a zero field means its default.
	Limits Limits
}

// Limits limits single operations of the platform. A script that exceeds a limit gets an
// error that it can catch.
type Limits struct {
	// Timers is the maximum number of timers pending at once. Default 1,000; within the
	// deadline of a run, more are of no use.
	Timers int
	// URLLength is the maximum length of a URL or of search parameters, in UTF-16 units.
	// Default 1 Mi units, eight times what browsers and servers accept.
	URLLength int
	// Bytes is the maximum input of one call of the encoders, decoders, atob, btoa and
	// crypto.subtle, in bytes. An array of numbers, which is slow to read, counts sixteen
	// times its length. Default 16 MiB; input and output together then take an eighth of
	// a worker's memory.
	Bytes int
	// CloneValues is the maximum number of objects that structuredClone copies in one
	// call, which cannot be interrupted. Default 100,000, about a tenth of a second.
	CloneValues int
	// CloneDepth is the maximum nesting depth of objects that structuredClone copies.
	// Default 1,000.
	CloneDepth int
}

func (l *Limits) defaults() {
	set := func(field *int, value int) {
		if *field <= 0 {
			*field = value
		}
	}
	set(&l.Timers, 1000)
	set(&l.URLLength, 1<<20)
	set(&l.Bytes, 16<<20)
	set(&l.CloneValues, 100_000)
	set(&l.CloneDepth, 1000)
}

// Platform is the Go interface to what [Install] added to one runtime. Like the runtime,
// it must be used by one goroutine at a time.
type Platform struct{ host *host }

// Install adds the platform, or the part that opts.Features selects, to the global object
// of vm. A global is built on first use; until then it is an accessor without a setter,
// and after that a read-only property. It stays configurable, so that the owner of the
// runtime can replace it. The extensions of built-in objects (Object.groupBy, iterator
// helpers) are added immediately and are writable, like the other methods of these
// objects. Call Install before any code runs, since it trusts the objects that it finds.
// opts may be nil and is copied.
func Install(vm *goja.Runtime, opts *Options) *Platform {
	p := &host{vm: vm}
	if opts != nil {
		p.Options = *opts
	}
	if p.Clock == nil {
		p.Clock = time.Now
	}
	if p.Random == nil {
		p.Random = rand.Reader
	}
	if p.Zones == nil {
		p.Zones = time.LoadLocation
	}
	p.Limits.defaults()
	p.global = vm.GlobalObject()
	for i := range features {
		if f := &features[i]; p.Features.has(i) {
			f.install(p, f.name)
		}
	}
	return &Platform{p}
}

// Failure says why a host function refused or failed (specification section 8.4).
type Failure struct {
	Kind, Helper, Reason, Message string
}

// Failure reports whether v is an error that the platform created, and returns its
// failure. An error that the script created never counts, whatever it looks like.
func (p *Platform) Failure(v goja.Value) (Failure, bool) {
	if p.host.slots == nil {
		return Failure{}, false // the platform has created no error
	}
	if f, ok := p.host.state(v).(*Failure); ok {
		return *f, true
	}
	return Failure{}, false
}

// Timers returns the pending timers of the run; it never returns nil.
func (p *Platform) Timers() *Timers { return p.host.timerQueue() }

// Uncaught returns the first uncaught exception of a queueMicrotask callback in the run,
// nil if there is none. A run should fail with it.
func (p *Platform) Uncaught() *goja.Exception { return p.host.uncaught }

// host holds what the installed functions of one runtime share.
type host struct {
	Options
	vm       *goja.Runtime
	global   *goja.Object
	zones    map[string]*time.Location // zones loaded so far, by proper name
	slots    *slots
	timers   *Timers
	uncaught *goja.Exception

	urls, params   *class
	paramsIterator *goja.Object
	numbers, dates *class
	key            *class
	iterator       *goja.Object // the object that iterator.js creates
	iteratorProto  *goja.Object
}

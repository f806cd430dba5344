package platform

import (
	"crypto/rand"
	"io"
	"time"

	"github.com/dop251/goja"
)

//go:generate node testdata/golden.mjs

// Options says where time, randomness and zones come from, what is installed
// and how much of it one run may use. The zero value is the real ones,
// everything, and the default limits.
type Options struct {
	// Clock is what Intl.DateTimeFormat formats when it is given no date. nil:
	// time.Now. It does not move Date: see goja's SetTimeSource.
	Clock func() time.Time
	// Random is read for crypto. nil: crypto/rand.
	Random io.Reader
	// Zones loads a time zone by the name it has in the IANA database, in its
	// proper case. It is asked once per zone and runtime. nil: time.LoadLocation.
	// [intl.Zones.Load] keeps zones from one runtime to the next.
	Zones func(name string) (*time.Location, error)
	// Features is what to install; zero: everything. See [FeaturesIn].
	Features Features
	// Limits bounds what one run may do; a zero field takes its default.
	Limits Limits
}

// Limits bounds single operations of the platform. A script that exceeds one
// gets an error that it can catch.
type Limits struct {
	// Timers is how many timers may be pending at once. Default 1,000, of which
	// the deadline of a run leaves no use for more.
	Timers int
	// URLLength bounds the text of a URL or of search parameters, in UTF-16
	// units. Default 1 MiB: eight times what browsers and servers take.
	URLLength int
	// Bytes bounds the input of one call of the encoders, decoders, atob, btoa
	// and crypto.subtle; of an array of numbers, which is slow to read, it bounds
	// sixteen times the length. Default 16 MiB, an eighth of a worker's memory with
	// input and output together.
	Bytes int
	// CloneValues bounds how many objects structuredClone copies in one call,
	// which nothing can interrupt. Default 100,000, about a tenth of a second.
	CloneValues int
	// CloneDepth bounds how deep they nest. Default 1,000.
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

// Platform is what [Install] put into one runtime, seen from the program.
// Like the runtime it serves one goroutine at a time.
type Platform struct{ host *host }

// Install puts the platform, or what opts.Features names of it, on the global
// object of vm. A global is built at its first use; until then it is an
// accessor without a setter, and from then on a read-only property. It stays
// configurable, so that an owner of the runtime can define something else in
// its place. What extends the objects of the language (Object.groupBy, iterator
// helpers) is there at once, as writable as the rest of them. Install belongs
// before any code: it trusts the objects that it finds. opts may be nil and is
// copied.
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

// Failure is why a host function refused or failed (specification section 8.4).
type Failure struct {
	Kind, Helper, Reason, Message string
}

// Failure reports whether v is an error that the platform made, and for which
// failure: what a script throws itself is none, whatever it looks like.
func (p *Platform) Failure(v goja.Value) (Failure, bool) {
	if p.host.slots == nil {
		return Failure{}, false // none was made
	}
	if f, ok := p.host.state(v).(*Failure); ok {
		return *f, true
	}
	return Failure{}, false
}

// Timers are the pending timers of the run. They are always there.
func (p *Platform) Timers() *Timers { return p.host.timerQueue() }

// Uncaught returns what a callback of queueMicrotask threw and nothing caught,
// the first of a run, nil when there is none. A run should fail with it.
func (p *Platform) Uncaught() *goja.Exception { return p.host.uncaught }

// host is what the installed functions of one runtime share.
type host struct {
	Options
	vm       *goja.Runtime
	global   *goja.Object
	zones    map[string]*time.Location // loaded so far, by proper name
	slots    *slots
	timers   *Timers
	uncaught *goja.Exception

	urls, params   *class
	paramsIterator *goja.Object
	numbers, dates *class
	key            *class
	iterator       *goja.Object // what iterator.js gives
	iteratorProto  *goja.Object
}

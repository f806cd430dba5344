package studioapi

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// Options are the options of [New]. The zero value serves the studio's own
// specs to this machine.
type Options struct {
	// Bundled are the specs that came with the program, such as those of package
	// catalog: shown and tested beside the studio's own, and changed by way of a
	// fork only. They must not be changed while the API is in use.
	Bundled []*toolspec.Spec
	// Exposure is what the server of the tools offers its clients. nil: its
	// routes are not there.
	Exposure Exposure
	// Versions keeps the content of what passed, the latest 20 of each tool, so
	// that a tool can be compared with what it was. nil keeps none.
	Versions localpass.Persistence
	// ByAuthor says that the user of this API is the person who would be asked to
	// approve: tools that ask for approval then run without asking. Otherwise runs ask
	// the studio's gate, and without a gate they are denied.
	ByAuthor bool
	// Concurrency is how many runs are executed at the same time; default 2. MaxQueue
	// is how many more may wait; default 32. Further ones are answered with 429.
	Concurrency, MaxQueue int

	// Bounds are what bounds every run beside the limits of its spec, such as
	// those that a sandbox describes: shown with each case. 0: not told.
	Bounds Bounds

	// AllowedHosts are the names beside loopback ones by which the server may be
	// addressed, such as "tools.example.com". A request by any other name is
	// refused: a web page could have made its own name point here.
	AllowedHosts []string
	// AllowedOrigins are the origins beside the server's own from which browsers may
	// send requests, such as "https://app.example.com".
	AllowedOrigins []string
	// Authenticate lets a request in, or refuses it with an error, which is logged
	// and not sent. nil: only connections that arrive on a loopback address are
	// served, and no request that a proxy forwarded.
	Authenticate func(*http.Request) error

	// Events receives what happens, for a stream that a program shares among
	// several APIs. It must not block.
	Events func(Event)
	// Logger receives what went wrong. nil is slog.Default().
	Logger *slog.Logger
	// Clock replaces time.Now.
	Clock func() time.Time
}

const (
	defaultConcurrency = 2
	defaultMaxQueue    = 32
)

// Event is something that happened: a run that printed, a tool that was saved.
type Event struct {
	// Topic is "tools" or "runs".
	Topic string
	// Type is "tools.changed", or a type of [RunEvent].
	Type string
	// Data is JSON that can be shown to every user of the API.
	Data any
}

// API serves a studio over HTTP. It is an http.Handler, safe for concurrent use,
// and must be closed.
type API struct {
	*httpapi.Service
	studio   *studio.Studio
	opts     Options
	bundled  map[string]*toolspec.Spec // by tool id
	ids      []string                  // of the bundled, in their order
	clock    clock.Clock
	runs     *runs
	known    *known
	unwatch  func()
	closing  sync.Once
	exposing sync.Mutex
}

// New returns the API of a studio. The error names the option that is not
// usable.
func New(st *studio.Studio, opts *Options) (*API, error) {
	if st == nil {
		return nil, errors.New("studioapi: there is no studio: make one with studio.New")
	}
	a := &API{studio: st, bundled: make(map[string]*toolspec.Spec)}
	if opts != nil {
		a.opts = *opts
	}
	a.clock = clock.Clock{NowFunc: a.opts.Clock}
	if a.opts.Concurrency <= 0 {
		a.opts.Concurrency = defaultConcurrency
	}
	if a.opts.MaxQueue <= 0 {
		a.opts.MaxQueue = defaultMaxQueue
	}
	for _, spec := range a.opts.Bundled {
		if other := a.bundled[spec.ID()]; other != nil {
			return nil, fmt.Errorf("studioapi: the bundled specs %q and %q have one tool id: %s", other.Name, spec.Name, spec.ID())
		}
		a.bundled[spec.ID()] = spec
		a.ids = append(a.ids, spec.ID())
	}
	a.known = newKnown(a.clock)
	a.runs = newRuns(a.opts.Concurrency, a.opts.MaxQueue, a.clock)
	a.opts.Logger = cmp.Or(a.opts.Logger, slog.Default())
	var err error
	a.Service, err = httpapi.NewService(&httpapi.Options{Title: "localpass tool studio", Description: "Specs, their Local Pass and what is published of them.",
		AllowedHosts: a.opts.AllowedHosts, AllowedOrigins: a.opts.AllowedOrigins, Authenticate: a.opts.Authenticate, Logger: a.opts.Logger}, a.routes())
	if err != nil {
		return nil, fmt.Errorf("studioapi: %w", err)
	}
	a.unwatch = st.Watch(func() {
		a.known.forget()
		a.sendEvent("tools", "tools.changed", struct{}{})
	})
	return a, nil
}

// Close stops the current runs, ends their streams, and waits for both. Later requests
// that would run something are answered with 503. It does not close the studio.
func (a *API) Close() error {
	a.closing.Do(func() {
		a.unwatch()
		a.runs.close()
	})
	return nil
}

// changed notes that something of the tools is not as it was.
func (a *API) changed() {
	a.known.forget()
	a.sendEvent("tools", "tools.changed", struct{}{})
}

func (a *API) sendEvent(topic, kind string, data any) {
	if a.opts.Events != nil {
		a.opts.Events(Event{Topic: topic, Type: kind, Data: data})
	}
}

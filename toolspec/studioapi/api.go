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

// Options are the options of [New]. The zero value serves the studio's own specs to
// clients on this machine.
type Options struct {
	// Bundled are the specs that came with the program, such as those of package catalog.
	// They are shown and tested like the studio's own specs, but can be changed only in a
	// fork. They must not be changed while the API is in use.
	Bundled []*toolspec.Spec
	// Exposure decides which tools the server offers its clients. If nil, its routes do
	// not exist.
	Exposure Exposure
	// Versions stores the content of passed versions, the latest 20 of each tool, so that
	// a tool can be compared with earlier versions. nil stores none.
	Versions localpass.Persistence
	// ByAuthor says that the user of this API is the person who would be asked to
	// approve: tools that ask for approval then run without asking. Otherwise runs ask
	// the studio's gate, and without a gate they are denied.
	ByAuthor bool
	// Concurrency is how many runs are executed at the same time; default 2. MaxQueue is
	// how many more may wait; default 32. Further runs are rejected with 429.
	Concurrency, MaxQueue int

	// Bounds are the limits of every run in addition to the limits of its spec, such as
	// those that a sandbox describes. They are shown with each case. 0 means unknown.
	Bounds Bounds

	// AllowedHosts are the host names by which clients may address the server, besides
	// loopback names, such as "tools.example.com". A request with any other name is
	// refused, because a web page could make its own name point here.
	AllowedHosts []string
	// AllowedOrigins are the origins, besides the server's own, from which browsers may
	// send requests, such as "https://app.example.com".
	AllowedOrigins []string
	// Authenticate accepts a request by returning nil, or refuses it with an error, which
	// is logged and not sent to the client. If the field is nil, only connections that
	// arrive on a loopback address are served, and no requests that a proxy forwarded.
	Authenticate func(*http.Request) error

	// Events receives each event, for a stream that a program shares among several APIs.
	// It must not block.
	Events func(Event)
	// Logger receives errors. nil means slog.Default().
	Logger *slog.Logger
	// Clock replaces time.Now.
	Clock func() time.Time
}

const (
	defaultConcurrency = 2
	defaultMaxQueue    = 32
)

// Event reports that something happened, such as output of a run or a saved tool.
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
	ids      []string                  // ids of the bundled specs, in order
	clock    clock.Clock
	runs     *runs
	known    *known
	unwatch  func()
	closing  sync.Once
	exposing sync.Mutex
}

// New returns the API of a studio. The error names the invalid option.
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
	a.Service, err = httpapi.New(&httpapi.Options{Title: "localpass tool studio", Description: "Specs, their Local Pass and what is published of them.",
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

// changed announces that the tools have changed.
func (a *API) changed() {
	a.known.forget()
	a.sendEvent("tools", "tools.changed", struct{}{})
}

func (a *API) sendEvent(topic, kind string, data any) {
	if a.opts.Events != nil {
		a.opts.Events(Event{Topic: topic, Type: kind, Data: data})
	}
}

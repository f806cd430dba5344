package observe

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"

	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/internal/httpapi"
)

// APIOptions are the options of [NewAPI]. The zero value serves this machine.
type APIOptions struct {
	// Hosts are the names beside loopback ones by which the server may be
	// addressed, such as "tools.example.com". A request by any other name is
	// refused: a web page could have made its own name point here.
	Hosts []string
	// Origins are the origins beside the server's own from which browsers may
	// send requests, such as "https://app.example.com".
	Origins []string
	// Authorize lets a request in, or refuses it with an error, which is logged
	// and not sent. nil: only connections that arrive on a loopback address are
	// served, and no request that a proxy forwarded.
	Authorize func(*http.Request) error
	// Events receives what happens, for a stream that a program shares among
	// several APIs. It must not block.
	Events func(APIEvent)
	// MaxStreams is how many event streams may be open; default 64.
	MaxStreams int
	// Log receives what went wrong. nil is off.
	Log *slog.Logger
}

const (
	defaultStreams = 64
	// keptEvents is how many events a client may miss and still go on.
	keptEvents = 1000
)

// APIEvent says that a trace is new or has changed.
type APIEvent struct {
	// Topic is "observe", Type "trace".
	Topic, Type string
	Data        Summary
}

// API serves the traces of a collector over HTTP. It is an http.Handler, safe for
// concurrent use, and must be closed.
type API struct {
	c       *Collector
	opts    APIOptions
	table   httpapi.Table
	server  *httpapi.Server
	events  *httpapi.Events
	streams httpapi.Streams
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	work    sync.WaitGroup
}

var _ http.Handler = (*API)(nil)

// NewAPI returns the API of a collector. The error names the option that is not
// usable.
func NewAPI(c *Collector, opts *APIOptions) (*API, error) {
	if c == nil {
		return nil, errors.New("observe: there is no collector: make one with New")
	}
	a := &API{c: c, events: httpapi.NewEvents(clock.Clock{}.ID(), keptEvents)}
	if opts != nil {
		a.opts = *opts
	}
	if a.opts.MaxStreams <= 0 {
		a.opts.MaxStreams = defaultStreams
	}
	a.table = a.routes()
	var err error
	a.server, err = httpapi.New(&httpapi.Options{Title: "localpass traces", Description: "What the program did in the last while.",
		Hosts: a.opts.Hosts, Origins: a.opts.Origins, Authorize: a.opts.Authorize, Log: a.opts.Log}, a.table)
	if err != nil {
		return nil, fmt.Errorf("observe: the API: %w", err)
	}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	changes, err := c.Subscribe(a.ctx, keptEvents)
	if err != nil {
		a.cancel()
		return nil, err
	}
	a.work.Go(func() {
		for e := range changes {
			a.tell(e)
		}
		a.events.Close()
	})
	return a, nil
}

// tell sends that a trace has changed.
func (a *API) tell(e Event) {
	if err := a.events.Send("trace", e.Trace); err != nil {
		a.log("observe: send an event", err)
	}
	if a.opts.Events == nil {
		return
	}
	defer func() { // the program's panic must not end the stream
		if v := recover(); v != nil {
			a.log("observe: Options.Events panicked", fmt.Errorf("panic: %v", v))
		}
	}()
	a.opts.Events(APIEvent{Topic: "observe", Type: "trace", Data: e.Trace})
}

func (a *API) log(text string, err error) {
	if a.opts.Log != nil {
		a.opts.Log.Error(text, "error", err)
	}
}

// ServeHTTP serves the API, its description at /api/openapi.json included.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.server.ServeHTTP(w, r) }

// Mount registers every route on a mux, one by one, so that others can be
// mounted beside them; the description is not among them. Each route has the
// guards of the options. The error names a route that clashes with what stands
// there.
func (a *API) Mount(mux *http.ServeMux) error { return a.server.Mount(mux) }

// OpenAPI returns the description of the API, OpenAPI 3.1 as JSON. It must not
// be changed.
func (a *API) OpenAPI() []byte { return a.server.OpenAPI() }

// Table returns the routes, for a program of this module that puts several APIs
// together under one guard and one description.
func (a *API) Table() httpapi.Table { return a.table }

// Close ends the streams and waits for what the API does beside requests. It
// always returns nil, and can be called again.
func (a *API) Close() error {
	a.cancel()
	a.work.Wait()
	return nil
}

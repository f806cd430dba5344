package ragapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/library"
	"github.com/localpass/localpass/rag/pipeline"
)

// Options are the options of [New]. The zero value serves clients on this machine only.
type Options struct {
	// AllowedHosts are the host names by which clients may address the server, besides
	// loopback names. A request with any other name is refused.
	AllowedHosts []string
	// AllowedOrigins are the origins, besides the server's own, from which browsers may
	// send requests.
	AllowedOrigins []string
	// Authenticate accepts a request by returning nil, or refuses it with an error, which
	// is logged and not sent to the client. If the field is nil, only connections that
	// arrive on a loopback address are served, and no requests that a proxy forwarded.
	Authenticate func(*http.Request) error
	// MaxBytes is the maximum size of a file. Default 20 MiB.
	MaxBytes int64
	// MaxStreams is how many event streams may be open; default 64.
	MaxStreams int
	// Logger receives failures. nil is slog.Default().
	Logger *slog.Logger
}

// keptEvents is how many events a client may miss and still continue its stream.
const keptEvents = 1000

// API serves a library over HTTP. It is an http.Handler, safe for concurrent use, and must
// be closed before the library.
type API struct {
	*httpapi.Service
	library   *library.Library
	executor  *pipeline.Executor
	pipelines *pipeline.Store
	opts      Options
	events    *httpapi.Events
	life      *httpapi.Life
	embedding atomic.Bool
}

// New returns the API of a library. Its pipelines are run by an executor over the library,
// and kept in a store.
func New(l *library.Library, x *pipeline.Executor, s *pipeline.Store, opts *Options) (*API, error) {
	if l == nil || x == nil || s == nil {
		return nil, errors.New("ragapi: it needs a library, an executor and a store of pipelines")
	}
	a := &API{library: l, executor: x, pipelines: s, events: httpapi.NewEvents(clock.Clock{}.ID(), keptEvents)}
	if opts != nil {
		a.opts = *opts
	}
	a.opts.Logger = cmp.Or(a.opts.Logger, slog.Default())
	a.opts.MaxBytes = cmp.Or(a.opts.MaxBytes, 20<<20)
	var err error
	a.Service, err = httpapi.New(&httpapi.Options{Title: "localpass documents", Description: "Documents, the search in them, and pipelines.",
		AllowedHosts: a.opts.AllowedHosts, AllowedOrigins: a.opts.AllowedOrigins, Authenticate: a.opts.Authenticate, Logger: a.opts.Logger}, a.routes())
	if err != nil {
		return nil, fmt.Errorf("ragapi: %w", err)
	}
	a.life = httpapi.NewLife(a.opts.MaxStreams)
	return a, nil
}

// Close ends the streams, and a re-embedding that was started here. It always returns nil.
func (a *API) Close() error {
	a.life.Close()
	a.events.Close()
	return nil
}

// Report sends the change of a document to the streams: pass it on from
// library.Options.Changed.
func (a *API) Report(d library.Document) { a.send("document", d) }

func (a *API) send(kind string, data any) {
	if err := a.events.Send(kind, data); err != nil {
		a.opts.Logger.Error("ragapi: send an event", "error", err)
	}
}

// problem turns an error of the library into what a client gets.
func problem(err error) error {
	if bad, ok := errors.AsType[*rag.FilterError](err); ok {
		p := httpapi.ValidationFailed.New("%v", err)
		return p.With("line", bad.Line).With("column", bad.Column).With("offset", bad.Offset)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, localpass.ErrNotFound):
		return httpapi.NotFound.New("there is no such document or pipeline")
	case errors.Is(err, localpass.ErrClosed):
		return httpapi.ShuttingDown.New("the library is closed")
	case errors.Is(err, rag.ErrEmbedder), errors.Is(err, rag.ErrEmbedderMismatch), errors.Is(err, errors.ErrUnsupported):
		return httpapi.ValidationFailed.New("%v", err)
	}
	for _, kind := range []error{rag.ErrInvalid, rag.ErrUnsupportedFormat, rag.ErrEncrypted, rag.ErrNoText, rag.ErrPoorExtraction, rag.ErrBudget, rag.ErrCorrupt} {
		if errors.Is(err, kind) {
			return httpapi.ValidationFailed.New("%v", err)
		}
	}
	return err
}

// reembed starts to embed everything again; the stream tells the progress.
func (a *API) reembed(w http.ResponseWriter, _ *http.Request) error {
	if !a.embedding.CompareAndSwap(false, true) {
		return httpapi.ValidationFailed.New("the documents are being embedded again already")
	}
	started := a.life.Go(func() {
		defer a.embedding.Store(false)
		err := a.library.Reembed(a.life.Context(), func(done, total int) { a.send("reembed", Progress{Done: done, Total: total}) })
		p := Progress{Ended: true}
		if err != nil && !errors.Is(err, context.Canceled) {
			p.Error = err.Error()
		}
		a.send("reembed", p)
	})
	if !started {
		a.embedding.Store(false)
		return httpapi.ShuttingDown.New("the server is going down")
	}
	w.WriteHeader(http.StatusAccepted)
	return nil
}

func (a *API) stream(w http.ResponseWriter, r *http.Request) error {
	release, err := a.life.OpenStream()
	if err != nil {
		return err
	}
	defer release()
	return a.events.Follow(w, r, a.life.Done())
}

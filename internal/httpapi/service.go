package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/internal/hostguard"
)

const (
	// DescriptionPath is where a [Service] serves its OpenAPI description.
	DescriptionPath = "/api/openapi.json"

	requestIDHeader = "X-Request-Id"
)

// Options are the options of [New]. The zero value only serves clients on this machine.
type Options struct {
	// Title, Version and Description appear at the beginning of the description.
	Title, Version, Description string
	// AllowedHosts are the host names, besides loopback names, by which clients may
	// address the server, with or without a port.
	AllowedHosts []string
	// AllowedOrigins are the origins, besides the server's own, from which browsers may
	// send requests, such as "https://app.example.com".
	AllowedOrigins []string
	// Authenticate accepts a request by returning nil, or rejects it with an error.
	// [BearerToken] returns such a function. The error's text is logged and not sent,
	// unless it is a [*Problem]. If the field is nil, only connections that arrive on a
	// loopback address are served, and no requests that a proxy forwarded.
	Authenticate func(*http.Request) error
	// Logger receives errors. nil means slog.Default().
	Logger *slog.Logger
	// Clock is used to make request ids.
	Clock clock.Clock
}

// Service serves the routes of tables behind the checks of its options. Each package that
// serves HTTP embeds one, so that every API is an http.Handler, can be mounted on a mux and
// has a description. It need not be closed, and is safe for concurrent use.
type Service struct {
	opts        Options
	table       Table // the first one
	names       *hostguard.Names
	cross       *http.CrossOriginProtection
	rows        []row
	mux         *http.ServeMux
	description func() ([]byte, error)
}

// row is a route with the data of its table.
type row struct {
	Route
	tag     string
	problem func(error) *Problem
}

// New combines tables. The error names a route that is invalid or conflicts with another.
func New(opts *Options, tables ...Table) (*Service, error) {
	if opts == nil {
		opts = &Options{}
	}
	s := &Service{opts: *opts, cross: http.NewCrossOriginProtection(), mux: http.NewServeMux()}
	s.opts.Logger = cmp.Or(s.opts.Logger, slog.Default())
	var err error
	if s.names, err = hostguard.New(opts.AllowedHosts, opts.AllowedOrigins); err != nil {
		return nil, fmt.Errorf("httpapi: %w", err)
	}
	for _, origin := range opts.AllowedOrigins {
		if err := s.cross.AddTrustedOrigin(strings.TrimSuffix(origin, "/")); err != nil {
			return nil, fmt.Errorf("httpapi: allowed origin %q: %w", origin, err)
		}
	}
	tables = append(slices.Clone(tables), s.itself())
	s.table = tables[0]
	ids := make(map[string]string)
	for _, t := range tables {
		for _, r := range t.Routes {
			if err := r.check(); err != nil {
				return nil, fmt.Errorf("httpapi: route %s: %w", r.pattern(), err)
			}
			if other, taken := ids[r.ID]; taken {
				return nil, fmt.Errorf("httpapi: route %s: the ID %q is that of %s", r.pattern(), r.ID, other)
			}
			ids[r.ID] = r.pattern()
			s.rows = append(s.rows, row{Route: r, tag: t.Tag, problem: t.Problem})
		}
	}
	// Few starts of a program ask for it, and the owner of a combined API for one of many.
	s.description = sync.OnceValues(func() ([]byte, error) { return describe(&s.opts, tables) })
	if err := s.mount(s.mux, s.rows); err != nil {
		return nil, err
	}
	return s, nil
}

// itself returns the server's own table.
func (s *Service) itself() Table {
	return Table{Tag: "api", Description: "About this API.", Routes: []Route{{
		Method: http.MethodGet, Path: DescriptionPath, ID: "describeAPI", Summary: "This description, OpenAPI 3.1.",
		Answers: []Answer{{Status: http.StatusOK, Description: "The description.", Content: Of[map[string]any]()}},
		Handle: func(w http.ResponseWriter, r *http.Request) error {
			text, err := s.description()
			if err != nil {
				return fmt.Errorf("httpapi: describe: %w", err)
			}
			return replyTagged(w, r, jsonType, text)
		},
	}}}
}

// OpenAPI returns the OpenAPI 3.1 description of the routes as JSON, which is generated when
// it is first needed. It must not be changed. It is nil if a type in a table cannot be
// described, which a request for the description logs.
func (s *Service) OpenAPI() []byte {
	text, _ := s.description() // the request returns the error
	return text
}

// TableOf returns the routes of an API that embeds a [Service], for a program of this module
// that combines several APIs with the same checks and one description.
func TableOf(api interface{ serviceTable() Table }) Table { return api.serviceTable() }

// serviceTable is promoted to each API that embeds the service; only this package can call it.
func (s *Service) serviceTable() Table { return s.table }

// Mount registers every route individually on a mux, so that other routes can be mounted
// next to them. It does not register the description or the answers for unknown paths: these
// belong to the owner of the mux. The error names a route that conflicts with a registered
// one.
func (s *Service) Mount(mux *http.ServeMux) error {
	return s.mount(mux, s.rows[:len(s.rows)-1])
}

func (s *Service) mount(mux *http.ServeMux, rows []row) (err error) {
	var at string
	defer func() {
		if v := recover(); v != nil { // ServeMux panics on a conflict
			err = fmt.Errorf("httpapi: route %s cannot be mounted: %v", at, v)
		}
	}()
	for i := range rows {
		at = rows[i].pattern()
		mux.Handle(at, s.serve(rows[i]))
	}
	return nil
}

// ServeHTTP serves the routes of the tables and the description. Unknown paths are
// answered with a problem.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// A path that is not clean would be redirected before any check.
	if _, pattern := s.mux.Handler(r); pattern == "" || path.Clean(r.URL.Path) != r.URL.Path {
		s.serve(row{Route: Route{Handle: s.nothing}}).ServeHTTP(w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// nothing answers a request whose path no route has, or not with this method.
func (s *Service) nothing(w http.ResponseWriter, r *http.Request) error {
	var allowed []string
	if path.Clean(r.URL.Path) != r.URL.Path {
		return NotFound.New("nothing is served at this path")
	}
	probe := *r
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		probe.Method = method
		if _, pattern := s.mux.Handler(&probe); pattern != "" {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		return NotFound.New("nothing is served at this path")
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	return MethodNotAllowed.New("use %s", strings.Join(allowed, " or "))
}

// serve returns the handler of one route, with all checks.
func (s *Service) serve(at row) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setHeaders(w.Header())
		w.Header().Set(requestIDHeader, s.opts.Clock.ID())
		out := &recorder{ResponseWriter: w}
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if v == http.ErrAbortHandler { //nolint:errorlint // net/http compares it so
				panic(v)
			}
			s.fail(out, r, &at, Internal.New("").Because(fmt.Errorf("panic: %v\n%s", v, debug.Stack())))
		}()
		err := s.admit(r)
		if err == nil {
			err = s.body(out, r, &at)
		}
		if err == nil {
			err = at.query(r)
		}
		if err == nil {
			err = at.Handle(out, r)
		}
		if err != nil {
			s.fail(out, r, &at, err)
		}
	})
}

// fail sends a problem, if that is still possible.
func (s *Service) fail(w *recorder, r *http.Request, at *row, err error) {
	p := problemOf(err, at.problem)
	if r.Context().Err() != nil && errors.Is(err, context.Canceled) {
		p = ShuttingDown.New("the request ended before it was served").Because(err) // or the client disconnected
	}
	if w.began {
		s.opts.Logger.ErrorContext(r.Context(), "httpapi: failed within the answer", "path", r.URL.Path, "error", p)
		panic(http.ErrAbortHandler) // a truncated answer must not look complete
	}
	writeProblem(w, r, p, s.opts.Logger)
}

// recorder records whether the response was started.
type recorder struct {
	http.ResponseWriter
	began bool
}

func (w *recorder) WriteHeader(status int) {
	w.began = w.began || status >= http.StatusOK
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(p []byte) (int, error) {
	w.began = true
	return w.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController access the wrapped writer.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// setHeaders prevents a browser from treating an answer as anything but data.
func setHeaders(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", cmp.Or(h.Get("Cache-Control"), "no-store"))
}

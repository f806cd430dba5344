package approvalapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/internal/httpapi/sender"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

// Options are the options of [New]. The zero value serves clients on this machine only.
type Options struct {
	// Principal returns the sender of a request, who is the person that decides. An
	// error, or a principal without a subject, refuses the request; the text of the error
	// is logged but not sent. nil: all users of the API count as one person, "local via
	// http", who cannot give two approvals.
	//
	// The program that makes a call must not be able to approve it here: use other
	// credentials for this API than for the endpoint of the tools.
	Principal func(*http.Request) (toolspec.Principal, error)
	// Lookup returns a call of a tool as the program would pass it to the gate, with
	// Definition, Findings and Refused; the API sets the other fields. The error matches
	// [approval.ErrNotFound] for an unknown tool. nil: there is no route to explain
	// calls.
	Lookup func(ctx context.Context, server, tool string) (approval.Call, error)
	// Redactor masks secrets in responses. nil: the gate's redactor.
	Redactor *secret.Redactor

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
	// MaxStreams is how many event streams may be open; default 64.
	MaxStreams int
	// Logger receives errors. nil means slog.Default().
	Logger *slog.Logger
	// Clock replaces time.Now.
	Clock func() time.Time
}

// keptEvents is how many events a client may miss and still be able to continue its
// stream.
const keptEvents = 1000

// Event reports an approval request that was asked, decided, used or has expired, in its
// state when the event is sent. If a request was used at once, its decided event may be
// missing.
type Event struct {
	// Topic is "approvals".
	Topic string
	// Type is "approval." and the status of the request.
	Type string
	Data approval.View
}

// API serves a gate over HTTP: approval requests and decisions, a stream of their
// changes, grants and policies. It is an http.Handler, safe for concurrent use, and must
// be closed. A decision made here applies to all programs that share the gate's store.
type API struct {
	*httpapi.Service
	gate   *approval.Gate
	opts   Options
	redact *secret.Redactor
	clock  clock.Clock
	events *httpapi.Events
	life   *httpapi.Life

	mu      sync.Mutex
	follows bool // the API follows the broker
}

// New returns the API of a gate. The error names the invalid option.
func New(gate *approval.Gate, opts *Options) (*API, error) {
	if gate == nil {
		return nil, errors.New("approvalapi: there is no gate: make one with approval.NewGate")
	}
	a := &API{gate: gate, redact: gate.Redactor()}
	if opts != nil {
		a.opts = *opts
	}
	if a.opts.Redactor != nil {
		a.redact = a.opts.Redactor
	}
	a.clock = clock.Clock{NowFunc: a.opts.Clock}
	a.events = httpapi.NewEvents(a.clock.ID(), keptEvents)
	a.opts.Logger = cmp.Or(a.opts.Logger, slog.Default())
	var err error
	a.Service, err = httpapi.New(&httpapi.Options{Title: "localpass approvals", Description: "Questions about tool calls, their answers, grants and policies.",
		AllowedHosts: a.opts.AllowedHosts, AllowedOrigins: a.opts.AllowedOrigins, Authenticate: a.opts.Authenticate, Logger: a.opts.Logger}, a.routes())
	if err != nil {
		return nil, fmt.Errorf("approvalapi: %w", err)
	}
	a.life = httpapi.NewLife(a.opts.MaxStreams)
	if a.opts.Events != nil {
		if err := a.followBroker(); err != nil {
			_ = a.Close() // it never fails
			return nil, err
		}
	}
	return a, nil
}

// Close ends the streams and waits for the background work. It does not close the gate.
func (a *API) Close() error {
	a.events.Close()
	a.life.Close()
	return nil
}

// decider returns the principal that sends a request.
func (a *API) decider(r *http.Request) (toolspec.Principal, error) {
	return sender.Of(r, a.opts.Principal)
}

// The problem kinds of this API, in addition to those of every API.
var (
	alreadyDecided = httpapi.Kind{Code: "already_decided", Status: http.StatusConflict, Title: "Somebody decided otherwise"}
	hasExpired     = httpapi.Kind{Code: "expired", Status: http.StatusGone, Title: "The time is up"}
	noMoreTime     = httpapi.Kind{Code: "no_more_time", Status: http.StatusConflict, Title: "The deadline cannot be extended"}
	fixedPolicy    = httpapi.Kind{Code: "fixed_policy", Status: http.StatusConflict, Title: "The policy file says so"}
	storeReadOnly  = httpapi.Kind{Code: "storage_read_only", Status: http.StatusServiceUnavailable, Title: "The store cannot be written to"}
)

// problemOf converts the errors of the package to problems.
func (a *API) problemOf(err error) *httpapi.Problem {
	switch {
	case errors.Is(err, approval.ErrNotFound):
		return httpapi.NotFound.New("there is no such request, grant or policy")
	case errors.Is(err, approval.ErrExpired):
		return hasExpired.New("the request was not decided in time, and its call is refused")
	case errors.Is(err, approval.ErrDecided):
		return alreadyDecided.New("the request was decided before")
	case errors.Is(err, approval.ErrNoMoreTime):
		return noMoreTime.New("the deadline was extended before, or the caller no longer waits")
	case errors.Is(err, approval.ErrUnconfirmed):
		return httpapi.ValidationFailed.New("the request is of level L5: to approve it, send the name of the tool as confirmName too")
	case errors.Is(err, approval.ErrInvalid):
		return httpapi.ValidationFailed.New("%s", a.redact.String(err.Error()))
	case errors.Is(err, approval.ErrFixed):
		return fixedPolicy.New("change it in the policy file")
	case errors.Is(err, localpass.ErrReadOnly):
		return storeReadOnly.New("nothing was changed")
	case errors.Is(err, approval.ErrClosed), errors.Is(err, localpass.ErrClosed):
		return httpapi.ShuttingDown.New("the server is shutting down: try again later")
	}
	return nil
}

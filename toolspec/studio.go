package toolspec

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"sort"
	"strconv"
	"sync"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/toolspec/secret"
)

// Studio is where specs earn their Local Pass and are published. It keeps
// drafts and receipts in a Persistence and the published tools in memory.
//
// A studio changes nothing it is given: it works on a snapshot of each spec.
// All methods are safe for concurrent use.
type Studio struct {
	runner   Runner
	receipts *receipts
	store    localpass.Persistence
	opts     StudioOptions
	resolver *secret.Resolver
	clock    clock.Clock

	mu        sync.Mutex
	published map[string]*Passed // by tool id
	names     map[string]string  // tool name to tool id
	watchers  map[int]func()
	nextWatch int
	notifying sync.Mutex // held while watchers run, so that stop can wait
	naming    sync.Mutex // held while a free name is looked for and taken
}

// StudioOptions are the options of [NewStudio]. The zero value works and grants
// nothing: no environment, no one to ask, the shipped baseline.
type StudioOptions struct {
	// Host is the baseline and the ceiling of this host; nil is the shipped
	// baseline (section 4.2): no network, no files.
	Host *Host
	// Lookup finds the values of ${NAME} placeholders, such as secret.Env().
	// nil finds none.
	Lookup secret.Lookup
	// AllowNames limits the placeholders that may be resolved; nil allows every
	// name that a spec uses.
	AllowNames []string
	// Gate answers for tools that ask for approval. nil denies their calls.
	Gate Gate
	// Pins are the catalogue hashes of the specs that came with the program, by
	// name (specification section 14.2), such as those of catalog.Pins. The
	// names are reserved: a spec of such a name that has another hash is
	// refused.
	Pins map[string]string
	// Strict makes refusals of what is otherwise a warning: members that the
	// specification does not know in closed blocks, a pass that asserts
	// nothing, code that ignores its arguments.
	Strict bool
	// LenientArguments coerces arguments that weak models give as text.
	LenientArguments bool
	// Telemetry is told of calls and passes; nil is off.
	Telemetry *genai.Telemetry
	// Now replaces time.Now for the times in receipts and drafts.
	Now func() time.Time
}

// Gate decides whether a call of a tool that asks for approval may run.
type Gate interface {
	// Clear returns the arguments with which this very call may run: nil for
	// those that it has, or what a person made of them, which are checked and
	// bound anew; the model is told of it. Any error denies the call; a
	// [CallError] is told to the caller as it is. How long it takes does not count
	// as the tool's time. The principal of a test comes in via "studio"; what it
	// is tested with cannot be changed.
	Clear(ctx context.Context, def Definition, call *Call) (arguments json.RawMessage, err error)
}

// NewStudio returns a studio whose specs run in runner and whose passes live in
// store. It reads the home's key from the store, or makes it; the error names
// what could not be read or written.
func NewStudio(ctx context.Context, runner Runner, store localpass.Persistence, opts *StudioOptions) (*Studio, error) {
	s := &Studio{runner: runner, store: store,
		published: map[string]*Passed{}, names: map[string]string{}, watchers: map[int]func(){}}
	if opts != nil {
		s.opts = *opts
	}
	s.clock = clock.Clock{NowFunc: s.opts.Now}
	s.resolver = &secret.Resolver{Lookup: s.opts.Lookup, Allow: s.opts.AllowNames}
	s.opts.Pins = maps.Clone(s.opts.Pins)
	var err error
	s.receipts, err = openReceipts(ctx, store)
	return s, err
}

// Publish puts the spec on the air. It refuses a spec without a valid receipt
// for just this content, posture, runtime and tier (ErrNoPass), one whose
// placeholders have no value, and one whose name another published tool has
// (ErrNameTaken). Publishing a tool id again replaces what was published.
// Watchers have been told when it returns.
func (s *Studio) Publish(ctx context.Context, spec *Spec) (*Passed, error) {
	spec = spec.Clone()
	status, err := s.Status(ctx, spec)
	if err != nil {
		return nil, err
	}
	return s.publish(ctx, spec, status)
}

func (s *Studio) publish(ctx context.Context, spec *Spec, status *Status) (*Passed, error) {
	switch status.State {
	case StateActive:
	case StateMissingRequirements:
		return nil, fmt.Errorf("toolspec: publish %s: %w", quote(spec.Name), missingProblem(status.Missing))
	default:
		if err := status.Problems.Err(); err != nil {
			return nil, fmt.Errorf("toolspec: publish %s: %w: %w", quote(spec.Name), ErrNoPass, err)
		}
		return nil, fmt.Errorf("toolspec: publish %s (%s): %w: test it first", quote(spec.Name), status.State, ErrNoPass)
	}
	passed, err := s.snapshot(spec, status)
	if err != nil {
		return nil, err
	}
	if err := s.markPublished(ctx, spec); err != nil {
		return nil, err
	}
	s.mu.Lock()
	id := passed.core.id
	if other, taken := s.names[spec.Name]; taken && other != id {
		s.mu.Unlock()
		return nil, fmt.Errorf("toolspec: publish %s: %w: %w", quote(spec.Name), ErrNameTaken, Problem{Code: CodeResolver, Severity: SeverityError,
			Reason: "name-taken", Pointer: "name", Message: "another published tool has this name", Remedy: "rename one of the two"})
	}
	if old := s.published[id]; old != nil {
		delete(s.names, old.core.def.Name)
		old.withdraw()
	}
	s.published[id], s.names[spec.Name] = passed, id
	s.mu.Unlock()
	s.notify()
	return passed, nil
}

// Admit publishes the spec and runs its Local Pass first unless it holds a
// valid one: the whole way from a document to a served tool. The report tells
// how it went; its OK is false when the spec did not pass, and the returned
// Passed is then nil.
func (s *Studio) Admit(ctx context.Context, spec *Spec, opts *TestOptions) (*Passed, *Report, error) {
	spec = spec.Clone()
	status, err := s.Status(ctx, spec)
	if err != nil {
		return nil, nil, err
	}
	report := &Report{Status: *status, OK: status.Receipt != nil}
	if status.Receipt == nil || s.lintRefuses(status.Problems, opts) != nil {
		if report, err = s.test(ctx, spec, status, opts); err != nil || !report.OK {
			return nil, report, err
		}
	}
	passed, err := s.publish(ctx, spec, &report.Status)
	return passed, report, err
}

// Withdraw takes a tool off the air by its id. Calls that are under way finish;
// later ones are refused, whoever holds the tool. Withdrawing what is not
// published does nothing. Watchers have been told when it returns.
func (s *Studio) Withdraw(id string) {
	s.mu.Lock()
	passed := s.published[id]
	if passed == nil {
		s.mu.Unlock()
		return
	}
	delete(s.published, id)
	delete(s.names, passed.core.def.Name)
	passed.withdraw()
	s.mu.Unlock()
	s.notify()
}

// Published returns the tools on the air, ordered by name.
func (s *Studio) Published() []*Passed {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*Passed, 0, len(s.published))
	for _, p := range s.published {
		list = append(list, p)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].core.def.Name < list[j].core.def.Name })
	return list
}

// Tools returns the tools on the air: a Studio is a [Source].
func (s *Studio) Tools(context.Context) ([]Tool, error) {
	published := s.Published()
	tools := make([]Tool, len(published))
	for i, p := range published {
		tools[i] = p
	}
	return tools, nil
}

// Watch calls changed after each change of the published set, until stop is
// called; stop waits for a call under way. It must not be called from within
// changed.
func (s *Studio) Watch(changed func()) (stop func()) {
	s.mu.Lock()
	id := s.nextWatch
	s.nextWatch++
	s.watchers[id] = changed
	s.mu.Unlock()
	return func() {
		s.mu.Lock()
		delete(s.watchers, id)
		s.mu.Unlock()
		s.notifying.Lock() // a notification that still holds changed has ended now
		defer s.notifying.Unlock()
	}
}

func (s *Studio) notify() {
	s.notifying.Lock()
	defer s.notifying.Unlock()
	s.mu.Lock()
	calls := make([]func(), 0, len(s.watchers))
	for _, changed := range s.watchers {
		calls = append(calls, changed)
	}
	s.mu.Unlock()
	for _, changed := range calls {
		changed()
	}
}

func quote(s string) string { return strconv.Quote(s) }

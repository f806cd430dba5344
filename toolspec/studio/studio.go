package studio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sort"
	"strconv"
	"sync"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/internal/notify"
	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

// Studio is where specs earn their Local Pass and are published. Drafts and
// receipts are kept in a Persistence, which says what is published and which
// passes hold; what a studio serves follows it. A tool is served while it is
// published and holds a valid pass: when its pass is void it is withdrawn, and
// when it passes again it is served again. [Studio.FollowStore] keeps a studio in
// step with what other programs do to the same Persistence.
//
// A studio changes nothing it is given: it works on a snapshot of each spec.
// All methods are safe for concurrent use. What happens to one tool happens one
// after the other, so that an edit and a publication do not mix.
type Studio struct {
	runner   toolspec.Runner
	receipts *receipts
	store    *ownWrites
	opts     Options
	resolver *secret.Resolver
	clock    clock.Clock

	tools  keyedLocks // by tool id: what is stored and what is served change together
	follow storeFollow

	examined examinations
	bundled  func() (map[string]*toolspec.Spec, error) // by tool id: what came with the program

	mu        sync.Mutex
	published map[string]*Passed // by tool id: what is served now
	wanted    map[string]*wanted // by tool id: what this program was asked to serve
	held      map[string]bool    // by tool id: withdrawn here, whatever the store says
	refused   map[string]bool    // by tool id: published, and without a valid pass at the last look
	names     map[string]string  // tool name to tool id
	restored  bool               // what the store has published is served here
	changed   notify.Signal      // the published set changed
	naming    sync.Mutex         // held while a free name is looked for and taken
}

// Options are the options of [New]. The zero value works and grants
// nothing: no environment, no one to ask, the shipped baseline.
type Options struct {
	// Host is the baseline and the ceiling of this host; nil is the shipped
	// baseline (section 4.2): no network, no files.
	Host *toolspec.Host
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
	// Bundled gives the specs that came with the program, such as catalog.Specs: it
	// is called once, when they are needed first. Whether they are published is kept
	// in the store by their tool ids, so that it survives a restart and every program
	// on the store knows it. nil: there are none.
	Bundled func() ([]*toolspec.Spec, error)
	// Strict makes refusals of what is otherwise a warning: members that the
	// specification does not know in closed blocks, a pass that asserts
	// nothing, code that ignores its arguments.
	Strict bool
	// LenientArguments coerces arguments that weak models give as text.
	LenientArguments bool
	// Telemetry records calls and passes; nil is off.
	Telemetry *genai.Telemetry
	// Clock replaces time.Now for the times in receipts and drafts.
	Clock func() time.Time
}

// Gate decides whether a call of a tool that asks for approval may run.
type Gate interface {
	// Clear returns the arguments with which this very call may run: nil for
	// those that it has, or what a person made of them, which are checked and bound
	// anew; the model is informed of the change. Any error denies the call; a
	// [toolspec.CallError] is told to the caller as it is. How long it takes does not
	// count as the tool's time. The principal of a test comes in via "studio"; what it
	// is tested with cannot be changed.
	Clear(ctx context.Context, def toolspec.Definition, call *toolspec.Call) (arguments json.RawMessage, err error)
}

// New returns a studio whose specs run in runner and whose passes live in
// store. It reads the home's key from the store, or makes it; the error names
// what could not be read or written.
func New(ctx context.Context, runner toolspec.Runner, store localpass.Persistence, opts *Options) (*Studio, error) {
	switch {
	case runner == nil:
		return nil, errors.New("studio: new: the runner is nil: give what runs the code, such as a sandbox")
	case store == nil:
		return nil, errors.New("studio: new: the store is nil: give a Persistence, such as that of persistence/memory")
	}
	s := &Studio{runner: runner, store: &ownWrites{Persistence: store},
		published: map[string]*Passed{}, wanted: map[string]*wanted{}, held: map[string]bool{}, refused: map[string]bool{},
		names: map[string]string{}}
	if opts != nil {
		s.opts = *opts
	}
	s.clock = clock.Clock{NowFunc: s.opts.Clock}
	s.resolver = &secret.Resolver{Lookup: s.opts.Lookup, Allow: s.opts.AllowNames}
	s.opts.Pins = maps.Clone(s.opts.Pins)
	s.bundled = sync.OnceValues(s.loadBundled)
	var err error
	if s.receipts, err = openReceipts(ctx, s.store); err != nil {
		return nil, err
	}
	return s, nil
}

// noSpec reports that a method was given a nil spec.
func noSpec(doing string) error {
	return fmt.Errorf("studio: %s: the spec is nil", doing)
}

// TestAndPublish publishes the spec, and tests it first unless it holds a valid
// pass: the whole way from a document to a served tool. The report says how the
// test went. A spec that does not pass gives an error that matches
// [toolspec.ErrNoPass] and names its problems; the report is then returned along with
// the error. The report is nil when it could not be made, such as when the store
// failed.
//
// It is for what a program serves by itself: the spec is not stored as a draft,
// and a bundled spec that was unpublished is refused ([ErrUnpublished]).
func (s *Studio) TestAndPublish(ctx context.Context, spec *toolspec.Spec, opts *TestOptions) (*Passed, *Report, error) {
	if spec == nil {
		return nil, nil, noSpec("test and publish")
	}
	spec = spec.Clone()
	status, err := s.Status(ctx, spec)
	if err != nil {
		return nil, nil, err
	}
	if err := s.notUnpublished(ctx, spec.ID()); err != nil {
		return nil, nil, fmt.Errorf("studio: publish %s: %w", strconv.Quote(spec.Name), err)
	}
	report := &Report{Status: *status, OK: status.Receipt != nil}
	if status.Receipt == nil || s.lintRefuses(status.Problems, opts) != nil {
		if report, err = s.test(ctx, spec, status, opts); err != nil {
			return nil, report, err
		}
		if !report.OK {
			return nil, report, fmt.Errorf("studio: %s did not pass: %w: %w", strconv.Quote(spec.Name), toolspec.ErrNoPass, report.Err())
		}
	}
	passed, err := s.publish(ctx, spec, &report.Status, nil, false)
	return passed, report, err
}

// Published returns the published tools, ordered by name.
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

// Tools returns the published tools: a Studio is a [toolspec.Source].
func (s *Studio) Tools(context.Context) ([]toolspec.Tool, error) {
	published := s.Published()
	tools := make([]toolspec.Tool, len(published))
	for i, p := range published {
		tools[i] = p
	}
	return tools, nil
}

// Watch calls changed after each change of the published set, and, while
// [Studio.FollowStore] runs, after another program changed a document or a pass,
// until stop is called; stop waits for a call under way. It must not be called
// from within changed.
func (s *Studio) Watch(changed func()) (stop func()) { return s.changed.Add(changed) }

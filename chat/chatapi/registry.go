package chatapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/clock"
)

// Errors of an [API]. They are returned wrapped.
var (
	// ErrReplay says that events of a turn are no longer kept, or never were kept for this turn:
	// read the conversation instead.
	ErrReplay = errors.New("chatapi: the events are gone")
	// ErrTurnLimit says that the maximum number of turns is running: try again later.
	ErrTurnLimit = errors.New("chatapi: too many turns run")
	// ErrClosed says that the turns, or the API, are closed.
	ErrClosed = localpass.ErrClosed
)

// OnDisconnect says what happens to a turn when it no longer has a reader.
type OnDisconnect string

// The values of [OnDisconnect]. A turn that never had a reader continues in any case.
const (
	// DisconnectContinue lets the turn continue to its end.
	DisconnectContinue OnDisconnect = "continue"
	// DisconnectStop stops the turn.
	DisconnectStop OnDisconnect = "stop"
	// DisconnectPause lets the turn continue until it has to ask the user, and then pauses it: see
	// [approval.PauseOn].
	DisconnectPause OnDisconnect = "pause"
)

func (d OnDisconnect) check() error {
	switch d {
	case "", DisconnectContinue, DisconnectStop, DisconnectPause:
		return nil
	}
	return fmt.Errorf("chatapi: onDisconnect is %q: use continue, stop or pause: %w", d, llm.ErrInvalid)
}

// TurnsOptions limit the turns of an [API] and how long their events are kept. The zero value
// works; negative numbers are invalid.
type TurnsOptions struct {
	// OnDisconnect is for turns that do not set their own. Default [DisconnectContinue].
	OnDisconnect OnDisconnect
	// Grace is how long a reader may be disconnected, for example while a page reloads, before it
	// counts as gone. Default 5 s.
	Grace time.Duration
	// MaxEvents and MaxBytes are the maximum number and total size, as JSON, of the kept events of
	// one turn. Defaults: 16,384 and 8 MiB.
	MaxEvents, MaxBytes int
	// KeepFor and KeepTurns limit how long, and for how many turns, the events of finished turns
	// are kept. Defaults: 5 min and 256.
	KeepFor   time.Duration
	KeepTurns int
	// MaxTurns is how many turns may run at once. Default 256.
	MaxTurns int
}

const (
	defaultGrace     = 5 * time.Second
	defaultMaxEvents = 1 << 14
	defaultMaxBytes  = 8 << 20
	defaultKeepFor   = 5 * time.Minute
	defaultKeepTurns = 256
	defaultMaxTurns  = 256
	// closePause is how long Close waits until the turns that wait for the user have paused, and
	// closeLimit how long it waits for the other turns.
	closePause = 5 * time.Second
	closeLimit = 10 * time.Second
)

func (o *TurnsOptions) withDefaults() error {
	if err := o.OnDisconnect.check(); err != nil {
		return err
	}
	for _, f := range []struct {
		name  string
		value *int
		or    int
	}{
		{"MaxEvents", &o.MaxEvents, defaultMaxEvents}, {"MaxBytes", &o.MaxBytes, defaultMaxBytes},
		{"KeepTurns", &o.KeepTurns, defaultKeepTurns}, {"MaxTurns", &o.MaxTurns, defaultMaxTurns},
	} {
		if *f.value < 0 {
			return fmt.Errorf("chatapi: TurnsOptions.%s is %d: it must not be negative: %w", f.name, *f.value, llm.ErrInvalid)
		}
		*f.value = cmp.Or(*f.value, f.or)
	}
	if o.Grace < 0 || o.KeepFor < 0 {
		return fmt.Errorf("chatapi: TurnsOptions.Grace and KeepFor must not be negative: %w", llm.ErrInvalid)
	}
	o.OnDisconnect, o.Grace, o.KeepFor = cmp.Or(o.OnDisconnect, DisconnectContinue), cmp.Or(o.Grace, defaultGrace), cmp.Or(o.KeepFor, defaultKeepFor)
	return nil
}

// turnRegistry runs the turns of a client independently of their readers: a turn
// continues after its reader has disconnected, several clients may read it, and a reader
// that reconnects continues where it was. The events of the last turn of each
// conversation are kept for a while, in this process. All methods are safe for concurrent
// use. It must be closed.
type turnRegistry struct {
	client *chat.Client
	opts   TurnsOptions
	clock  clock.Clock
	// onFinish is called after each turn that has ended or paused. It may be nil and must not
	// block.
	onFinish func(*liveTurn)

	mu      sync.Mutex // guards the fields below
	byID    map[string]*liveTurn
	byConv  map[string]*liveTurn // the last turn
	running map[*liveTurn]bool
	kept    []*liveTurn // finished turns, the oldest first
	closed  bool
	work    sync.WaitGroup // Add is called only until closed is set
}

// newTurnRegistry returns the registry for the turns of a client. opts may be nil.
func newTurnRegistry(client *chat.Client, opts *TurnsOptions) (*turnRegistry, error) {
	if client == nil {
		return nil, fmt.Errorf("chatapi: turns need a client: %w", llm.ErrInvalid)
	}
	ts := &turnRegistry{client: client, byID: map[string]*liveTurn{}, byConv: map[string]*liveTurn{}, running: map[*liveTurn]bool{}}
	if opts != nil {
		ts.opts = *opts
	}
	if err := ts.opts.withDefaults(); err != nil {
		return nil, err
	}
	return ts, nil
}

// Begin sends a question, as [chat.Client.Stream] does, and returns as soon as the turn
// has started. The turn keeps the values of ctx; the end of ctx stops the turn only
// before it has started. An empty how means the value of the options. The errors are
// those of Stream, [ErrTurnLimit] and [ErrClosed].
func (ts *turnRegistry) Begin(ctx context.Context, conversation string, question llm.Message, opts *chat.TurnOptions, how OnDisconnect) (*liveTurn, error) {
	return ts.start(ctx, how, false, func(ctx context.Context) chat.Stream { return ts.client.Stream(ctx, conversation, question, opts) })
}

// Resume continues the last turn of a conversation, as [chat.Client.Resume] does. If
// earlier events of the turn are kept here, the new events are appended: a reader that
// starts at the beginning sees all of them.
func (ts *turnRegistry) Resume(ctx context.Context, conversation string, opts *chat.TurnOptions, how OnDisconnect) (*liveTurn, error) {
	return ts.start(ctx, how, false, func(ctx context.Context) chat.Stream { return ts.client.Resume(ctx, conversation, opts) })
}

// Abandon ends a waiting or interrupted turn without continuing it: none of it runs, its
// questions are withdrawn, and its conversation can continue. The errors are those of
// Resume.
func (ts *turnRegistry) Abandon(ctx context.Context, conversation string, opts *chat.TurnOptions) (*liveTurn, error) {
	return ts.start(ctx, DisconnectContinue, true, func(ctx context.Context) chat.Stream { return ts.client.Resume(ctx, conversation, opts) })
}

// Find returns the turn with an id if it runs here or its events are still kept.
func (ts *turnRegistry) Find(id string) (*liveTurn, bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t, ok := ts.byID[id]
	return t, ok
}

// Of returns the last turn of a conversation, under the same conditions as Find.
func (ts *turnRegistry) Of(conversation string) (*liveTurn, bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t, ok := ts.byConv[conversation]
	return t, ok
}

// Forget drops the kept events of a conversation's last turn. A running turn is stopped first;
// Forget waits for its end until ctx ends.
func (ts *turnRegistry) Forget(ctx context.Context, conversation string) error {
	t, ok := ts.Of(conversation)
	if !ok {
		return nil
	}
	t.Stop(chat.CancelNow)
	select {
	case <-t.Done():
	case <-ctx.Done():
		return fmt.Errorf("chatapi: turn %s was cancelled and has not ended yet: %w", t.ID(), ctx.Err())
	}
	ts.drop(t)
	return nil
}

// Close stops all turns and waits for them; no new turn can start. A turn that waits for
// the user is paused if its approver supports that ([approval.Inbox]), and can be resumed
// later. The error says how many turns did not end within ten seconds.
func (ts *turnRegistry) Close() error {
	ts.mu.Lock()
	ts.closed = true
	var all []*liveTurn
	for t := range ts.running {
		all = append(all, t)
	}
	for _, t := range ts.kept {
		t.expire.Stop()
	}
	ts.mu.Unlock()
	waits := false
	for _, t := range all {
		waits = t.shut() || waits
	}
	done := make(chan struct{})
	go func() {
		ts.work.Wait()
		close(done)
	}()
	if waits && waitFor(done, closePause) {
		return nil
	}
	for _, t := range all {
		t.Stop(chat.CancelNow)
	}
	if waitFor(done, closeLimit) {
		return nil
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return fmt.Errorf("chatapi: %d turns were cancelled and still run after %v", len(ts.running), closeLimit)
}

func waitFor(done <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// start runs a stream independently of its caller, and returns when the turn has started.
func (ts *turnRegistry) start(ctx context.Context, how OnDisconnect, abandon bool, stream func(context.Context) chat.Stream) (*liveTurn, error) {
	if err := how.check(); err != nil {
		return nil, err
	}
	t := newLiveTurn(ts, cmp.Or(how, ts.opts.OnDisconnect), abandon)
	within, cancel := context.WithCancel(context.WithoutCancel(ctx))
	t.cancel = cancel
	ts.mu.Lock()
	switch {
	case ts.closed:
		ts.mu.Unlock()
		cancel()
		return nil, fmt.Errorf("chatapi: the turns: %w", ErrClosed)
	case len(ts.running) >= ts.opts.MaxTurns:
		ts.mu.Unlock()
		cancel()
		return nil, fmt.Errorf("%w: %d at once", ErrTurnLimit, ts.opts.MaxTurns)
	}
	ts.running[t] = true
	ts.work.Add(1)
	ts.mu.Unlock()
	begun := make(chan error, 1)
	unhook := context.AfterFunc(ctx, cancel)
	go func() {
		defer ts.work.Done()
		t.forward(within, stream, begun)
	}()
	err := <-begun
	unhook()
	if err != nil {
		return nil, err
	}
	return t, nil
}

// register adds a started turn. If an earlier stretch of the same turn is kept, its events are
// taken over; any other turn of the conversation is dropped.
func (ts *turnRegistry) register(t *liveTurn) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if before := ts.byConv[t.conversation]; before != nil {
		if before.id == t.id {
			t.follows(before)
		}
		ts.forget(before)
	}
	ts.byID[t.id], ts.byConv[t.conversation] = t, t
}

// finished keeps a finished turn for a while.
func (ts *turnRegistry) finished(t *liveTurn) {
	t.mu.Lock()
	t.slim()
	t.mu.Unlock()
	ts.mu.Lock()
	delete(ts.running, t)
	if ts.byID[t.id] == t {
		ts.kept = append(ts.kept, t)
		t.expire = time.AfterFunc(ts.opts.KeepFor, func() { ts.drop(t) })
		if ts.closed {
			t.expire.Stop()
		}
		if len(ts.kept) > ts.opts.KeepTurns {
			ts.forget(ts.kept[0])
		}
	}
	ts.mu.Unlock()
	if ts.onFinish != nil && t.id != "" {
		if err := ts.notifyFinished(t); err != nil {
			ts.client.Options().Telemetry.Log().Error("chatapi: the callback after a turn panicked", "conversation", t.conversation, "turn", t.id, "error", err)
		}
	}
}

// notifyFinished informs the program that a turn has ended. It recovers a panic, because no caller above
// would.
func (ts *turnRegistry) notifyFinished(t *liveTurn) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &chat.PanicError{Name: "onFinish", Value: v, Stack: debug.Stack()}
		}
	}()
	ts.onFinish(t)
	return nil
}

func (ts *turnRegistry) drop(t *liveTurn) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.forget(t)
}

// forget removes a turn. ts.mu must be held.
func (ts *turnRegistry) forget(t *liveTurn) {
	if ts.byID[t.id] == t {
		delete(ts.byID, t.id)
	}
	if ts.byConv[t.conversation] == t {
		delete(ts.byConv, t.conversation)
	}
	for i, k := range ts.kept {
		if k == t {
			ts.kept = append(ts.kept[:i], ts.kept[i+1:]...)
			t.expire.Stop()
			break
		}
	}
}

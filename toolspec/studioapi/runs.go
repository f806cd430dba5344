package studioapi

import (
	"context"
	"sync"
	"time"

	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/toolspec/activity"
)

// Limits on the finished runs that are kept.
const (
	keepRuns  = 200
	keepFor   = time.Hour
	keepBytes = 64 << 20
	// attemptBytes is roughly the size of an attempt without its texts.
	attemptBytes = 160
)

// runs starts runs and keeps them for a while.
type runs struct {
	ctx    context.Context // the parent of all runs
	cancel context.CancelFunc
	done   chan struct{} // closed when the API is closing
	slots  chan struct{} // one for each run in progress
	most   int           // maximum number of runs in progress or waiting
	clock  clock.Clock
	wg     sync.WaitGroup

	mu     sync.Mutex
	closed bool
	active int
	byID   map[string]*run
	order  []*run // oldest first
	bytes  int    // total size of the finished runs
}

func newRuns(concurrency, queue int, c clock.Clock) *runs {
	s := &runs{done: make(chan struct{}), slots: make(chan struct{}, concurrency), most: concurrency + queue, clock: c, byID: make(map[string]*run)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// run is one run, in progress or finished.
type run struct {
	events *httpapi.Events
	cancel context.CancelFunc
	over   chan struct{} // closed when the run has ended
	tell   func(kind string, data RunEvent)

	mu      sync.Mutex
	view    Run
	started time.Time // time of the monotonic clock, for durations
	lines   int       // total size in bytes
	stopped bool      // a client stopped it
	size    int
}

// start creates a run that executes work, now or when a slot is free. work returns a
// function that updates the view.
func (s *runs) start(view Run, tell func(kind string, data RunEvent), work func(ctx context.Context, r *run) (func(*Run), error)) (*run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep()
	switch {
	case s.closed:
		return nil, httpapi.ShuttingDown.New("no run is started any more")
	case s.active >= s.most:
		p := httpapi.RateLimited.New("%d runs are under way or wait; try again when one has ended", s.active)
		p.RetryAfter = 2 * time.Second
		return nil, p
	}
	view.ID, view.State, view.CreatedAt = s.clock.ID(), RunQueued, s.clock.Now()
	view.Cases, view.Console, view.Diagnostics = []CaseResult{}, []ConsoleLine{}, []Diagnostic{}
	r := &run{view: view, tell: tell, events: httpapi.NewEvents(view.ID, maxLines+8), over: make(chan struct{})}
	var ctx context.Context
	ctx, r.cancel = context.WithCancel(s.ctx)
	s.byID[view.ID] = r
	s.order = append(s.order, r)
	s.active++
	s.wg.Go(func() {
		defer r.cancel()
		change, err := r.do(ctx, s.slots, s.clock, work)
		s.leave() // before anyone sees the end: a client may then start the next run
		r.end(s.clock, change, err)
		s.keep(r)
	})
	return r, nil
}

// do waits for a slot and executes the work.
func (r *run) do(ctx context.Context, slots chan struct{}, c clock.Clock, work func(ctx context.Context, r *run) (func(*Run), error)) (func(*Run), error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
		r.markRunning(c)
		return work(ctx, r)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (r *run) markRunning(c clock.Clock) {
	r.mu.Lock()
	r.started = time.Now()
	r.view.State, r.view.StartedAt = RunRunning, c.Now()
	event := RunEvent{RunID: r.view.ID, ToolID: r.view.ToolID, State: RunRunning}
	r.mu.Unlock()
	r.send(eventStarted, event)
}

func (r *run) end(c clock.Clock, change func(*Run), err error) {
	r.mu.Lock()
	v := &r.view
	v.FinishedAt = c.Now()
	if !r.started.IsZero() {
		v.DurationMs = time.Since(r.started).Milliseconds()
	}
	switch {
	case err == nil:
		change(v)
	case r.stopped:
		v.State, v.Message = RunStopped, "it was stopped"
	default:
		v.State, v.Message = RunError, "it could not be made"
	}
	event := RunEvent{RunID: v.ID, ToolID: v.ToolID, State: v.State, DurationMs: v.DurationMs, Message: v.Message}
	r.size = r.lines + len(v.Trace) + len(v.Exchanges)
	for _, c := range v.Cases {
		if c.Result != nil {
			r.size += len(c.Result.Text) + len(c.Result.Structured)
		}
		for _, a := range c.Attempts {
			r.size += attemptBytes + len(a.Target) + len(a.Detail)
		}
	}
	r.mu.Unlock()
	r.send(eventFinished, event)
	r.events.Close()
	close(r.over)
}

// print adds a line of the console.
func (r *run) print(l activity.ConsoleLine) {
	r.mu.Lock()
	v := &r.view
	if len(v.Console) >= maxLines || r.lines+len(l.Text) > maxLineBytes {
		v.ConsoleCut++
		r.mu.Unlock()
		return
	}
	line := ConsoleLine{Ms: time.Since(r.started).Milliseconds(), Level: l.Level, Text: l.Text, Line: l.Line, Column: l.Column}
	v.Console = append(v.Console, line)
	r.lines += len(l.Text)
	event := RunEvent{RunID: v.ID, ToolID: v.ToolID, Line: &line}
	r.mu.Unlock()
	r.send(eventConsole, event)
}

func (r *run) send(kind string, data RunEvent) {
	_ = r.events.Send(kind, data) // data is JSON
	r.tell(kind, data)
}

// stop requests the end of the run; a finished run is unchanged.
func (r *run) stop() {
	r.mu.Lock()
	r.stopped = true
	r.mu.Unlock()
	r.cancel()
}

// snapshot returns the current state of the run.
func (r *run) snapshot() Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	v := r.view
	v.Console = v.Console[:len(v.Console):len(v.Console)] // the full list may still grow
	return v
}

// leave makes room for another run.
func (s *runs) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active--
}

// keep counts the size of a run that has ended.
func (s *runs) keep(r *run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes += r.size
	s.sweep()
}

// sweep drops runs that need not be kept. s.mu must be held.
func (s *runs) sweep() {
	old := s.clock.Now().Add(-keepFor)
	kept := s.order[:0]
	over := len(s.order) - keepRuns
	for _, r := range s.order {
		select {
		case <-r.over:
			if over > 0 || s.bytes > keepBytes || r.view.FinishedAt.Before(old) { // a finished run does not change
				over--
				s.bytes -= r.size
				delete(s.byID, r.view.ID)
				continue
			}
		default:
		}
		kept = append(kept, r)
	}
	clear(s.order[len(kept):])
	s.order = kept
}

// get returns a kept run.
func (s *runs) get(id string) (*run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep()
	if r := s.byID[id]; r != nil {
		return r, nil
	}
	return nil, httpapi.NotFound.New("there is no such run; runs are kept for an hour, at most %d", keepRuns)
}

// close stops every run and waits for them.
func (s *runs) close() {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.done)
	}
	for _, r := range s.order {
		r.mu.Lock()
		r.stopped = true
		r.mu.Unlock()
	}
	s.mu.Unlock()
	s.cancel()
	s.wg.Wait()
}

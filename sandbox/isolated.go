package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/localpass/localpass/internal/worker"
	"github.com/localpass/localpass/toolspec"
)

// isolated runs code in worker processes.
type isolated struct {
	pool   *pool
	limits *Limits
	active []string // layers in force, from the first worker
}

func newIsolated(s *Sandbox) (*isolated, error) {
	if worker.Is(workerName) {
		// This process is a worker of a program that did not call Main: continuing would
		// make workers start workers.
		worker.Misuse("sandbox: the program starts isolated workers and does not call sandbox.Main first in main (and in TestMain)")
	}
	setup, err := json.Marshal(workerSetup{Engine: s.runtime.ID, Version: s.runtime.Version, Translates: translates(s.engine), CallDepth: s.limits.CallDepth})
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	cfg := worker.Config{
		Name: workerName, Path: s.opts.WorkerPath, Limits: worker.Limits(s.limits.ProcessLimits), Setup: setup,
		MaxFrame: s.limits.FrameBytes, Handshake: s.limits.Handshake,
	}
	t := &isolated{limits: &s.limits}
	t.pool, err = newPool(s.opts.Workers, &s.limits, func(ctx context.Context) (*worker.Process, error) {
		return worker.Start(ctx, cfg)
	})
	if err != nil {
		return nil, noWorkers(err)
	}
	t.active = t.pool.slots[0].process.Layers
	return t, nil
}

// noWorkers explains why workers cannot be started.
func noWorkers(err error) error {
	if errors.Is(err, worker.ErrHandshake) {
		return fmt.Errorf("%w: %w; call sandbox.Main() as the first line of main, and of TestMain in tests", ErrNoWorkers, err)
	}
	return fmt.Errorf("%w: %w", ErrNoWorkers, err)
}

func (t *isolated) layers() []string { return t.active }

func (t *isolated) close() error {
	t.pool.shut()
	return nil
}

func (t *isolated) run(ctx context.Context, j *job) (*toolspec.Outcome, error) {
	if wait := j.code.crashes.delay(time.Now()); wait > 0 {
		return &toolspec.Outcome{Unfinished: true, Err: &toolspec.CallError{
			Kind: toolspec.KindResourceLimit, Reason: ReasonCrashLoop, Component: componentSandbox,
			Message: fmt.Sprintf("this tool ended its worker too often; it runs again in %v", wait.Round(100*time.Millisecond)),
		}}, nil
	}
	s, err := t.pool.lend(ctx)
	if err != nil {
		return nil, err
	}
	c := t.newConversation(ctx, s, j.limit)
	c.job = j
	j.hurried = c.limit < j.limit
	out := c.run()
	if err := t.finish(c, j.code); err != nil {
		return nil, err // the end of the worker says nothing about the code
	}
	return out, nil
}

// finish releases the slot and counts a worker that the code ended, but not one that was
// killed because no caller waited any longer. It returns an error if the pool was closed
// during the conversation.
func (t *isolated) finish(c *conversation, code *code) error {
	c.finish()
	broken := c.broken
	if broken && !errors.Is(c.ctx.Err(), context.Canceled) {
		code.crashes.count(time.Now())
	}
	t.pool.give(c.slot, !broken && !c.recycle, broken)
	if broken && t.pool.ctx.Err() != nil {
		return errClosed()
	}
	return nil
}

func (t *isolated) check(ctx context.Context, code *code, names []string) (toolspec.Problems, error) {
	if code.crashes.delay(time.Now()) > 0 {
		return nil, &toolspec.CallError{Kind: toolspec.KindResourceLimit, Reason: ReasonCrashLoop, Component: componentSandbox, Message: "it ended its worker too often"}
	}
	s, err := t.pool.lend(ctx)
	if err != nil {
		return nil, err
	}
	limit := t.limits.Check
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(deadline))
	}
	c := t.newConversation(ctx, s, limit)
	problems, failed := c.check(code, names)
	if err := t.finish(c, code); err != nil {
		return nil, err
	}
	if failed != nil {
		return nil, failed
	}
	return problems, nil
}

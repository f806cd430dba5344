package servers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// Connect opens a session with a server, unless there is one, and asks what it offers. It
// ends [StateIdle] and the states that wait for a user.
func (c *Connections) Connect(ctx context.Context, id string) error {
	return c.withSession(ctx, id, func(u *upstream, l *liveSession) error {
		if _, err := u.confirmedSnapshot(ctx, l); err != nil {
			return err
		}
		return u.awaitTold(ctx) // what a composition or a provider serves has been updated
	})
}

// ConnectAll connects every server that is not disabled, concurrently. The error joins
// the errors of servers that could not be connected; the others are connected.
func (c *Connections) ConnectAll(ctx context.Context) error {
	return c.connectAll(ctx, func(*Record) bool { return true })
}

// ConnectAuto is like ConnectAll, for the servers whose records have AutoConnect set.
func (c *Connections) ConnectAuto(ctx context.Context) error {
	return c.connectAll(ctx, func(r *Record) bool { return r.AutoConnect })
}

func (c *Connections) connectAll(ctx context.Context, wanted func(*Record) bool) error {
	all := c.allServers()
	errs := make([]error, len(all))
	done := make(chan struct{}, len(all))
	started := 0
	for i, u := range all {
		if r := u.recordCopy(); r.Disabled || !wanted(&r) {
			continue
		}
		if c.spawn(func() { errs[i] = c.Connect(ctx, u.id); done <- struct{}{} }) {
			started++
		}
	}
	for range started {
		<-done
	}
	return errors.Join(errs...)
}

// withSession calls do with the session of a server.
func (c *Connections) withSession(ctx context.Context, id string, do func(u *upstream, l *liveSession) error) error {
	l, release, err := c.leaseLive(ctx, id)
	if err != nil {
		return err
	}
	defer release()
	return do(l.u, l)
}

func (c *Connections) leaseLive(ctx context.Context, id string) (*liveSession, func(), error) {
	u, err := c.server(id)
	if err != nil {
		return nil, nil, err
	}
	if !c.calls.enter() {
		return nil, nil, errConnectionsClosed()
	}
	l, err := u.acquire(ctx)
	if err != nil {
		c.calls.leave()
		return nil, nil, err
	}
	return l, func() { u.release(l); c.calls.leave() }, nil
}

// Stop closes the session with a server, and waits until it is closed. It is not opened
// again until it is needed.
func (c *Connections) Stop(ctx context.Context, id string) error {
	u, err := c.server(id)
	if err != nil {
		return err
	}
	for _, l := range u.stop() {
		select {
		case <-l.gone:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Ping checks whether a server answers if there is a session; without one it returns
// ErrSessionClosed.
func (c *Connections) Ping(ctx context.Context, id string) error {
	u, err := c.server(id)
	if err != nil {
		return err
	}
	if !c.calls.enter() {
		return errConnectionsClosed()
	}
	defer c.calls.leave()
	l := u.acquireCurrent()
	if l == nil {
		return fmt.Errorf("%w: server %q is not connected", client.ErrSessionClosed, id)
	}
	defer u.release(l)
	ctx, cancel := context.WithTimeout(ctx, c.opts.CallTimeout)
	defer cancel()
	err = client.Ping(ctx, l.session)
	l.judge(err, false, false)
	return err
}

// TestReport is the result of a trial of a connection.
type TestReport struct {
	OK bool `json:"ok"`
	// Tools is how many tools are on the first page of the list.
	Tools int `json:"toolCount"`
	// Duration is how long it took; in JSON, in nanoseconds.
	Duration time.Duration `json:"duration"`
	// Steps are the steps of the trial, in order; the last one may have failed.
	Steps []TestStep `json:"steps"`
	// Error says why the trial failed, with secrets masked.
	Error string `json:"error,omitempty"`
	// Info is what was negotiated; nil if the trial failed before that.
	Info *client.SessionInfo `json:"-"`
	// Err is the error itself, whose kind shows whether a user can resolve it.
	Err error `json:"-"`
}

// Test tries a connection with a temporary session: it connects, lists the tools, and
// closes. Nothing is kept, and the live session is not affected. The record need not be
// saved; an error says that the record itself is invalid.
func (c *Connections) Test(ctx context.Context, r Record) (*TestReport, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	t, err := c.Transport(r)
	if err != nil {
		return nil, fmt.Errorf("servers: server %q: %w", r.ID, err)
	}
	if !c.calls.enter() {
		return nil, errConnectionsClosed()
	}
	defer c.calls.leave()
	report := &TestReport{}
	began := c.clock.Now()
	trace := &trialTrace{now: c.clock.Now, began: began}
	report.Err = func() error {
		s, err := c.dialServer(trace.watch(ctx), t, r, infixTrial, func(client.Notification) {}, trace.wire)
		if err != nil {
			report.Steps = trace.steps(t.Describe(), nil, err)
			return err
		}
		defer func() { _ = s.Close() }()
		report.Info = s.Info()
		report.Steps = trace.steps(t.Describe(), report.Info, nil)
		list := TestStep{Name: "list", Status: StepSkipped, Detail: "the server declares no tools"}
		defer func() { report.Steps = append(report.Steps, list) }()
		if !report.Info.Capabilities.Tools {
			return nil
		}
		ctx, cancel := context.WithTimeout(ctx, c.opts.CallTimeout)
		defer cancel()
		asked := c.clock.Now()
		result, err := s.Call(ctx, rpc.MethodToolsList, nil, nil)
		rpc.Elements(rpc.Object(result)["tools"], func([]byte) { report.Tools++ })
		list.Status, list.Duration, list.Detail = StepOK, c.clock.Now().Sub(asked), fmt.Sprintf("%d tools", report.Tools)
		if err != nil {
			list.Status, list.Detail = StepFailed, rpc.Plain(err)
		}
		return err
	}()
	report.Duration, report.OK = c.clock.Now().Sub(began), report.Err == nil
	if report.Err != nil {
		report.Error = report.Err.Error()
	}
	return report, nil
}

package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/asking"
	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

// Options are the options of [New].
type Options struct {
	// Principal is the user at the terminal. The zero value means "local via terminal".
	Principal toolspec.Principal
	// Device is the terminal to use. Empty: the controlling terminal of the process. Not
	// used on Windows.
	Device string
	// Editor is the command to edit arguments, such as the value of EDITOR, split at
	// spaces and run without a shell. Empty: they are edited as one line.
	Editor string
	// Redactor masks secrets in the displayed text. nil masks nothing.
	Redactor *secret.Redactor
	// Arm is how long input is discarded after a question has appeared; default 600 ms.
	Arm time.Duration
	// Clock replaces time.Now for showing the remaining time.
	Clock func() time.Time
}

// New returns an approver that asks the user at the terminal. It opens the controlling
// terminal itself and never uses standard input and output, which may carry a protocol or
// data. Its error is [approval.ErrUnavailable] if the process has no terminal or runs in
// the background.
//
// Questions come one after the other, the riskiest first. Each shows the tool, its level,
// the reason for asking and the exact arguments, with every character escaped that could
// hide or overwrite other text. The answer is a line: y, n, a (this conversation), s
// (same arguments), e (edit the arguments), t (no, and tell the model why), v (show all);
// an empty line declines. L4 requires "yes" in full, L5 the name of the tool. A question
// that does not fit the screen must be shown with v before it can be approved. Input that
// was typed before a question appeared, or has more than one line, is discarded. Ctrl-C,
// Ctrl-D and a closed terminal refuse all remaining questions.
//
// Use only one such approver in a program: two would read each other's keys.
func New(opts *Options) approval.Approver {
	t := &terminal{turn: make(chan struct{}, 1)}
	if opts != nil {
		t.opts = *opts
	}
	if t.opts.Principal == (toolspec.Principal{}) {
		t.opts.Principal = toolspec.Principal{Subject: "local", Via: "terminal"}
	}
	if t.opts.Arm <= 0 {
		t.opts.Arm = asking.Arm
	}
	t.clock = clock.Clock{NowFunc: t.opts.Clock}
	return t
}

type terminal struct {
	opts  Options
	clock clock.Clock
	turn  chan struct{} // holds one token: the question being asked
}

// console is an open terminal.
type console interface {
	// read waits a short time for input. It returns no bytes and no error if there is no
	// input, and io.EOF if the terminal is gone or this program no longer controls it.
	read(p []byte) (int, error)
	// write returns soon after ctx ends, even if the output is not read.
	write(ctx context.Context, p []byte) error
	// raw makes read return every key when it is pressed, without echo; cooked restores
	// the previous mode.
	raw() error
	cooked() error
	// discard drops typed input that was not read yet.
	discard() error
	width() int
	// run runs a program on the terminal and waits for it.
	run(ctx context.Context, command []string) error
	close()
}

// Ask asks about the requests one after another.
func (t *terminal) Ask(ctx context.Context, requests []approval.Request) ([]approval.Decision, error) {
	if len(requests) == 0 {
		return nil, nil
	}
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c, err := openConsole(t.opts.Device)
	if err != nil {
		return nil, fmt.Errorf("%w: the terminal: %w", approval.ErrUnavailable, err)
	}
	defer c.close()
	if err := c.raw(); err != nil {
		return nil, fmt.Errorf("%w: the terminal: %w", approval.ErrUnavailable, err)
	}
	defer func() { _ = c.cooked() }() // an error means that the terminal is gone: nothing to restore

	s := &sitting{terminal: t, console: c}
	decisions, left, err := asking.Ask(ctx, s, requests, &asking.Options{Principal: t.opts.Principal, Redactor: t.opts.Redactor})
	switch {
	case errors.Is(err, asking.ErrInterrupted):
		s.say("cancelled")
		for _, card := range left {
			decisions = append(decisions, approval.Decision{Request: card.Request.ID, Outcome: approval.Cancelled, By: t.opts.Principal, Via: "terminal"})
		}
		return decisions, nil
	case err == nil:
		return decisions, nil
	case ctx.Err() != nil:
		s.say(closing(ctx))
		return decisions, ctx.Err()
	case errors.Is(err, io.EOF):
		return decisions, fmt.Errorf("%w: the terminal went away", approval.ErrUnavailable)
	}
	return decisions, fmt.Errorf("approval: ask at the terminal: %w", err)
}

// closing describes why a question is closed without an answer from this terminal.
func closing(ctx context.Context) string {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return "the time is up: not approved here"
	}
	return "closed: answered elsewhere, or no longer wanted"
}

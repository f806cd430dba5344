package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/internal/termtext"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

// terminalArm is how long a question is displayed before it accepts an answer: keys
// pressed before it appeared do not count.
const terminalArm = 600 * time.Millisecond

// Options are the options of [New].
type Options struct {
	// Principal is the person at the terminal. The zero value is "local via terminal".
	Principal toolspec.Principal
	// Device is the terminal to ask at. Empty: the one that controls the process.
	// Not used on Windows.
	Device string
	// Editor is the command that edits arguments, such as the value of EDITOR,
	// split at blanks and run without a shell. Empty: they are edited as one line.
	Editor string
	// Redactor masks secrets in what is shown. nil masks nothing.
	Redactor *secret.Redactor
	// Arm is how long what is typed is discarded after a question appeared; default 600
	// ms.
	Arm time.Duration
	// Clock replaces time.Now where the time that is left is shown.
	Clock func() time.Time
}

// New returns an approver that asks the person at the terminal. It opens
// the controlling terminal itself and never touches standard input and output,
// which may carry a protocol or data. A process without a terminal, or in its
// background, is [approval.ErrUnavailable].
//
// Questions come one after the other, the riskiest first. Each shows the tool,
// its level, why it asks and the arguments that will run, with every character
// escaped that could hide or repaint something. The answer is a line: y, n, a
// (this conversation), s (same arguments), e (edit the arguments), r (no, with a
// reason), v (show all); an empty one declines. L4 wants "yes" in full, L5 the name of
// the tool. What does not fit the screen must have been shown by v before it can be
// approved. What was typed before a question appeared, or comes as more than one line,
// is discarded. Ctrl-C, Ctrl-D and a terminal that goes away refuse all that is left.
//
// Use one Terminal in a program: two would read each other's keys.
func New(opts *Options) approval.Approver {
	t := &terminal{turn: make(chan struct{}, 1)}
	if opts != nil {
		t.opts = *opts
	}
	if t.opts.Principal == (toolspec.Principal{}) {
		t.opts.Principal = toolspec.Principal{Subject: "local", Via: "terminal"}
	}
	if t.opts.Arm <= 0 {
		t.opts.Arm = terminalArm
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
	// read waits a short time for input. No bytes and no error: none came. io.EOF:
	// the terminal is gone, or no longer this program's.
	read(p []byte) (int, error)
	// write ends soon after ctx does, also when the output is not read.
	write(ctx context.Context, p []byte) error
	// raw gives every key as it is pressed, without echo; cooked is as it was.
	raw() error
	cooked() error
	// discard drops what was typed and not read.
	discard() error
	width() int
	// run starts a program at the terminal and waits for it.
	run(ctx context.Context, command []string) error
	close()
}

var (
	errInterrupted = errors.New("interrupted") // Ctrl-C or Ctrl-D
	errSeveral     = errors.New("more than one line at once")
)

// Ask asks about one request after the other.
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
	defer func() { _ = c.cooked() }() // a terminal that is gone needs nothing put back

	s := &sitting{terminal: t, console: c}
	order := slices.Clone(requests)
	slices.SortStableFunc(order, func(a, b approval.Request) int {
		switch {
		case a.Level.Exceeds(b.Level):
			return -1
		case b.Level.Exceeds(a.Level):
			return 1
		}
		return 0
	})
	var decisions []approval.Decision
	for i := range order {
		place := ""
		if len(order) > 1 {
			place = fmt.Sprintf(" (%d/%d)", i+1, len(order))
		}
		d, err := s.ask(ctx, &order[i], place)
		switch {
		case errors.Is(err, errInterrupted):
			s.say("cancelled")
			for _, r := range order[i:] {
				decisions = append(decisions, approval.Decision{Request: r.ID, Outcome: approval.Cancelled, By: t.opts.Principal, Via: "terminal"})
			}
			return decisions, nil
		case ctx.Err() != nil:
			s.say(closing(ctx))
			return decisions, ctx.Err()
		case errors.Is(err, io.EOF):
			return decisions, fmt.Errorf("%w: the terminal went away", approval.ErrUnavailable)
		case err != nil:
			return decisions, fmt.Errorf("approval: ask at the terminal: %w", err)
		}
		s.say(string(d.Outcome))
		decisions = append(decisions, d)
	}
	return decisions, nil
}

// closing says why a question is closed without an answer from here.
func closing(ctx context.Context) string {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return "the time is up: not approved here"
	}
	return "closed: answered elsewhere, or no longer wanted"
}

// sitting is one use of an open terminal.
type sitting struct {
	*terminal
	console console
	ahead   []byte // read and not yet processed
}

// say writes a last line, also when the context of the question has ended.
func (s *sitting) say(text string) {
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	_ = s.console.write(ctx, []byte("\r\n= "+text+"\r\n")) // an error means that the terminal is gone: nothing is lost
}

// ask puts one question until it is answered.
func (s *sitting) ask(ctx context.Context, r *approval.Request, place string) (approval.Decision, error) {
	q := newSheet(r, s.opts.Redactor)
	d := approval.Decision{Request: r.ID, By: s.opts.Principal, Via: "terminal"}
	note := ""
	for {
		if err := s.show(ctx, q, place, note); err != nil {
			return d, err
		}
		note = ""
		line, err := s.line(ctx)
		if errors.Is(err, errSeveral) {
			note = "That was more than one line at once: nothing of it counts."
			continue
		}
		if err != nil {
			return d, err
		}
		switch word, rest := split(line); {
		case word == "" || word == "n" || word == "no":
			d.Outcome, d.Reason = approval.Declined, rest
			return d, nil
		case word == "r":
			d.Outcome, d.Reason = approval.Declined, rest
			if rest == "" {
				d.Reason, err = s.prompt(ctx, "Reason, for the model: ")
			}
			if err != nil && !errors.Is(err, errSeveral) {
				return d, err
			}
			return d, nil
		case rest != "":
			note = "That is no answer: one letter is enough, and r takes a reason."
		case word == "v":
			q.whole = true
		case word == "e" && q.editable():
			if note, err = s.edit(ctx, q); err != nil {
				return d, err
			}
		case q.scope(word) == "":
			note = "That is no answer."
		case !q.seen:
			note = "Not all of the arguments have been shown: v shows them."
		default:
			typed, sure, err := s.confirm(ctx, q, word)
			if err != nil {
				return d, err
			}
			if !sure {
				note = "Not approved: that was not what was to be typed."
				continue
			}
			d.Outcome, d.Scope, d.Confirm, d.Arguments = approval.Approved, q.scope(word), typed, q.edited
			return d, nil
		}
	}
}

// confirm asks once more from L4 on, and where a name must be typed. It returns
// the name.
func (s *sitting) confirm(ctx context.Context, q *sheet, word string) (name string, sure bool, err error) {
	want := q.request.Confirm
	switch {
	case want != "":
	case q.request.Level.Exceeds(toolspec.L3) && word != "yes":
		want = "yes"
	default:
		return "", true, nil
	}
	for _, change := range q.request.Changes {
		if err := s.lines(ctx, q.redact.String(change)); err != nil {
			return "", false, err
		}
	}
	typed, err := s.prompt(ctx, "The risk is "+q.request.Level.Label()+". To approve, type "+termtext.Escape(want)+": ")
	if errors.Is(err, errSeveral) {
		err = nil
	}
	return q.request.Confirm, err == nil && typed == want, err
}

// prompt asks for one more line.
func (s *sitting) prompt(ctx context.Context, text string) (string, error) {
	if err := s.console.write(ctx, []byte(text)); err != nil {
		return "", err
	}
	return s.line(ctx)
}

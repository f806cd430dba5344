package terminal

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/asking"
)

// sitting is one use of an open terminal. It implements [asking.Face].
type sitting struct {
	*terminal
	console console
	ahead   []byte // bytes read but not yet processed
}

var _ asking.Face = (*sitting)(nil)

func (s *sitting) Columns() int { return s.console.width() - 1 }

// Answer writes the card, discards everything that was typed before the card was
// displayed, and reads a line.
func (s *sitting) Answer(ctx context.Context, c *asking.Card) (word, rest string, err error) {
	if err := s.Print(ctx, append([]string{""}, c.Rows(s.Columns(), s.clock.Now())...)...); err != nil {
		return "", "", err
	}
	if err := s.arm(ctx); err != nil {
		return "", "", err
	}
	line, err := s.Line(ctx, c.Choices()+" (no)> ", true)
	word, rest = asking.Answer(line)
	return word, rest, err
}

// Line asks for one line. Several lines at once count as a paste.
func (s *sitting) Line(ctx context.Context, label string, _ bool) (string, error) {
	if err := s.console.write(ctx, []byte(label)); err != nil {
		return "", err
	}
	return s.line(ctx)
}

func (s *sitting) Print(ctx context.Context, rows ...string) error {
	return s.console.write(ctx, []byte(strings.Join(rows, "\r\n")+"\r\n"))
}

// Edit runs the editor, or asks for the arguments as one line.
func (s *sitting) Edit(ctx context.Context, text string) (string, error) {
	if command := strings.Fields(s.opts.Editor); len(command) > 0 {
		return asking.EditFile(ctx, command, text, s.console.run)
	}
	line, err := s.Line(ctx, "All arguments as one line of JSON (empty: leave them): ", true)
	if errors.Is(err, asking.ErrPasted) {
		return "", &asking.NotEditedError{Err: err}
	}
	return line, err
}

func (s *sitting) Decided(_ *asking.Card, outcome approval.Outcome) { s.say(string(outcome)) }

// say writes a last line, even if the context of the question has ended.
func (s *sitting) say(text string) {
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	_ = s.console.write(ctx, []byte("\r\n= "+text+"\r\n")) // an error means that the terminal is gone: nothing is lost
}

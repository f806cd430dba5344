package advisor

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/llm"
)

// redactWindow is the length in bytes up to which a secret is masked even if the model writes it in several pieces.
const redactWindow = 256

// Redact masks the output of the model: text, reasoning and refusals, in the stream and in the complete message. mask returns a masked
// text, like the String method of a secret.Redactor. It must mask two parts of a text in the same way as the whole, unless the text is
// split within a secret.
//
// A secret that arrives in several pieces is masked too: the last 256 bytes of a text are held back until more text or its end arrives.
// A secret longer than that may be shown. The memory and the store get the masked text. Tool calls and their results are not changed.
//
// Its name is "redact" and its order [OrderRedact].
func Redact(mask func(string) string) Advisor {
	return New("redact", OrderRedact, func(ctx context.Context, req *chat.Request, next chat.Handler) chat.Stream {
		return func(yield func(chat.Event, error) bool) {
			if mask == nil {
				yield(nil, fmt.Errorf("the function that masks is nil: %w", llm.ErrInvalid))
				return
			}
			r := &redaction{mask: mask, yield: yield}
			for ev, err := range next.Handle(ctx, req) {
				if err != nil {
					yield(nil, err)
					return
				}
				if !r.event(ev) {
					return
				}
			}
		}
	})
}

// redaction is the state of masking the answer to one request.
type redaction struct {
	mask  func(string) string
	yield func(chat.Event, error) bool

	open   func(string) chat.Event // creates a delta event of the open part; nil: no part is open
	round  int
	held   string          // the text of the open part that is not yet shown
	shown  strings.Builder // the masked text of the open part shown so far
	masked []string        // the complete parts of the message, in order
}

// event passes an event on. It returns false if the consumer stopped.
func (r *redaction) event(ev chat.Event) bool {
	switch e := ev.(type) {
	case *chat.TextDelta:
		return r.piece(e.Text, e.Header().Round, func(s string) chat.Event { return &chat.TextDelta{Text: s} })
	case *chat.ReasoningDelta:
		return r.piece(e.Text, e.Header().Round, func(s string) chat.Event { return &chat.ReasoningDelta{Text: s} })
	case *chat.RefusalDelta:
		return r.piece(e.Text, e.Header().Round, func(s string) chat.Event { return &chat.RefusalDelta{Text: s} })
	case *chat.Heartbeat:
		return r.yield(ev, nil)
	case *chat.ModelRetry:
		if e.Reset {
			r.drop()
		}
	case *chat.ReasoningEnd:
		if !r.flush() {
			return false
		}
		own := *e
		if len(r.masked) > 0 {
			own.Chars = utf8.RuneCountInString(r.masked[len(r.masked)-1])
		}
		return r.yield(&own, nil)
	case *chat.MessageCompleted:
		if !r.flush() {
			return false
		}
		return r.yield(r.message(e), nil)
	}
	return r.flush() && r.yield(ev, nil)
}

// piece adds text to a part, and shows the text that cannot be the beginning of a secret.
func (r *redaction) piece(text string, round int, delta func(string) chat.Event) bool {
	r.open, r.round = delta, round
	r.held += text
	cut := r.cut()
	if cut == 0 {
		return true
	}
	ready := r.mask(r.held[:cut])
	r.held = r.held[cut:]
	return r.show(ready)
}

// cut returns an offset in the held text, at least redactWindow before its end, at which the text can be split without
// splitting a masked secret; 0: there is none.
func (r *redaction) cut() int {
	last := len(r.held) - redactWindow
	if last <= 0 {
		return 0
	}
	for last > 0 && !utf8.RuneStart(r.held[last]) {
		last--
	}
	space := strings.LastIndexFunc(r.held[:last], unicode.IsSpace)
	whole := r.mask(r.held)
	for _, at := range []int{last, space} {
		if at > 0 && r.mask(r.held[:at])+r.mask(r.held[at:]) == whole {
			return at
		}
	}
	return 0
}

func (r *redaction) show(masked string) bool {
	r.shown.WriteString(masked)
	if masked == "" {
		return true
	}
	ev := r.open(masked)
	ev.Header().Round = r.round
	return r.yield(ev, nil)
}

// flush shows the rest of the open part, and closes the part.
func (r *redaction) flush() bool {
	if r.open == nil {
		return true
	}
	rest := r.mask(r.held)
	r.held = ""
	more := r.show(rest)
	r.masked = append(r.masked, r.shown.String())
	r.shown.Reset()
	r.open = nil
	return more
}

// drop discards the text of the message, because the model starts it again.
func (r *redaction) drop() {
	r.open, r.held, r.masked = nil, "", nil
	r.shown.Reset()
}

// message returns a complete message with the texts that were shown.
func (r *redaction) message(e *chat.MessageCompleted) *chat.MessageCompleted {
	own := *e
	if e.Role != llm.RoleAssistant {
		return &own
	}
	if e.Message != nil {
		m := e.Message.Clone()
		parts := r.masked
		shown := func(s string) string {
			if s == "" || len(parts) == 0 {
				return r.mask(s)
			}
			s, parts = parts[0], parts[1:]
			return s
		}
		for i, p := range m.Parts {
			switch p := p.(type) {
			case llm.Text:
				p.Text = shown(p.Text)
				m.Parts[i] = p
			case llm.Reasoning:
				p.Text = shown(p.Text)
				m.Parts[i] = p
			case llm.Refusal:
				p.Text = shown(p.Text)
				m.Parts[i] = p
			}
		}
		own.Message, own.Content = &m, m.Text()
	} else {
		own.Content = r.mask(e.Content)
	}
	r.masked = nil
	return &own
}

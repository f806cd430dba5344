package terminal

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/localpass/localpass/internal/asking"
	"github.com/localpass/localpass/internal/termtext"
)

// maxLine is the maximum length of a typed line, in bytes.
const maxLine = 64 << 10

// The keys with a function.
const (
	keyInterrupt = 0x03
	keyEnd       = 0x04
	keyBackspace = 0x08
	keyLineFeed  = '\n'
	keyReturn    = '\r'
	keyKill      = 0x15
	keyEscape    = 0x1b
	keyDelete    = 0x7f
)

// arm discards typed keys for a short time. Ctrl-C takes effect immediately, because it
// can only refuse.
func (s *sitting) arm(ctx context.Context) error {
	s.ahead = nil
	if err := s.console.discard(); err != nil {
		return err
	}
	var p [256]byte
	for end := time.Now().Add(s.opts.Arm); time.Now().Before(end); {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := s.console.read(p[:])
		if err != nil {
			return err
		}
		if strings.IndexByte(string(p[:n]), keyInterrupt) >= 0 {
			return asking.ErrInterrupted
		}
	}
	return nil
}

// line reads a typed line. If more than one line arrives at once, all input is discarded,
// because pasted text is not an answer.
func (s *sitting) line(ctx context.Context) (string, error) {
	var text []byte
	for {
		key, err := s.key(ctx)
		if err != nil {
			return "", err
		}
		echo := ""
		switch {
		case key == keyReturn || key == keyLineFeed:
			rest := s.ahead
			if key == keyReturn && len(rest) > 0 && rest[0] == keyLineFeed {
				rest = rest[1:]
			}
			s.ahead = nil
			if err := s.console.write(ctx, []byte("\r\n")); err != nil {
				return "", err
			}
			if len(rest) > 0 {
				return "", asking.ErrPasted
			}
			return strings.TrimSpace(string(text)), nil
		case key == keyInterrupt, key == keyEnd && len(text) == 0:
			return "", asking.ErrInterrupted
		case key == keyBackspace || key == keyDelete:
			_, size := utf8.DecodeLastRune(text)
			text = text[:len(text)-size]
			switch size {
			case 0:
			case 1:
				echo = "\b \b"
			default: // the width of the character is unknown
				echo = "\r\n> " + termtext.Escape(string(text))
			}
		case key == keyKill:
			text, echo = nil, "\r\n> "
		case key < ' ' || key == utf8.RuneError || len(text) >= maxLine:
		default:
			text, echo = utf8.AppendRune(text, key), termtext.Escape(string(key))
		}
		if err := s.console.write(ctx, []byte(echo)); err != nil {
			return "", err
		}
	}
}

// key waits for a key. It skips escape sequences, such as those of arrow keys.
func (s *sitting) key(ctx context.Context) (rune, error) {
	var p [1024]byte
	for {
		if len(s.ahead) > 0 && s.ahead[0] == keyEscape {
			s.ahead = s.ahead[escapeLength(s.ahead):]
			continue
		}
		if len(s.ahead) > 0 && utf8.FullRune(s.ahead) {
			r, size := utf8.DecodeRune(s.ahead)
			s.ahead = s.ahead[size:]
			return r, nil
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n, err := s.console.read(p[:])
		if err != nil {
			return 0, err
		}
		s.ahead = append(s.ahead, p[:n]...)
	}
}

// escapeLength returns the length in bytes of an escape sequence, such as that of an
// arrow key, so that its bytes do not count as typed letters.
func escapeLength(p []byte) int {
	if len(p) < 2 || p[1] != '[' && p[1] != 'O' {
		return 1
	}
	for i := 2; i < len(p); i++ {
		if p[i] >= 0x40 && p[i] <= 0x7e {
			return i + 1
		}
	}
	return len(p)
}

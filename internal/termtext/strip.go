package termtext

import (
	"strings"
	"unicode/utf8"
)

// Strip removes from a text everything that a terminal would act on: control characters
// other than line feed and tab, and whole escape sequences, including those that begin
// with a C1 control. It writes characters that are invisible or change the direction of
// text as escapes, such as \u202e. The text may come in pieces; a sequence may be split
// anywhere. The zero value is ready to use. It is for one goroutine.
type Strip struct {
	state stripState
	tail  []byte // the beginning of a character that is not complete
}

type stripState uint8

const (
	stripText   stripState = iota
	stripEscape            // after ESC
	stripInter             // after ESC and an intermediate byte
	stripCSI               // until a final byte
	stripString            // OSC, DCS and similar: until BEL or ST
	stripStringEscape
)

// String returns the part of a piece that may be shown.
func (s *Strip) String(piece string) string {
	if s.state == stripText && len(s.tail) == 0 && plain(piece) {
		return piece
	}
	if len(s.tail) > 0 {
		piece = string(s.tail) + piece
		s.tail = s.tail[:0]
	}
	var b strings.Builder
	for i := 0; i < len(piece); {
		r, size := utf8.DecodeRuneInString(piece[i:])
		if r == utf8.RuneError && size == 1 && !utf8.FullRuneInString(piece[i:]) {
			s.tail = append(s.tail, piece[i:]...)
			break
		}
		i += size
		s.take(&b, r)
	}
	return b.String()
}

// Reset discards an unfinished sequence.
func (s *Strip) Reset() { s.state, s.tail = stripText, nil }

func (s *Strip) take(b *strings.Builder, r rune) {
	if r == '\n' { // a line feed ends an unfinished sequence, so that no sequence can swallow the text
		s.state = stripText
		b.WriteByte('\n')
		return
	}
	switch s.state {
	case stripText:
		s.text(b, r)
	case stripEscape:
		switch {
		case r == '[':
			s.state = stripCSI
		case r == ']', r == 'P', r == 'X', r == '^', r == '_':
			s.state = stripString
		case r >= 0x20 && r <= 0x2f:
			s.state = stripInter
		case r == 0x1b:
		default: // the final byte of a short sequence, or no sequence at all
			s.state = stripText
			if r < 0x30 || r > 0x7e {
				s.text(b, r)
			}
		}
	case stripInter, stripCSI:
		switch {
		case r == 0x1b:
			s.state = stripEscape
		case r >= 0x20 && r <= 0x2f, s.state == stripCSI && r >= 0x30 && r <= 0x3f: // intermediates and parameters
		case r >= 0x30 && r <= 0x7e: // the final byte
			s.state = stripText
		case r > 0x7e: // not part of a sequence: the sequence is broken off
			s.state = stripText
			s.text(b, r)
		}
	case stripString, stripStringEscape:
		switch {
		case r == 0x07 || r == 0x9c || s.state == stripStringEscape && r == '\\':
			s.state = stripText
		case r == 0x1b:
			s.state = stripStringEscape
		default:
			s.state = stripString
		}
	}
}

func (s *Strip) text(b *strings.Builder, r rune) {
	switch {
	case r == '\t':
		b.WriteByte('\t')
	case r == 0x1b:
		s.state = stripEscape
	case r < 0x20 || r == 0x7f:
	case r >= 0x80 && r <= 0x9f:
		switch r {
		case 0x9b:
			s.state = stripCSI
		case 0x90, 0x98, 0x9d, 0x9e, 0x9f:
			s.state = stripString
		}
	case unsafe(r):
		b.Write(appendEscape(nil, r))
	default:
		b.WriteRune(r)
	}
}

// Clean strips a whole text of everything that a terminal would act on.
func Clean(text string) string {
	var s Strip
	out := s.String(text)
	if len(s.tail) > 0 {
		out += "\ufffd"
	}
	return out
}

// Line is like [Clean], but writes line feeds and tabs as escapes, so that the result is
// one line.
func Line(text string) string {
	text = Clean(text)
	if !strings.ContainsAny(text, "\n\t") {
		return text
	}
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(text)
}

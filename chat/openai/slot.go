package openai

import (
	"bytes"
	"strings"

	"github.com/localpass/localpass/chat/internal/wire"
)

// slot is a call that is being put together.
type slot struct {
	index   int    // as the server counts; -1: it does not
	id      string // as it came
	name    string
	callID  string // as the deltas give it
	started bool
	ended   bool

	args []byte // as far as they are certain
	sent int    // of args
	mode argsMode
	// While it is not certain whether fragments continue or begin anew: their text if
	// they continue, and the last of them.
	joined, whole string
	seen          seen
	utf8          wire.UTF8
}

// argsMode says how a server sends arguments.
type argsMode uint8

const (
	argsNone   argsMode = iota // nothing has come
	argsFirst                  // one fragment has
	argsAppend                 // each fragment continues where the last one ended
	argsRepeat                 // each fragment is everything so far
	argsUnsure                 // it may be either
)

// push takes a fragment of the arguments. Most servers send what is new, some send
// everything so far each time: the second fragment shows it, since the continuation of
// a JSON text hardly begins with that text again.
func (s *slot) push(fragment string) {
	if fragment == "" {
		return
	}
	switch s.mode {
	case argsNone:
		s.args, s.mode = append(s.args, fragment...), argsFirst
		return
	case argsFirst:
		if s.repeats(fragment) && strings.HasPrefix(strings.TrimLeft(fragment, " \t\r\n"), "{") {
			joined := string(s.args) + fragment
			if progressOf(joined) == jsonWrong {
				s.args, s.mode = append(s.args, fragment[len(s.args):]...), argsRepeat
			} else {
				s.joined, s.whole, s.mode = joined, fragment, argsUnsure
			}
			return
		}
		s.mode = argsAppend
	case argsRepeat:
		switch {
		case s.repeats(fragment):
			s.args = append(s.args, fragment[len(s.args):]...)
			return
		case strings.HasPrefix(string(s.args), fragment):
			return
		}
	case argsUnsure:
		s.joined += fragment
		switch {
		case !strings.HasPrefix(fragment, s.whole):
			s.settle(s.joined, argsAppend)
		case progressOf(s.joined) == jsonWrong:
			s.settle(fragment, argsRepeat)
		default:
			s.whole = fragment
		}
		return
	}
	if s.repeats(fragment) && s.complete() {
		return // everything once more, at the end
	}
	s.args = append(s.args, fragment...)
}

// repeats reports whether a fragment begins with everything so far.
func (s *slot) repeats(fragment string) bool {
	return len(fragment) >= len(s.args) && fragment[:len(s.args)] == string(s.args)
}

// seen is how far the arguments were read to find their end, and what was found:
// they come in small pieces, and are not read again for each.
type seen struct {
	bytes, open     int
	quoted, escaped bool
	done            bool // they are one JSON text up to here
	wrong           bool // they will never be one
}

// settle ends the doubt: both readings begin with args.
func (s *slot) settle(text string, mode argsMode) {
	s.args, s.mode, s.seen = append(s.args[:0], text...), mode, seen{}
	s.joined, s.whole = "", ""
}

// close settles what is open at the end.
func (s *slot) close() {
	if s.mode != argsUnsure {
		return
	}
	if progressOf(s.joined) == jsonComplete {
		s.settle(s.joined, argsAppend)
		return
	}
	s.settle(s.whole, argsRepeat)
}

// complete reports whether the arguments are one JSON text.
func (s *slot) complete() bool {
	if s.mode == argsUnsure || len(s.args) == 0 {
		return false
	}
	at := &s.seen
	for ; at.bytes < len(s.args); at.bytes++ {
		c := s.args[at.bytes]
		switch blank := c == ' ' || c == '\t' || c == '\r' || c == '\n'; {
		case at.done && !blank:
			at.done, at.wrong = false, true
		case at.escaped:
			at.escaped = false
		case at.quoted && c == '\\':
			at.escaped = true
		case c == '"':
			at.quoted = !at.quoted
		case at.quoted:
		case c == '{' || c == '[':
			at.open++
		case c == '}' || c == ']':
			at.open--
			if at.open <= 0 && !at.done && !at.wrong {
				at.done = progressOf(string(s.args[:at.bytes+1])) == jsonComplete
				at.wrong = !at.done
			}
		}
	}
	if c := bytes.TrimLeft(s.args, " \t\r\n"); len(c) > 0 && c[0] != '{' && c[0] != '[' { // no arguments of a tool
		return !at.quoted && len(c) < 1000 && progressOf(string(c)) == jsonComplete
	}
	return at.done
}

package openai

import (
	"bytes"
	"strings"

	"github.com/localpass/localpass/chat/internal/wire"
)

// slot is a call that is being assembled.
type slot struct {
	index   int    // index from the server; -1 if it sends none
	id      string // as received
	name    string
	callID  string // as sent in deltas
	started bool
	ended   bool

	args []byte // the certain part of the arguments
	sent int    // how many bytes of args were sent
	mode argsMode
	// While it is uncertain whether fragments continue the text or repeat it: joined is
	// their text if they continue, and whole is the last fragment.
	joined, whole string
	seen          seen
	utf8          wire.UTF8
}

// argsMode says how a server sends arguments.
type argsMode uint8

const (
	argsNone   argsMode = iota // no fragment has arrived
	argsFirst                  // one fragment has arrived
	argsAppend                 // each fragment continues where the last one ended
	argsRepeat                 // each fragment contains everything so far
	argsUnsure                 // either append or repeat
)

// push adds a fragment of the arguments. Most servers send only the new part; some send
// everything so far each time. The second fragment shows which, since the continuation of
// a JSON text hardly ever begins with that text again.
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
		return // all arguments repeated at the end
	}
	s.args = append(s.args, fragment...)
}

// repeats reports whether a fragment begins with all arguments so far.
func (s *slot) repeats(fragment string) bool {
	return len(fragment) >= len(s.args) && fragment[:len(s.args)] == string(s.args)
}

// seen is the state of the search for the end of the arguments: how far they were read,
// and the result. It avoids reading all arguments again for each small piece.
type seen struct {
	bytes, open     int
	quoted, escaped bool
	done            bool // the arguments so far are one complete JSON text
	wrong           bool // the arguments cannot become valid JSON
}

// settle decides between the two interpretations, both of which begin with args.
func (s *slot) settle(text string, mode argsMode) {
	s.args, s.mode, s.seen = append(s.args[:0], text...), mode, seen{}
	s.joined, s.whole = "", ""
}

// close decides an open interpretation at the end.
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
	if c := bytes.TrimLeft(s.args, " \t\r\n"); len(c) > 0 && c[0] != '{' && c[0] != '[' { // cannot be the arguments of a tool
		return !at.quoted && len(c) < 1000 && progressOf(string(c)) == jsonComplete
	}
	return at.done
}

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
	callID  string // as it is told
	started bool
	ended   bool

	args []byte // as far as they are certain
	sent int    // of args
	mode argsMode
	// While it is not certain whether fragments go on or begin anew: what they are
	// when they go on, and the last of them.
	joined, whole string
	measured      int // the length of args at which done was found out
	done          bool
	utf8          wire.UTF8
}

// argsMode says how a server sends arguments.
type argsMode uint8

const (
	argsNone   argsMode = iota // nothing has come
	argsFirst                  // one fragment has
	argsAppend                 // each fragment goes on where the last one ended
	argsRepeat                 // each fragment is everything so far
	argsUnsure                 // it may be either
)

// push takes a fragment of the arguments. Most servers send what is new, some send
// everything so far each time: the second fragment shows it, since a JSON text
// that goes on hardly begins with itself.
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

// settle ends the doubt: both readings begin with args.
func (s *slot) settle(text string, mode argsMode) {
	s.args, s.mode = append(s.args[:0], text...), mode
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
	if end := bytes.TrimRight(s.args, " \t\r\n"); s.args[0] == '{' && end[len(end)-1] != '}' {
		return false // as it is most of the time: long arguments are not read again and again
	}
	if s.measured != len(s.args) {
		s.measured, s.done = len(s.args), progressOf(string(s.args)) == jsonComplete
	}
	return s.done
}

package openai

import (
	"slices"
	"strings"

	"github.com/localpass/localpass/chat/llm"
)

// fragment handles a piece of a call.
func (a *assembler) fragment(f *fragment) {
	s := a.slotFor(f)
	if s.id == "" && !s.started {
		s.id = f.id
	}
	a.name(s, f.name)
	s.push(f.args)
	a.pump(false)
}

// slotFor returns the call that a fragment belongs to, or begins a new one. It decides by
// the index, then the id, then the name, since servers may omit any of them, give every
// call the same index, or every fragment a different id.
func (a *assembler) slotFor(f *fragment) *slot {
	var s *slot
	for _, have := range slices.Backward(a.calls.slots) {
		if f.index >= 0 && have.index >= 0 && have.index != f.index {
			continue
		}
		if f.id != "" && have.id == f.id {
			s = have
			break
		}
		if s == nil && (f.index >= 0 || f.id == "") {
			s = have // the last possible one, unless a call has the same id
			if f.id == "" {
				break
			}
		}
	}
	if s == nil && f.name == "" && len(a.calls.slots) > 0 {
		s = a.calls.slots[len(a.calls.slots)-1] // a fragment without a name does not begin a call
	}
	if s == nil || a.another(s, f) {
		s = &slot{index: f.index}
		a.calls.slots = append(a.calls.slots, s)
	}
	return s
}

// another reports whether a fragment begins a new call although it seems to belong to s.
func (a *assembler) another(s *slot, f *fragment) bool {
	if f.name == "" {
		return false
	}
	switch {
	case f.id != "" && s.id != "" && f.id != s.id:
		// Unless it is a middle part of the same call with yet another id.
		return f.name != s.name || f.args == "" || s.mode == argsNone || s.complete() || f.args[0] == '{'
	case f.id != "" && f.id == s.id:
		return f.name != s.name && s.complete()
	case s.name == "":
		return false
	case f.name != s.name && f.index < 0:
		return !a.joins(s, f.name)
	case !s.complete():
		return false
	}
	return f.name != s.name || !s.repeats(f.args) && progressOf(f.args) == jsonComplete
}

// name handles a piece of a name. Servers send the name once, in each fragment, or in
// pieces before the arguments.
func (a *assembler) name(s *slot, piece string) {
	switch {
	case piece == "" || piece == s.name || s.started:
	case s.name == "":
		s.name = piece
	case a.joins(s, piece):
		s.name += piece
	case strings.HasPrefix(piece, s.name) && a.begins(piece): // the whole name so far, longer each time
		s.name = piece
	case !slices.Contains(a.calls.offered, s.name) && s.mode == argsNone:
		s.name += piece
	}
}

// joins reports whether a piece continues the name of a call.
func (a *assembler) joins(s *slot, piece string) bool {
	return s.mode == argsNone && !s.started && a.begins(s.name+piece)
}

// begins reports whether the name of an offered tool begins with name.
func (a *assembler) begins(name string) bool {
	return slices.ContainsFunc(a.calls.offered, func(o string) bool { return strings.HasPrefix(o, name) })
}

// certain reports whether the name of a call is complete.
func (a *assembler) certain(s *slot) bool {
	if s.name == "" {
		return false
	}
	if s.mode != argsNone {
		return true
	}
	known := false
	for _, o := range a.calls.offered {
		switch {
		case o == s.name:
			known = true
		case strings.HasPrefix(o, s.name):
			return false
		}
	}
	return known
}

// pump emits what is known of the calls, in their order: the first call that has not
// ended is emitted as it arrives, and the others wait. A call ends when the next one has
// started and its own arguments are complete, or when the answer ends.
func (a *assembler) pump(end bool) {
	for a.calls.next < len(a.calls.slots) && !a.sink.stopped {
		s := a.calls.slots[a.calls.next]
		if end {
			s.close()
			if !s.started && s.name == "" && s.id == "" && len(s.args) == 0 {
				s.ended = true // an empty call
				a.calls.next++
				continue
			}
		}
		if !s.started {
			if !end && !a.certain(s) {
				return
			}
			a.startCall(s)
		}
		if s.sent < len(s.args) {
			text := s.utf8.Push(string(s.args[s.sent:]))
			s.sent = len(s.args)
			if text != "" {
				a.send(llm.Delta{Kind: llm.DeltaToolArgs, CallID: s.callID, Index: a.calls.next, Text: text})
			}
		}
		if !end && (a.calls.next == len(a.calls.slots)-1 || !s.complete()) {
			return
		}
		a.endCall(s)
	}
}

func (a *assembler) startCall(s *slot) {
	s.started = true // set first, since settle emits text before the call
	next := a.calls.next
	a.calls.next = len(a.calls.slots) // so that the text does not wait for this call
	a.settle()
	a.calls.next = next
	a.sink.open = llm.DeltaToolStart
	s.name = strings.ToValidUTF8(s.name, "\uFFFD")
	s.callID = strings.ToValidUTF8(s.id, "\uFFFD") // s.id stays unchanged, to compare with later fragments
	if s.id == "" || slices.ContainsFunc(a.calls.slots, func(other *slot) bool { return other != s && other.callID == s.callID }) {
		s.callID = a.calls.newID(a.calls.next)
	}
	a.calls.emitted++
	a.send(llm.Delta{Kind: llm.DeltaToolStart, CallID: s.callID, Name: a.calls.names.own(s.name), Index: a.calls.next})
}

func (a *assembler) endCall(s *slot) {
	if text := s.utf8.Flush(); text != "" {
		a.send(llm.Delta{Kind: llm.DeltaToolArgs, CallID: s.callID, Index: a.calls.next, Text: text})
	}
	s.ended = true
	a.calls.next++
	a.send(llm.Delta{Kind: llm.DeltaToolEnd, CallID: s.callID, Index: a.calls.next - 1})
}

package dom

import "errors"

// Limits bounds one document. A zero field means its default.
type Limits struct {
	// Bytes of one text to parse. Default 10 MiB (Safe Tool Specification
	// sheet, section 7.4).
	Bytes int
	// Nodes of the document: elements, texts, comments, also those appended
	// later. Attributes are bounded by the same number, roughly. Default
	// 500,000 (section 7.4).
	Nodes int
	// Depth of the tree. Default 1,024, twice what the HTML parser itself
	// accepts in one text, since markup can be appended to a deep element.
	Depth int
	// Output is the longest text or markup that is made in one call, in bytes,
	// and how much may be added to a document after it was parsed. Default 64
	// MiB, the sandbox's bound for strings (section 9).
	Output int
	// Selector is the longest selector, in bytes. Default 4,096.
	Selector int
}

// WithDefaults returns l with every zero field set.
func (l Limits) WithDefaults() Limits {
	set := func(field *int, value int) {
		if *field <= 0 {
			*field = value
		}
	}
	set(&l.Bytes, 10<<20)
	set(&l.Nodes, 500_000)
	set(&l.Depth, 1024)
	set(&l.Output, 64<<20)
	set(&l.Selector, 4096)
	return l
}

// Errors of this package. They arrive wrapped, with what was too much.
var (
	// ErrStopped reports that the run ended in the middle.
	ErrStopped = errors.New("dom: stopped")
	// ErrLimit reports that a limit was passed.
	ErrLimit = errors.New("dom: limit")
	// ErrSelector reports a selector that cannot be read.
	ErrSelector = errors.New("dom: invalid selector")
	// ErrNoParent reports that markup was to be put beside a node without a
	// parent.
	ErrNoParent = errors.New("dom: the element has no parent")
)

// pollEvery is how many steps of a walk pass between two checks whether to
// stop: some tens of microseconds.
const pollEvery = 4096

// meter counts the steps of a walk.
type meter struct {
	stopped func() bool
	steps   int
	err     error
}

// cost counts several steps at once: what takes as long as they do.
func (m *meter) cost(steps int) bool {
	before := m.steps / pollEvery
	if m.steps += steps; m.steps/pollEvery != before && m.err == nil && m.stopped != nil && m.stopped() {
		m.err = ErrStopped
	}
	return m.err == nil
}

// step counts one step and reports whether to continue.
func (m *meter) step() bool {
	if m.steps++; m.steps%pollEvery == 0 && m.err == nil && m.stopped != nil && m.stopped() {
		m.err = ErrStopped
	}
	return m.err == nil
}

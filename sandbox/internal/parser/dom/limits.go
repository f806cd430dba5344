package dom

import "errors"

// Limits holds the limits of one document. A zero field means its default.
type Limits struct {
	// Bytes is the maximum length of one text to parse. Default 10 MiB (Safe Tool
	// Specification sheet, section 7.4).
	Bytes int
	// Nodes is the maximum number of nodes in the document: elements, texts and comments,
	// including those added later. The number of attributes is limited to roughly the
	// same value. Default 500,000 (section 7.4).
	Nodes int
	// Depth is the maximum depth of the tree. Default 1,024, which is twice what the HTML
	// parser accepts in one text, since markup can be added to a deeply nested element.
	Depth int
	// Output is the maximum length of the text or markup that one call generates, in
	// bytes, and also of the text that may be added to a document after parsing. Default
	// 64 MiB, the limit of the sandbox for strings (section 9).
	Output int
	// Selector is the maximum length of a selector, in bytes. Default 4,096.
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

// Errors of this package. They are returned wrapped, with details such as the exceeded
// limit.
var (
	// ErrStopped reports that the run ended during the operation.
	ErrStopped = errors.New("dom: stopped")
	// ErrLimit reports that a limit was exceeded.
	ErrLimit = errors.New("dom: limit")
	// ErrSelector reports an invalid selector.
	ErrSelector = errors.New("dom: invalid selector")
	// ErrNoParent reports that markup was to be inserted before a node that has no
	// parent.
	ErrNoParent = errors.New("dom: the element has no parent")
)

// pollEvery is the number of steps of a walk between two checks whether to stop: some
// tens of microseconds.
const pollEvery = 4096

// meter counts the steps of a walk.
type meter struct {
	stopped func() bool
	steps   int
	err     error
}

// cost counts an operation that takes as long as the given number of steps, and reports
// whether to continue.
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

package termtext

import (
	"io"
	"sync"
	"unicode/utf8"
)

// Writer prints text to a terminal, a file or a pipe, and neutralises everything that a
// terminal would act on: it writes control characters other than line feed and tab, and
// characters that reverse or hide text, as escapes such as \u001b; a byte that is not
// UTF-8 becomes U+FFFD. JSON keeps its value. A character may be split over several
// writes. Writers are safe for concurrent use.
type Writer struct {
	mu   sync.Mutex
	w    io.Writer
	tail []byte // the beginning of a character that is not complete
	out  []byte
}

// NewWriter returns a Writer that prints to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write prints p. On an error of the underlying writer it returns that error and reports
// no byte of p as written.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.tail) == 0 && plain(p) {
		return w.w.Write(p)
	}
	text := p
	if len(w.tail) > 0 {
		text = append(w.tail, p...)
	}
	out := w.out[:0]
	for len(text) > 0 && utf8.FullRune(text) {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		if r == '\n' || r == '\t' || !unsafe(r) {
			out = utf8.AppendRune(out, r)
		} else {
			out = appendEscape(out, r)
		}
	}
	w.tail = append([]byte(nil), text...)
	if cap(out) <= maxKept {
		w.out = out
	}
	if len(out) > 0 {
		if _, err := w.w.Write(out); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// maxKept is the size up to which a buffer is kept for the next write, in bytes.
const maxKept = 64 << 10

// Flush prints the beginning of a character that was never completed, as U+FFFD.
// A program calls it when it has printed everything.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.tail) == 0 {
		return nil
	}
	n := len(w.tail)
	w.tail = nil
	for range n { // one U+FFFD for each invalid byte that a decoder would find
		if _, err := io.WriteString(w.w, "\ufffd"); err != nil {
			return err
		}
	}
	return nil
}

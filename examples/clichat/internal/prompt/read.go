package prompt

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/localpass/localpass/examples/clichat/internal/render"
)

var (
	// ErrInterrupted reports that Ctrl-C was pressed: twice on an empty line, or once if
	// Options.Single is set.
	ErrInterrupted = errors.New("prompt: interrupted")
	// ErrPasted reports that a line was pasted although it had to be typed.
	ErrPasted = errors.New("prompt: this has to be typed")
)

// again is the maximum time between the two presses of Ctrl-C.
const again = 2 * time.Second

// Options are the options of [Terminal.Read]. The zero value works.
type Options struct {
	// Prompt is shown before the text.
	Prompt string
	Theme  render.Theme
	// Initial is the initial text.
	Initial string
	// History is the history that Up and Ctrl-R use; nil: none.
	History *History
	// Complete returns the candidates that may replace the text between the byte offset
	// from and the cursor; nil: no completion.
	Complete func(text string, cursor int) (from int, candidates []string)
	// Notices are lines to show above the text as they arrive.
	Notices <-chan string
	// Single asks for one line: Enter ends it, Ctrl-C gives ErrInterrupted.
	Single bool
	// Typed refuses a paste with ErrPasted.
	Typed bool
	// Redraw is called after the screen was cleared.
	Redraw func()
}

// reading is the state of one Read.
type reading struct {
	t    *Terminal
	opts *Options
	buf  buffer

	at    int    // the index in the history; its length: the text being written
	draft string // the text being written, while a history entry is shown
	menu  menu

	searching bool
	query     string
	found     int

	hint   string
	quitBy time.Time // a second Ctrl-C before this time ends the reading

	above   int   // the number of rows above the row of the cursor
	widths  []int // the widths of the rows on the screen
	cursor  int   // the column of the cursor
	columns int
}

// Read lets the user write a message and returns it. The error is io.EOF at the end of
// input (Ctrl-D on an empty line, or the terminal is gone), ErrInterrupted, ErrPasted, or
// the error of ctx. opts may be nil.
func (t *Terminal) Read(ctx context.Context, opts *Options) (string, error) {
	if opts == nil {
		opts = &Options{}
	}
	r := &reading{t: t, opts: opts}
	if opts.History == nil {
		own := *opts
		own.History = &History{}
		r.opts = &own
	}
	r.at = len(r.opts.History.all)
	r.buf.set(opts.Initial)
	r.draw()
	keys := t.ahead
	t.ahead = nil
	for {
		for i, k := range keys {
			text, done, err := r.key(k)
			if done {
				t.ahead = append(t.ahead, keys[i+1:]...)
				r.leave()
				return text, err
			}
		}
		r.draw()
		keys = nil
		select {
		case in := <-t.Input():
			keys = t.Keys(in)
		case notice := <-r.opts.Notices:
			r.clear()
			_ = t.emit(strings.ReplaceAll(notice, "\n", "\r\n") + "\r\n") // an error means that the terminal is gone: nothing is lost
		case <-t.Resized():
		case <-ctx.Done():
			r.leave()
			return "", ctx.Err()
		}
	}
}

// key executes a key.
func (r *reading) key(k Key) (text string, done bool, err error) {
	r.hint = ""
	if r.searching {
		if r.search(k) {
			return "", false, nil
		}
	}
	if k.Code != Tab && k.Code != BackTab {
		r.menu = menu{}
	}
	switch k.Code {
	case Gone:
		return "", true, io.EOF
	case Enter:
		if r.opts.Single || !r.buf.open() {
			return message(r.buf.String()), true, nil
		}
		r.buf.insert("\n")
	case Interrupt:
		if r.opts.Single {
			return "", true, ErrInterrupted
		}
		return "", r.interrupt(), ErrInterrupted
	case EOF:
		if len(r.buf.text) == 0 {
			return "", true, io.EOF
		}
		r.buf.edit(Key{Code: Delete})
	case Suspend:
		r.leave()
		_ = r.t.Stop() // after an error the terminal is unchanged
	case Redraw:
		_ = r.t.emit("\x1b[2J\x1b[H")
		r.above, r.widths = 0, nil
		if r.opts.Redraw != nil {
			r.opts.Redraw()
		}
	case Tab, BackTab:
		r.complete(k.Code == BackTab)
	case Search:
		if !r.opts.Single {
			r.searching, r.query, r.found, r.draft = true, "", len(r.opts.History.all), r.buf.String()
		}
	case Up:
		if !r.buf.up() {
			r.recall(r.at - 1)
		}
	case Down:
		if !r.buf.down() {
			r.recall(r.at + 1)
		}
	case Paste:
		if r.opts.Typed {
			return "", true, ErrPasted
		}
		r.buf.edit(k)
	case NewLine:
		if !r.opts.Single {
			r.buf.edit(k)
		}
	default:
		r.buf.edit(k)
	}
	return "", false, nil
}

// interrupt handles Ctrl-C: it clears the text, or, without text, asks for a second
// Ctrl-C.
func (r *reading) interrupt() bool {
	now := time.Now()
	if len(r.buf.text) > 0 {
		r.buf.set("")
		r.at, r.quitBy = len(r.opts.History.all), time.Time{}
		return false
	}
	if now.Before(r.quitBy) {
		return true
	}
	r.quitBy = now.Add(again)
	r.hint = "press Ctrl-C again to leave"
	return false
}

// recall shows an entry of the history.
func (r *reading) recall(to int) {
	h := r.opts.History
	if to < 0 || to > len(h.all) || r.opts.Single {
		return
	}
	if r.at == len(h.all) {
		r.draft = r.buf.String()
	}
	r.at = to
	if to == len(h.all) {
		r.buf.set(r.draft)
		return
	}
	r.buf.set(h.all[to])
}

// search executes a key while the history is searched, and reports whether the key
// belonged to the search.
func (r *reading) search(k Key) bool {
	h := r.opts.History
	from := len(h.all)
	switch k.Code {
	case Search:
		from = r.found
	case Rune:
		r.query += string(k.Rune)
	case Backspace:
		if q := []rune(r.query); len(q) > 0 {
			r.query = string(q[:len(q)-1])
		}
	case Escape, Interrupt:
		r.searching = false
		r.buf.set(r.draft)
		return true
	default: // accept the match, then handle the key; Enter only accepts
		r.searching = false
		return k.Code == Enter
	}
	if r.query == "" {
		return true
	}
	if at, ok := h.find(r.query, from); ok {
		r.found, r.at = at, at
		r.buf.set(h.all[at])
	} else {
		r.hint = "nothing found"
	}
	return true
}

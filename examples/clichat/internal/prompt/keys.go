package prompt

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/localpass/localpass/internal/termtext"
)

// Code identifies a key.
type Code uint8

// The keys. A Rune carries its character, a Paste its text.
const (
	Rune Code = iota
	Paste
	Enter
	NewLine // Alt-Enter, Ctrl-J
	Tab
	BackTab
	Backspace
	Delete
	Left
	Right
	Up
	Down
	Home
	End
	WordLeft
	WordRight
	KillWord
	KillRest
	KillAll
	Yank
	Redraw
	Search
	Interrupt // Ctrl-C
	EOF       // Ctrl-D
	Suspend   // Ctrl-Z
	Escape
	Gone // the terminal no longer exists
)

// Key is one key press or paste.
type Key struct {
	Code Code
	Rune rune
	Text string
}

// maxPaste is the maximum size of a paste, in bytes. A longer paste is truncated.
const maxPaste = 1 << 20

var (
	pasteStart = []byte("\x1b[200~")
	pasteEnd   = []byte("\x1b[201~")
)

// decoder converts the bytes of a terminal, in chunks of any size, to keys.
type decoder struct {
	rest    []byte // the beginning of an incomplete sequence
	pasting bool
	paste   []byte
}

// controls are the keys that terminals send as one byte.
var controls = map[byte]Code{
	1: Home, 2: Left, 3: Interrupt, 4: EOF, 5: End, 6: Right, 8: Backspace, 9: Tab, 10: NewLine, 11: KillRest, 12: Redraw, 13: Enter,
	14: Down, 16: Up, 18: Search, 21: KillAll, 23: KillWord, 25: Yank, 26: Suspend, 127: Backspace,
}

// sequences are the keys by the bytes that terminals send after ESC.
var sequences = map[string]Code{
	"[A": Up, "[B": Down, "[C": Right, "[D": Left, "[H": Home, "[F": End, "OA": Up, "OB": Down, "OC": Right, "OD": Left, "OH": Home, "OF": End,
	"[1~": Home, "[4~": End, "[7~": Home, "[8~": End, "[3~": Delete, "[Z": BackTab,
	"[1;3C": WordRight, "[1;3D": WordLeft, "[1;5C": WordRight, "[1;5D": WordLeft, "b": WordLeft, "f": WordRight,
	"\r": NewLine, "\n": NewLine, "\x7f": KillWord, "[13;3u": NewLine, "[27;3;13~": NewLine, "[13;2u": NewLine,
}

// keys returns the complete keys.
func (d *decoder) keys(p []byte) []Key {
	if len(d.rest) > 0 {
		p = append(d.rest, p...)
		d.rest = nil
	}
	var out []Key
	for len(p) > 0 {
		if d.pasting {
			k, rest, done := d.pasted(p)
			if done {
				out = append(out, k)
			}
			p = rest
			continue
		}
		k, n := d.one(p)
		if n == 0 {
			d.rest = append([]byte(nil), p...)
			break
		}
		p = p[n:]
		switch {
		case d.pasting: // a paste has just started
		case k.Code == Rune && k.Rune == 0:
		default:
			out = append(out, k)
		}
	}
	return out
}

// one decodes one key, or nothing if more bytes are needed.
func (d *decoder) one(p []byte) (Key, int) {
	c := p[0]
	switch {
	case c == 0x1b:
		return d.escape(p)
	case c < 0x20 || c == 0x7f:
		if code, known := controls[c]; known {
			return Key{Code: code}, 1
		}
		return Key{}, 1
	case !utf8.FullRune(p):
		return Key{}, 0
	}
	r, n := utf8.DecodeRune(p)
	if termtext.Clean(string(r)) != string(r) || r == utf8.RuneError {
		return Key{}, n // an invisible character
	}
	return Key{Code: Rune, Rune: r}, n
}

// maxSequence is the maximum length of the escape sequence of a key.
const maxSequence = 24

func (d *decoder) escape(p []byte) (Key, int) {
	if len(p) == 1 { // terminals send a sequence in one piece, so this is the Esc key itself
		return Key{Code: Escape}, 1
	}
	if bytes.HasPrefix(p, pasteStart) {
		d.pasting, d.paste = true, nil
		return Key{}, len(pasteStart)
	}
	end := 2
	switch p[1] {
	case '[':
		for end < len(p) && (p[end] < 0x40 || p[end] > 0x7e) {
			if end++; end > maxSequence {
				return Key{}, end
			}
		}
		end++
	case 'O':
		end = 3
	case 0x1b:
		return Key{Code: Escape}, 1
	default:
		if !utf8.FullRune(p[1:]) {
			return Key{}, 0
		}
		_, n := utf8.DecodeRune(p[1:])
		end = 1 + n
	}
	if end > len(p) {
		return Key{}, 0
	}
	if code, known := sequences[string(p[1:end])]; known {
		return Key{Code: code}, end
	}
	return Key{}, end
}

// pasted consumes the bytes of a paste.
func (d *decoder) pasted(p []byte) (k Key, rest []byte, done bool) {
	all := append(d.paste, p...)
	at := bytes.Index(all, pasteEnd)
	if at < 0 {
		if len(all) > maxPaste+len(pasteEnd) { // the last bytes may be an incomplete end mark
			all = append(all[:maxPaste:maxPaste], all[len(all)-len(pasteEnd):]...)
		}
		d.paste = all
		return Key{}, nil, false
	}
	text := string(all[:min(at, maxPaste)])
	rest = all[at+len(pasteEnd):]
	d.pasting, d.paste = false, nil
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	return Key{Code: Paste, Text: termtext.Clean(text)}, rest, true
}

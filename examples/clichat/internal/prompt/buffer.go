package prompt

import (
	"strings"
	"unicode"

	"github.com/localpass/localpass/examples/clichat/internal/render"
)

// buffer is the text being edited. pos is the position of the cursor.
type buffer struct {
	text []rune
	pos  int
	kill []rune
}

func (b *buffer) String() string { return string(b.text) }

func (b *buffer) set(s string) {
	b.text = []rune(s)
	b.pos = len(b.text)
}

func (b *buffer) insert(s string) {
	add := []rune(s)
	text := make([]rune, 0, len(b.text)+len(add))
	text = append(append(append(text, b.text[:b.pos]...), add...), b.text[b.pos:]...)
	b.text = text
	b.pos += len(add)
}

// cut removes the text from a to e. If keep is set, it stores the text for a yank.
func (b *buffer) cut(a, e int, keep bool) {
	if a >= e {
		return
	}
	if keep {
		b.kill = append([]rune(nil), b.text[a:e]...)
	}
	b.text = append(b.text[:a:a], b.text[e:]...)
	b.pos = a
}

// left returns the position one character to the left. Runes of width 0 belong to the
// character before them.
func (b *buffer) left(at int) int {
	for at > 0 {
		if at--; render.RuneWidth(b.text[at]) > 0 || b.text[at] == '\n' || b.text[at] == '\t' {
			break
		}
	}
	return at
}

func (b *buffer) right(at int) int {
	for at < len(b.text) {
		if at++; at == len(b.text) || render.RuneWidth(b.text[at]) > 0 || b.text[at] == '\n' || b.text[at] == '\t' {
			break
		}
	}
	return at
}

func (b *buffer) lineStart() int {
	at := b.pos
	for at > 0 && b.text[at-1] != '\n' {
		at--
	}
	return at
}

func (b *buffer) lineEnd() int {
	at := b.pos
	for at < len(b.text) && b.text[at] != '\n' {
		at++
	}
	return at
}

func (b *buffer) wordLeft() int {
	at := b.pos
	for at > 0 && !isWord(b.text[at-1]) {
		at--
	}
	for at > 0 && isWord(b.text[at-1]) {
		at--
	}
	return at
}

func (b *buffer) wordRight() int {
	at := b.pos
	for at < len(b.text) && !isWord(b.text[at]) {
		at++
	}
	for at < len(b.text) && isWord(b.text[at]) {
		at++
	}
	return at
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// up moves the cursor to the line above and reports whether there is one.
func (b *buffer) up() bool {
	start := b.lineStart()
	if start == 0 {
		return false
	}
	column := b.pos - start
	b.pos = start - 1
	above := b.lineStart()
	b.pos = min(above+column, start-1)
	return true
}

func (b *buffer) down() bool {
	column, end := b.pos-b.lineStart(), b.lineEnd()
	if end == len(b.text) {
		return false
	}
	b.pos = end + 1
	b.pos = min(end+1+column, b.lineEnd())
	return true
}

// edit executes an editing key, and reports whether k is one.
func (b *buffer) edit(k Key) bool {
	switch k.Code {
	case Rune:
		b.insert(string(k.Rune))
	case Paste:
		b.insert(k.Text)
	case NewLine:
		b.insert("\n")
	case Backspace:
		b.cut(b.left(b.pos), b.pos, false)
	case Delete:
		b.cut(b.pos, b.right(b.pos), false)
	case Left:
		b.pos = b.left(b.pos)
	case Right:
		b.pos = b.right(b.pos)
	case WordLeft:
		b.pos = b.wordLeft()
	case WordRight:
		b.pos = b.wordRight()
	case Home:
		b.pos = b.lineStart()
	case End:
		b.pos = b.lineEnd()
	case KillWord:
		b.cut(b.wordLeft(), b.pos, true)
	case KillRest:
		end := b.lineEnd()
		if end == b.pos && end < len(b.text) {
			end++ // the line break itself
		}
		b.cut(b.pos, end, true)
	case KillAll:
		b.cut(b.lineStart(), b.pos, true)
	case Yank:
		b.insert(string(b.kill))
	default:
		return false
	}
	return true
}

// fence begins and ends a block of several lines.
const fence = `"""`

// open reports whether Enter adds another line: a block is open, or the line ends with a
// backslash, which open removes.
func (b *buffer) open() bool {
	text := b.String()
	if strings.HasPrefix(strings.TrimSpace(text), fence) && strings.Count(text, fence)%2 == 1 {
		return true
	}
	if b.pos == len(b.text) && strings.HasSuffix(text, `\`) && !strings.HasSuffix(text, `\\`) {
		b.text = b.text[:len(b.text)-1]
		b.pos = len(b.text)
		return true
	}
	return false
}

// message returns the text to send, without the fences of a block.
func message(text string) string {
	text = strings.TrimSpace(text)
	if len(text) >= 2*len(fence) && strings.HasPrefix(text, fence) && strings.HasSuffix(text, fence) {
		text = strings.Trim(text[len(fence):len(text)-len(fence)], "\n")
	}
	return text
}

package tinymodel

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Kinds of tokens, with their numbers in the format.
const (
	tokenNormal      = 1
	tokenUnknown     = 2
	tokenControl     = 3
	tokenUserDefined = 4
	tokenByte        = 6
)

// table is a vocabulary in which each token has exactly one successor.
type table struct {
	texts []string
	kinds []int32
	next  []int
	known map[string]bool
	used  [256]bool // byte tokens that are already used in a text
}

const (
	tokenOfUnknown = 0
	tokenOfStart   = 1
	tokenOfEnd     = 2
	firstByte      = 3
)

func newTable() *table {
	t := &table{known: map[string]bool{}}
	t.add("<unk>", tokenUnknown)
	t.add("<s>", tokenControl)
	t.add("</s>", tokenControl)
	for b := range 256 {
		t.add(fmt.Sprintf("<0x%02X>", b), tokenByte)
	}
	return t
}

// add adds a token, by default one that ends the text.
func (t *table) add(text string, kind int32) int {
	t.texts = append(t.texts, text)
	t.kinds = append(t.kinds, kind)
	t.next = append(t.next, tokenOfEnd)
	t.known[text] = true
	return len(t.texts) - 1
}

// say makes the control token of a name print a text. With again, the text repeats
// without end.
//
// Since a token has only one successor, no piece may occur in two places: the text is cut
// into pieces that no other text contains. Non-ASCII characters are written byte by byte,
// as real models do with rare ones, which works only once for each byte.
func (t *table) say(name, text string, again bool) error {
	at := t.add(name, tokenControl)
	first := -1
	follow := func(token int) {
		if t.next[at] = token; first < 0 {
			first = token
		}
		at = token
	}
	for text != "" {
		if text[0] >= utf8.RuneSelf {
			if t.used[text[0]] {
				return fmt.Errorf("tinymodel: the text of %s: the byte %#x is used twice", name, text[0])
			}
			t.used[text[0]] = true
			follow(firstByte + int(text[0]))
			text = text[1:]
			continue
		}
		ascii := strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
		if ascii < 0 {
			ascii = len(text)
		}
		pieces := t.cut(text[:ascii])
		if pieces == nil {
			return fmt.Errorf("tinymodel: the text of %s: %q cannot be cut into new pieces", name, text[:ascii])
		}
		for _, piece := range pieces {
			follow(t.add(piece, tokenUserDefined))
		}
		text = text[ascii:]
	}
	if again && first >= 0 {
		t.next[at] = first
	}
	return nil
}

// cut cuts a text into pieces that are not tokens yet, of five bytes if possible. It
// returns nil if there is no way to do so.
func (t *table) cut(text string) []string {
	if text == "" {
		return []string{}
	}
	for _, n := range [...]int{5, 6, 7, 8, 9, 4, 3, 2, 1} {
		if n > len(text) || t.known[text[:n]] {
			continue
		}
		t.known[text[:n]] = true
		rest := t.cut(text[n:])
		if rest != nil {
			return append([]string{text[:n]}, rest...)
		}
		delete(t.known, text[:n])
	}
	return nil
}

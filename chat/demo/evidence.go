package demo

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/localpass/localpass/internal/clip"
)

// evidence holds the parts of a text that can become arguments.
type evidence struct {
	text    string
	objects []map[string]any  // JSON in the text, or results of tools
	pairs   map[string]string // pairs like name=value and name: value, by the words of the name
	found   map[string][]piece
	numbers []number
	quoted  []piece
	places  []piece
	after   string       // the text after the first colon
	reply   string       // the answer to a follow-up question of the model
	tail    string       // the text without the words that selected the tool
	used    map[int]bool // positions in the text that are already used as arguments
	taken   []string     // texts that are already used as arguments
}

// piece is a part of the text, with the word before it.
type piece struct {
	at     int
	text   string
	before string
}

// number is a number in the text, with the words around it.
type number struct {
	piece
	percent bool
	near    []string // words next to it
}

// patterns find text that has a recognizable form. They are tried in this order, and text
// that one has found is not searched by later ones.
var patterns = []struct {
	kind string
	re   func() *regexp.Regexp
}{
	{"uri", expression(`https?://[^\s"'<>]+`)},
	{"email", expression(`[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+`)},
	{"uuid", expression(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`)},
	{"date-time", expression(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?`)},
	{"date", expression(`\b\d{4}-\d\d-\d\d\b`)},
	{"time", expression(`\b\d{1,2}:\d\d(?::\d\d)?\b`)},
	{"ipv4", expression(`\b\d{1,3}(?:\.\d{1,3}){3}\b`)},
	{"zone", expression(`\b(?:[A-Z][A-Za-z]+/[A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z_]+)?|UTC|GMT)\b`)},
	{"expression", expression(`-?\d+(?:\.\d+)?\s*%\s+of\s+-?\d+(?:\.\d+)?|\(*-?\d+(?:\.\d+)?(?:\s*\)*\s*[-+*/^]\s*\(*\s*-?\d+(?:\.\d+)?)+\)*`)},
	{"path", expression(`(?:[\w.-]*/)+[\w.-]+|\b[\w-]+\.[A-Za-z]{1,5}\b`)},
}

var (
	quotes  = expression(`"([^"]*)"|“([^”]*)”|«([^»]*)»|‘([^’]*)’|` + "`([^`]*)`" + `|(?:^|[\s(])'([^']*)'`)
	pairs   = expression(`([\p{L}_][\p{L}\p{N}_-]*)\s*(?:=|:)\s*("[^"]*"|'[^']*'|[^\s,;]+)`)
	numbers = expression(`-?\d+(?:\.\d+)?`)
	phrase  = expression(`\b((?i:in|at|near|from|to|for|of|about|on|with|named|called|between|and))\s+((?:the\s+)?\p{Lu}[\p{L}\p{M}'’-]*(?:[ -]\p{Lu}[\p{L}\p{M}'’-]*)*)`)
	capital = expression(`\p{Lu}[\p{L}\p{M}'’-]+(?:[ -]\p{Lu}[\p{L}\p{M}'’-]*)*`)
)

// expression compiles an expression when it is first needed: most programs that can play
// the demo model do not.
func expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// maxEvidence is how much of a text is searched, in bytes.
const maxEvidence = 16 << 10

// evidenceOf searches a text. objects are further values that are known by name.
func evidenceOf(s string, objects []map[string]any) *evidence {
	s = strings.ToValidUTF8(clip.Bytes(s, maxEvidence), "\ufffd")
	e := &evidence{text: s, objects: append(objectsIn(s), objects...), pairs: map[string]string{}, found: map[string][]piece{}, used: map[int]bool{}}
	for _, m := range pairs().FindAllStringSubmatch(s, -1) {
		key := strings.Join(wordsOf(m[1]), " ")
		if _, known := e.pairs[key]; !known && key != "" && !strings.HasPrefix(m[2], "//") {
			e.pairs[key] = strings.Trim(strings.TrimRight(m[2], ".?!"), `"'`)
		}
	}
	if _, after, ok := strings.Cut(s, ": "); ok {
		e.after = strings.TrimSpace(after)
	}
	rest := []byte(s)
	for _, m := range quotes().FindAllStringSubmatchIndex(s, -1) {
		for g := 2; g < len(m); g += 2 {
			if m[g] >= 0 && m[g+1] > m[g] {
				e.quoted = append(e.quoted, piece{m[g], s[m[g]:m[g+1]], wordBefore(s[:m[g]])})
				blank(rest, m[g], m[g+1])
			}
		}
	}
	whole := []byte(s)
	for _, p := range patterns {
		from := whole // a pattern also matches inside quotes
		if p.kind == "expression" {
			from = rest
		}
		for _, m := range p.re().FindAllIndex(from, -1) {
			got := strings.TrimRight(string(from[m[0]:m[1]]), ".,;:!?)")
			if p.kind == "expression" {
				got = balance(string(from[m[0]:m[1]]))
			}
			if got != "" {
				e.found[p.kind] = append(e.found[p.kind], piece{m[0], got, wordBefore(s[:m[0]])})
				if p.kind != "expression" { // the numbers in it may be arguments too
					blank(rest, m[0], m[0]+len(got))
					blank(whole, m[0], m[0]+len(got))
				}
			}
		}
	}
	masked := string(rest)
	for _, m := range numbers().FindAllStringIndex(masked, -1) {
		n := number{piece: piece{m[0], masked[m[0]:m[1]], wordBefore(masked[:m[0]])}}
		if n.text[0] == '-' && m[0] > 0 && !unicode.IsSpace(rune(masked[m[0]-1])) {
			n.at, n.text = m[0]+1, n.text[1:] // a dash, not a minus sign
		}
		if before, _ := utf8.DecodeLastRuneInString(masked[:n.at]); unicode.IsLetter(before) || before == '_' {
			continue // part of a word
		}
		tail := strings.TrimLeft(masked[m[1]:], " ")
		n.percent = strings.HasPrefix(tail, "%") || strings.HasPrefix(tail, "percent")
		n.near = near(masked, n.at, m[1])
		e.numbers = append(e.numbers, n)
	}
	for from := 0; ; {
		m := phrase().FindStringSubmatchIndex(masked[from:])
		if m == nil {
			break
		}
		e.places = append(e.places, piece{from + m[4], strings.TrimPrefix(masked[from+m[4]:from+m[5]], "the "), strings.ToLower(masked[from+m[2] : from+m[3]])})
		from += m[5]
	}
	return e
}

// objectsIn returns the JSON objects in a text.
func objectsIn(s string) (all []map[string]any) {
	for at := 0; len(all) < 4; {
		open := strings.IndexByte(s[at:], '{')
		if open < 0 {
			break
		}
		at += open
		dec := json.NewDecoder(strings.NewReader(s[at:]))
		dec.UseNumber()
		var m map[string]any
		if dec.Decode(&m) == nil && m != nil {
			all = append(all, m)
			at += int(dec.InputOffset())
		} else {
			at++
		}
	}
	return all
}

func blank(b []byte, from, to int) {
	for i := from; i < to; i++ {
		b[i] = ' '
	}
}

// balance removes unmatched brackets at the ends of an expression.
func balance(s string) string {
	s = strings.TrimSpace(s)
	for strings.Count(s, "(") > strings.Count(s, ")") && strings.HasPrefix(s, "(") {
		s = s[1:]
	}
	for strings.Count(s, ")") > strings.Count(s, "(") && strings.HasSuffix(s, ")") {
		s = s[:len(s)-1]
	}
	if strings.Count(s, "(") != strings.Count(s, ")") {
		return ""
	}
	return strings.TrimSpace(s)
}

func wordBefore(s string) string {
	words := strings.Fields(clipLeft(s, 64))
	if len(words) == 0 {
		return ""
	}
	return strings.ToLower(strings.Trim(words[len(words)-1], `"'“«(`))
}

// near returns the words around a part of s: two before it and two after it.
func near(s string, from, to int) []string {
	before := split(clipLeft(s[:from], 48))
	after := split(clip.Bytes(s[to:], 48))
	out := []string{}
	for _, w := range append(before[max(0, len(before)-2):], after[:min(2, len(after))]...) {
		out = append(out, stem(w))
	}
	return out
}

// clipLeft returns at most the last n bytes of s, without splitting a character.
func clipLeft(s string, n int) string {
	if len(s) <= n {
		return s
	}
	from := len(s) - n
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	return s[from:]
}

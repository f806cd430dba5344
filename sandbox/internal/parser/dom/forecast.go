package dom

import (
	"fmt"
	"hash/maphash"
	"strings"
)

// A page can make the parser build far more nodes than it has tags: formatting
// elements that are not closed (<b>, <font …>) are opened again in every block
// that follows. The parser cannot be watched while it builds, so the text is
// scanned first. The scan takes every "<" and a letter, up to the next ">", for a
// tag, also in scripts and in quotes: no tag can hide from it behind a quote or a
// comment, and ordinary pages are far below the limits.

// forecast refuses text that would become more nodes or attributes than room.
func forecast(text string, room int) error {
	f := forecaster{}
	for rest := text; ; {
		i := strings.IndexByte(rest, '<')
		if i < 0 {
			if rest != "" {
				f.nodes++
			}
			break
		}
		if i > 0 {
			f.nodes++ // the text before
		}
		rest = f.tag(rest[i+1:])
		if f.nodes > room || f.attributes > room {
			return fmt.Errorf("%w: the text has more than %d tags, texts or attributes", ErrLimit, max(room, 0))
		}
		if f.reopened > reopenLimit {
			return fmt.Errorf("%w: unclosed formatting elements multiply", ErrLimit)
		}
	}
	return nil
}

// reopenLimit is how many nodes may come from formatting elements being opened
// again: about 160 MB of tree. A page of 10 MiB with all of its text in links
// and bold stays below a third of it.
const reopenLimit = 1_000_000

type forecaster struct {
	nodes, attributes, reopened int
	// What the formatting elements that may be open weigh, by name; the weight
	// of one is 1 plus its attributes, three to the weight of a node.
	open   map[string][]formatting
	weight int
	same   map[uint64]int // how many of them are written alike
	seed   maphash.Seed
}

type formatting struct {
	weight int
	hash   uint64
}

// tag scans what follows a "<" and returns the rest of the text.
func (f *forecaster) tag(rest string) string {
	if rest == "" {
		return rest
	}
	c := rest[0]
	if c == '!' || c == '?' {
		f.nodes++
		return rest[1:]
	}
	closing := c == '/'
	name := rest
	if closing {
		name = rest[1:]
	}
	if name == "" || !isLetter(name[0]) {
		if closing {
			f.nodes++ // a comment
		}
		return rest[1:]
	}
	end := 0
	for end < len(name) && name[end] != '>' && name[end] != '/' && name[end] != '<' && !isSpace(name[end]) {
		end++
	}
	inside, after, _ := strings.Cut(name[end:], ">")
	name = name[:end]
	if closing {
		f.close(name)
		return after
	}
	f.nodes++
	attributes := separators(inside)
	f.attributes += attributes
	f.start(name, inside, attributes)
	return after
}

// separators estimates attributes: what divides them, each kind on its own.
func separators(s string) int {
	spaces, slashes, equals := 0, 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ', '\n', '\t', '\r', '\f':
			if i > 0 && isSpace(s[i-1]) {
				continue
			}
			spaces++
		case '/':
			slashes++
		case '=':
			equals++
		}
	}
	return max(spaces, slashes, equals)
}

func (f *forecaster) start(name, attributes string, count int) {
	key, ok := formattingName(name)
	if !ok {
		f.reopened += f.weight
		return
	}
	if f.open == nil {
		f.open, f.same, f.seed = map[string][]formatting{}, map[uint64]int{}, maphash.MakeSeed()
	}
	if key == "a" || key == "nobr" { // never two of them
		f.drop(key)
	}
	var hash maphash.Hash
	hash.SetSeed(f.seed)
	hash.WriteString(key)
	hash.WriteString(attributes)
	one := formatting{weight: 1 + count/3, hash: hash.Sum64()}
	if f.same[one.hash] >= 3 { // the parser keeps three alike
		return
	}
	f.same[one.hash]++
	f.weight += one.weight
	f.open[key] = append(f.open[key], one)
}

func (f *forecaster) close(name string) {
	if key, ok := formattingName(name); ok {
		f.drop(key)
		f.nodes++ // closing across a block splits an element
		return
	}
	if strings.EqualFold(name, "p") || strings.EqualFold(name, "br") {
		f.nodes++
	}
	f.reopened += f.weight
}

func (f *forecaster) drop(key string) {
	stack := f.open[key]
	if len(stack) == 0 {
		return
	}
	last := stack[len(stack)-1]
	f.open[key] = stack[:len(stack)-1]
	f.weight -= last.weight
	f.same[last.hash]--
}

// formattingName gives the lower-case name of a formatting element.
func formattingName(name string) (string, bool) {
	if len(name) > 6 {
		return "", false
	}
	var lower [6]byte
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	switch string(lower[:len(name)]) {
	case "a":
		return "a", true
	case "b":
		return "b", true
	case "big":
		return "big", true
	case "code":
		return "code", true
	case "em":
		return "em", true
	case "font":
		return "font", true
	case "i":
		return "i", true
	case "nobr":
		return "nobr", true
	case "s":
		return "s", true
	case "small":
		return "small", true
	case "strike":
		return "strike", true
	case "strong":
		return "strong", true
	case "tt":
		return "tt", true
	case "u":
		return "u", true
	}
	return "", false
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

package dom

import (
	"fmt"
	"hash/maphash"
	"strings"
)

// A page can make the parser build far more nodes than the page has tags: formatting
// elements that are not closed (<b>, <font>) are opened again in every block that
// follows. The parser cannot be observed while it builds the tree, so the text is scanned
// first. The scan takes every "<" that a letter follows, up to the next ">", for a tag,
// even in scripts and quotes. So a page cannot hide a tag behind a quote or a comment;
// ordinary pages stay far below the limits.

// forecast refuses text that would become more than room nodes or attributes.
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
			f.nodes++ // the text before the tag
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

// reopenLimit is the maximum number of nodes that result from reopened formatting
// elements: about 160 MB of tree. A page of 10 MiB whose whole text is in links and bold
// stays below a third of it.
const reopenLimit = 1_000_000

type forecaster struct {
	nodes, attributes, reopened int
	// The formatting elements that may be open, by name, with their weights. The weight
	// of an element is 1 plus its attributes, where three attributes weigh as much as a
	// node.
	open   map[string][]formatting
	weight int
	same   map[uint64]int // number of identical elements, by hash
	seed   maphash.Seed
}

type formatting struct {
	weight int
	hash   uint64
}

// tag scans the text after a "<" and returns the rest of it.
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

// separators estimates the number of attributes by counting each kind of separator.
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
	if key == "a" || key == "nobr" { // never nested
		f.drop(key)
	}
	var hash maphash.Hash
	hash.SetSeed(f.seed)
	hash.WriteString(key)
	hash.WriteString(attributes)
	one := formatting{weight: 1 + count/3, hash: hash.Sum64()}
	if f.same[one.hash] >= 3 { // the parser keeps at most three identical ones
		return
	}
	f.same[one.hash]++
	f.weight += one.weight
	f.open[key] = append(f.open[key], one)
}

func (f *forecaster) close(name string) {
	if key, ok := formattingName(name); ok {
		f.drop(key)
		f.nodes++ // an end tag across a block splits an element
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

// formattingName returns the name of a formatting element in lower case, and whether it
// is one.
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

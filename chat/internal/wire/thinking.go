package wire

import "strings"

// thinkingTags lists the tags in which models write their thinking into the text.
var thinkingTags = [...][2]string{{"<think>", "</think>"}, {"<thinking>", "</thinking>"}, {"[THINK]", "[/THINK]"}}

// mostBlank is the maximum amount of white space before a tag.
const mostBlank = 1 << 10

// Thinking separates the thinking of a model from its answer if the model writes both
// into its text, with tags. Tags count only before the first word of the answer; later
// ones are part of the answer. The zero value is ready to use.
type Thinking struct {
	state thinkingState
	end   string // the tag that ends the block
	held  string // text that may become a tag
	seen  bool   // at least one block was read
}

type thinkingState uint8

const (
	thinkingBefore thinkingState = iota // before the answer
	thinkingInside
	thinkingAnswer
)

// Push adds the next piece of text, and returns its reasoning and its part of the answer.
func (t *Thinking) Push(text string) (reasoning, answer string) {
	var thought strings.Builder // one piece may contain several blocks
	text = t.split(text, &thought)
	return thought.String(), text
}

// split returns the part of text that belongs to the answer, and writes the thinking to
// thought.
func (t *Thinking) split(text string, thought *strings.Builder) (answer string) {
	for {
		switch t.state {
		case thinkingAnswer:
			return text
		case thinkingInside:
			text, t.held = t.held+text, ""
			at := strings.Index(text, t.end)
			if at < 0 {
				keep := overlap(text, t.end)
				t.held = text[len(text)-keep:]
				thought.WriteString(text[:len(text)-keep])
				return ""
			}
			thought.WriteString(text[:at])
			text = text[at+len(t.end):]
			t.state, t.seen = thinkingBefore, true
		default:
			text, t.held = t.held+text, ""
			bare := strings.TrimLeft(text, " \t\r\n")
			if len(text)-len(bare) <= mostBlank {
				open, wait := opens(bare)
				if wait {
					t.held = text
					return ""
				}
				if open >= 0 {
					t.state, t.end = thinkingInside, thinkingTags[open][1]
					text = bare[len(thinkingTags[open][0]):]
					continue
				}
			}
			t.state = thinkingAnswer
			if t.seen {
				text = bare // removes the line breaks between thinking and answer
			}
		}
	}
}

// Flush returns the text held back, at the end of the stream.
func (t *Thinking) Flush() (reasoning, answer string) {
	held := t.held
	t.held = ""
	switch {
	case t.state == thinkingInside:
		return held, ""
	case t.seen:
		return "", strings.TrimLeft(held, " \t\r\n")
	}
	return "", held
}

// opens returns the tag that text begins with; wait says that text may be the beginning
// of a tag.
func opens(text string) (tag int, wait bool) {
	for i, t := range thinkingTags {
		if strings.HasPrefix(text, t[0]) {
			return i, false
		}
		if strings.HasPrefix(t[0], text) {
			wait = true
		}
	}
	return -1, wait
}

// overlap returns the length of the longest suffix of text that is a prefix of tag.
func overlap(text, tag string) int {
	for n := min(len(text), len(tag)-1); n > 0; n-- {
		if strings.HasSuffix(text, tag[:n]) {
			return n
		}
	}
	return 0
}

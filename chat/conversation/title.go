package conversation

import (
	"strings"
	"unicode/utf8"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/clip"
)

const (
	// titleRunes is the maximum length of a title derived from the first question.
	titleRunes = 48
	// shortSentence is the length, in bytes, up to which a sentence does not end, because
	// the point may belong to an abbreviation or a number.
	shortSentence = 12
)

// TitleOf makes the title of a conversation from its first question: the first sentence of
// its first line, shortened after a whole word to at most 48 characters.
func TitleOf(question *llm.Message) string {
	text, _, _ := strings.Cut(strings.TrimSpace(question.Text()), "\n")
	text = clip.OneLine(text, 4*titleRunes) // more than every title needs
	text = firstSentence(strings.TrimLeft(text, "#*>` "))
	if utf8.RuneCountInString(text) <= titleRunes {
		return text
	}
	text = clip.First(text, titleRunes-1)
	if at := strings.LastIndexByte(text, ' '); at > len(text)/2 {
		text = text[:at]
	}
	return strings.TrimRight(text, " ,;:") + "…"
}

// firstSentence returns a text up to the end of its first sentence: with a question mark
// or an exclamation mark, without a full stop.
func firstSentence(text string) string {
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		switch {
		case i < shortSentence:
		case strings.ContainsRune("。", r):
			return text[:i]
		case strings.ContainsRune("？！", r):
			return text[:end]
		case !strings.ContainsRune(".?!", r) || end < len(text) && text[end] != ' ':
		case r == '.':
			return text[:i]
		default:
			return text[:end]
		}
	}
	return text
}

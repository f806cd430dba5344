package lexical

import (
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// Words splits a text into the terms that are compared, in order.
func Words(text string) []string {
	var terms []string
	var run []rune
	flush := func() {
		if len(run) > 0 {
			terms = appendRun(terms, run)
			run = run[:0]
		}
	}
	for _, r := range text {
		switch {
		case isPaired(r) && (len(run) == 0 || isPaired(run[0])), !isPaired(r) && isWord(r) && (len(run) == 0 || !isPaired(run[0])):
			run = append(run, r)
		case isWord(r): // the script changes
			flush()
			run = append(run, r)
		case r == '\'' || r == '’':
			// it's, user's: the letters after the apostrophe belong to the word
		default:
			flush()
		}
	}
	flush()
	return terms
}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}

// isPaired reports whether a character is of a script that writes no spaces between
// words, or attaches endings to them: such text is split into pairs of characters.
func isPaired(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

func appendRun(terms []string, run []rune) []string {
	if isPaired(run[0]) {
		if len(run) == 1 {
			return append(terms, string(run))
		}
		for i := range len(run) - 1 {
			terms = append(terms, string(run[i:i+2]))
		}
		return terms
	}
	parts := camel(run)
	if len(parts) > 1 {
		terms = appendWord(terms, string(run))
	}
	for _, part := range parts {
		terms = appendWord(terms, part)
	}
	return terms
}

// camel splits "readTextFile", "URLParser" and "utf8Text" into words.
func camel(run []rune) []string {
	var parts []string
	start := 0
	for i := 1; i < len(run); i++ {
		lowUp := !unicode.IsUpper(run[i-1]) && unicode.IsUpper(run[i])
		upLow := unicode.IsUpper(run[i-1]) && unicode.IsUpper(run[i]) && i+1 < len(run) && unicode.IsLower(run[i+1])
		if lowUp || upLow {
			parts = append(parts, string(run[start:i]))
			start = i
		}
	}
	return append(parts, string(run[start:]))
}

func appendWord(terms []string, word string) []string {
	word = strings.ToLower(word)
	if english.IsStopWord(word) {
		return terms
	}
	return append(terms, english.Stem(word, false))
}

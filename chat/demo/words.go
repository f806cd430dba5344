package demo

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wordsOf returns the words of a text in lower case and without endings. A name in
// camelCase or snake_case is split into words.
func wordsOf(s string) []string {
	var words []string
	for _, w := range split(s) {
		if w = stem(w); w != "" {
			words = append(words, w)
		}
	}
	return words
}

// split splits a text at characters that are neither letters nor digits, and between a
// lower-case and a capital letter.
func split(s string) []string {
	var words []string
	var b strings.Builder
	end := func() {
		if b.Len() > 0 {
			words = append(words, b.String())
			b.Reset()
		}
	}
	small := false
	for _, r := range s {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'':
			end()
			small = false
			continue
		case unicode.IsUpper(r) && small:
			end()
		}
		small = unicode.IsLower(r) || unicode.IsDigit(r)
		b.WriteRune(unicode.ToLower(r))
	}
	end()
	return words
}

// stem removes common English endings from a word, so that "converting" and "converts"
// become equal. It is rough: it only needs to treat both sides in the same way.
func stem(w string) string {
	w, _, _ = strings.Cut(w, "'")
	n := len(w)
	switch {
	case n > 5 && strings.HasSuffix(w, "ies"):
		return w[:n-3] + "y"
	case n > 6 && strings.HasSuffix(w, "ing"):
		w = w[:n-3]
	case n > 5 && strings.HasSuffix(w, "ed"):
		w = w[:n-2]
	case n > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss"):
		w = w[:n-1]
	}
	if n := len(w); n > 4 && strings.HasSuffix(w, "e") {
		w = w[:n-1]
	}
	return w
}

// same reports whether two stems are forms of one word: equal, or equal except for a
// short ending, as in "calculat" and "calculator".
func same(a, b string) bool {
	if a == b {
		return true
	}
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	end := 4
	if n > 0 && a[n-1] >= utf8.RuneSelf {
		end = 9 // three characters of Chinese, Japanese or Korean
	}
	return n >= 6 && len(a)-n <= end && len(b)-n <= end
}

func contains(words []string, w string) bool {
	for _, o := range words {
		if same(o, w) {
			return true
		}
	}
	return false
}

// overlap reports whether two lists have a significant word in common.
func overlap(a, b []string) bool {
	for _, w := range a {
		if weight(w) == 1 && contains(b, w) {
			return true
		}
	}
	return false
}

// weight returns how significant a word is: 0 for words that occur in every sentence,
// little for verbs that occur in the names of many tools.
func weight(w string) float64 {
	switch w {
	case "a", "an", "the", "i", "me", "my", "we", "our", "you", "your", "it", "its", "he", "she", "they", "them", "this", "that", "these", "those", "thi",
		"is", "are", "am", "be", "was", "were", "been", "do", "doe", "does", "did", "done", "ha", "has", "have", "had", "can", "could", "will", "would", "shall",
		"should", "may", "might", "must", "and", "or", "but", "not", "no", "if", "then", "else", "so", "of", "in", "on", "at", "to", "for", "from", "by", "with",
		"as", "than", "into", "about", "over", "out", "up", "what", "which", "who", "whom", "how", "when", "where", "why", "there", "here", "please", "pleas",
		"tool", "use", "us", "call", "want", "need", "like", "let", "tell", "thank", "hello", "hi", "hey", "ok", "ye", "yes", "just", "also", "some", "any",
		"all", "each", "one", "s", "t", "such", "optional", "default", "example", "e", "g", "first", "think":
		return 0
	case "get", "give", "show", "return", "list", "find", "make", "mak", "run", "set", "value", "valu", "text", "string", "name", "nam", "number", "result", "data", "given", "giv":
		return 0.3
	}
	return 1
}

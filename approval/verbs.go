package approval

import (
	"slices"
	"strings"
	"unicode"
)

// irreversibleWords are words for irreversible actions. A tool with one of them in its
// name requires approval for every call.
var irreversibleWords = []string{"delete", "drop", "purge", "wipe", "remove", "erase", "destroy", "truncate", "revoke", "reset",
	"terminate", "overwrite", "format", "shutdown", "kill", "uninstall", "forcepush", "rm", "rmdir", "unlink"}

// harmlessAfter lists the words that make an irreversible word harmless if they follow
// it, as in format_date or reset_filters.
var harmlessAfter = map[string][]string{
	"format": {"date", "time", "datetime", "number", "currency", "csv", "json", "xml", "yaml", "html", "markdown", "text", "string",
		"code", "table", "output", "address", "phone", "name", "sql", "duration", "bytes", "percent"},
	"reset": {"filter", "filters", "view", "zoom", "layout", "selection", "sort", "sorting", "cursor", "scroll", "theme"},
}

// irreversible returns the word in the names that says that the call is irreversible;
// empty: none.
func irreversible(names ...string) string {
	for _, name := range names {
		words := nameWords(name)
		for i, word := range words {
			next := ""
			if i+1 < len(words) {
				next = words[i+1]
			}
			if word == "force" && next == "push" {
				return "force push"
			}
			if slices.Contains(irreversibleWords, word) && !slices.Contains(harmlessAfter[word], next) {
				return word
			}
		}
	}
	return ""
}

// nameWords splits a name into lower-case words, at every character that is not a letter
// or digit and at the humps of camelCase.
func nameWords(name string) []string {
	var words []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			continue
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) || unicode.IsDigit(runes[i-1]) ||
			unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			flush() // deletePage, HTTPDelete
		case unicode.IsDigit(r) && i > 0 && unicode.IsLetter(runes[i-1]), unicode.IsLetter(r) && i > 0 && unicode.IsDigit(runes[i-1]):
			flush() // delete2
		}
		word = append(word, r)
	}
	flush()
	return words
}

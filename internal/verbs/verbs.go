package verbs

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// irreversible are words for irreversible actions.
var irreversible = []string{"delete", "drop", "purge", "wipe", "remove", "erase", "destroy", "truncate", "revoke", "reset",
	"terminate", "overwrite", "format", "shutdown", "kill", "uninstall", "forcepush", "rm", "rmdir", "unlink"}

// harmlessAfter lists the words that make an irreversible word harmless if they follow
// it, as in format_date or reset_filters.
var harmlessAfter = map[string][]string{
	"format": {"date", "time", "datetime", "number", "currency", "csv", "json", "xml", "yaml", "html", "markdown", "text", "string",
		"code", "table", "output", "address", "phone", "name", "sql", "duration", "bytes", "percent"},
	"reset": {"filter", "filters", "view", "zoom", "layout", "selection", "sort", "sorting", "cursor", "scroll", "theme"},
}

// Irreversible returns the word in the names that says that the call is irreversible;
// empty: none.
func Irreversible(names ...string) string {
	word, _ := find(names, func(int) bool { return true })
	return word
}

// Leading returns the irreversible word with which one of the names begins; empty: none. A
// forced push counts wherever it stands.
func Leading(names ...string) string {
	if word, ok := find(names, func(at int) bool { return at == 0 }); ok {
		return word
	}
	for _, name := range names {
		if forced.MatchString(name) {
			return "force push"
		}
	}
	return ""
}

var forced = regexp.MustCompile(`(?i)force[_-]?push`)

// find returns the first irreversible word at a place that counts.
func find(names []string, counts func(at int) bool) (string, bool) {
	for _, name := range names {
		words := Words(name)
		for i, word := range words {
			next := ""
			if i+1 < len(words) {
				next = words[i+1]
			}
			switch {
			case !counts(i):
			case word == "force" && next == "push":
				return "force push", true
			case slices.Contains(irreversible, word) && !slices.Contains(harmlessAfter[word], next):
				return word, true
			}
		}
	}
	return "", false
}

// Words splits a name into lower-case words, at every character that is not a letter
// or digit and at the humps of camelCase.
func Words(name string) []string {
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

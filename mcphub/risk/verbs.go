package risk

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// irreversible are verbs whose effect cannot be undone.
var irreversible = []string{"delete", "drop", "purge", "wipe", "remove", "erase", "destroy", "truncate", "revoke", "reset", "terminate", "overwrite",
	"format", "shutdown", "kill", "uninstall"}

// presentation are the words that make "format" or "reset" harmless if they follow it, as in
// format_date or reset_filters.
var presentation = []string{"date", "time", "datetime", "number", "currency", "csv", "json", "xml", "yaml", "html", "markdown", "text", "string", "code",
	"table", "output", "address", "phone", "name", "sql", "duration", "bytes", "percent", "filter", "filters", "view", "zoom", "layout", "selection", "sort",
	"sorting", "cursor", "scroll", "theme"}

// spelled matches names that are irreversible as they are spelled.
var spelled = regexp.MustCompile(`(?i)^(delete|drop|purge|wipe|remove)[_-]|force[_-]?push`)

// irreversibleVerb returns the verb with which one of the names starts, if its effect cannot be
// undone; empty: none does.
func irreversibleVerb(names ...string) string {
	for _, name := range names {
		if found := spelled.FindString(name); found != "" {
			return strings.ToLower(strings.TrimRight(found, "_-"))
		}
		words := split(name)
		if len(words) == 0 || !slices.Contains(irreversible, words[0]) {
			continue
		}
		if (words[0] == "format" || words[0] == "reset") && len(words) > 1 && slices.Contains(presentation, words[1]) {
			continue
		}
		return words[0]
	}
	return ""
}

// split returns the words of a name in lower case; they end at separators and where an upper
// case letter follows a lower case one.
func split(name string) []string {
	var b strings.Builder
	var last rune
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(last) {
			b.WriteByte(' ')
		}
		last = r
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			r = ' '
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}

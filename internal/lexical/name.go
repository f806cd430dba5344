package lexical

import "strings"

// NameFit is how a name fits a query; higher is better.
type NameFit int

// How a name fits.
const (
	NameOther  NameFit = iota // neither of these
	NamePrefix                // it begins with the query
	NameExact                 // it is the query
)

// FitName compares a name with a query, whatever the case of their letters and
// without the spaces around them.
func FitName(name, query string) NameFit {
	name, query = strings.ToLower(strings.TrimSpace(name)), strings.ToLower(strings.TrimSpace(query))
	switch {
	case query == "":
		return NameOther
	case name == query:
		return NameExact
	case strings.HasPrefix(name, query):
		return NamePrefix
	}
	return NameOther
}

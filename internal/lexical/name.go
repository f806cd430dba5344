package lexical

import "strings"

// NameFit is how well a name matches a query; higher is better.
type NameFit int

// The degrees of a match.
const (
	NameOther  NameFit = iota // neither of these
	NamePrefix                // the name begins with the query
	NameExact                 // the name equals the query
)

// FitName compares a name with a query, ignoring case and surrounding spaces.
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

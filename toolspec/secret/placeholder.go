package secret

import (
	"os"
	"strings"
)

// Lookup finds the value of a name. The second result is false when there is
// none.
type Lookup func(name string) (value string, ok bool)

// Env looks names up in the environment of this process.
func Env() Lookup { return os.LookupEnv }

// Map looks names up in m, which must not change afterwards.
func Map(m map[string]string) Lookup {
	return func(name string) (string, bool) { v, ok := m[name]; return v, ok }
}

// First asks each lookup in turn; a blank value counts as none.
func First(lookups ...Lookup) Lookup {
	return func(name string) (string, bool) {
		for _, l := range lookups {
			if v, ok := l(name); ok && strings.TrimSpace(v) != "" {
				return v, true
			}
		}
		return "", false
	}
}

// nextPlaceholder finds the first placeholder ${NAME} in text, NAME being of A-Z, 0-9 and
// _ and not beginning with a digit (specification section 3.1). There is no
// escape and no default value: anything else that looks similar is plain text.
func nextPlaceholder(text string) (start, end int, name string) {
	for from := 0; ; {
		i := strings.Index(text[from:], "${")
		if i < 0 {
			return -1, -1, ""
		}
		start = from + i
		j := start + 2
		for j < len(text) && nameByte(text[j], j == start+2) {
			j++
		}
		if j > start+2 && j < len(text) && text[j] == '}' {
			return start, j + 1, text[start+2 : j]
		}
		from = start + 2
	}
}

func nameByte(c byte, first bool) bool {
	return c == '_' || c >= 'A' && c <= 'Z' || !first && c >= '0' && c <= '9'
}

// Names returns the names of the placeholders in text, each once, in the order
// of their first appearance.
func Names(text string) []string {
	var names []string
	seen := map[string]bool{}
	for {
		_, end, name := nextPlaceholder(text)
		if end < 0 {
			return names
		}
		text = text[end:]
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

package fetch

import (
	"mime"

	"github.com/localpass/localpass/sandbox/internal/charset"
)

// charsetOf returns the charset that a Content-Type names, by default UTF-8. ok is false
// when only the program can decode it; then it is the label of the response.
func charsetOf(contentType string) (name string, ok bool) {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil || params["charset"] == "" {
		return charset.UTF8, true
	}
	if name, ok := charset.Name(params["charset"]); ok {
		return name, true
	}
	return params["charset"], false
}

// nesting returns the nesting depth of the brackets in a JSON text, without parsing the
// rest.
func nesting(text string) int {
	depth, deepest, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
			deepest = max(deepest, depth)
		case c == ']' || c == '}':
			depth--
		}
	}
	return deepest
}

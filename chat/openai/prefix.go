package openai

import "strings"

// progress says whether a JSON text is complete.
type progress uint8

const (
	jsonWrong    progress = iota // not the beginning of any JSON text
	jsonPart                     // the beginning of a JSON text
	jsonComplete                 // one complete value; whitespace may follow
)

// progressOf checks a text that may be incomplete. It is lenient about numbers and words,
// since it serves to distinguish pieces and not to validate them.
func progressOf(s string) progress {
	const (
		value    = iota // a value must follow
		element         // a value or the end of the list must follow
		name            // a name or the end of the object must follow
		nextName        // a name
		colon
		after // a value is complete
	)
	var open []byte
	state := value
	for i := 0; i < len(s); {
		c := s[i]
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			i++
			continue
		}
		switch state {
		case after:
			switch {
			case len(open) == 0:
				return jsonWrong
			case c == ',' && open[len(open)-1] == '{':
				state = nextName
			case c == ',':
				state = value
			case c == '}' && open[len(open)-1] == '{', c == ']' && open[len(open)-1] == '[':
				open = open[:len(open)-1]
			default:
				return jsonWrong
			}
			i++
			continue
		case colon:
			if c != ':' {
				return jsonWrong
			}
			i++
			state = value
			continue
		}
		switch {
		case c == '"':
			n := textEnd(s[i+1:])
			if n < 0 {
				return jsonPart
			}
			i += 1 + n
			if state == name || state == nextName {
				state = colon
			} else {
				state = after
			}
		case c == '}' && state == name, c == ']' && state == element:
			open = open[:len(open)-1]
			state = after
			i++
		case state == name || state == nextName:
			return jsonWrong
		case c == '{' || c == '[':
			open = append(open, c)
			state = element
			if c == '{' {
				state = name
			}
			i++
		default:
			n := len(s[i:]) - len(strings.TrimLeft(s[i:], "-+.0123456789eEtrufalsn"))
			if n == 0 {
				return jsonWrong
			}
			i += n
			state = after
		}
	}
	if state == after && len(open) == 0 {
		return jsonComplete
	}
	return jsonPart
}

// textEnd returns the position after the closing quote of a string, -1 if there is none.
func textEnd(s string) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

package lower

import "github.com/localpass/localpass/sandbox/internal/jstext"

// feature is something that code may need translated or rewritten.
type feature uint8

const (
	// translation is syntax that esbuild has to translate.
	translation feature = 1 << iota
	// patterns is a regular expression that may have to be rewritten.
	patterns
)

// Bytes that occur in the searched syntax and seldom in other text: the w of await, the y
// of async, the g of using, and so on. A table makes one lookup per byte enough.
var telling = [256]bool{'c': true, 'w': true, 'y': true, 'g': true, '@': true, '#': true, '\\': true, '/': true, '^': true}

// detect looks for syntax that may need lowering. It treats strings and comments as code,
// so a finding must be confirmed. It may miss unusual forms, such as a comment or a
// no-break space between for and await; the engine then refuses the code.
func detect(code string) feature {
	var found feature
	for i := 0; i < len(code); i++ {
		if !telling[code[i]] {
			continue
		}
		switch code[i] {
		case 'w': // for await
			if found&translation == 0 && has(code, i-1, "await") && endsWithFor(code[:i-1]) {
				found |= translation
			}
		case 'y': // async *m, async function*
			if found&translation == 0 && has(code, i-2, "async") && starFollows(code, i+3) {
				found |= translation
			}
		case 'g': // using x
			if has(code, i-4, "using") && nameFollows(code, i+1) {
				found |= translation
			}
		case 'c': // accessor x
			if has(code, i-1, "accessor") && nameFollows(code, i+7) {
				found |= translation
			}
		case '@':
			found |= translation
		case '#': // #x in y
			if found&translation == 0 && inFollows(code, i+1) {
				found |= translation
			}
		case '\\':
			found |= escapeFeature(code, i)
		case '^': // [^]
			if i > 0 && code[i-1] == '[' && i+1 < len(code) && code[i+1] == ']' {
				found |= patterns
			}
		case '/':
			if flagsFollow(code, i+1) {
				found |= patterns
			}
		}
		if found == translation|patterns {
			break
		}
	}
	return found
}

func has(code string, i int, text string) bool {
	return i >= 0 && len(code)-i >= len(text) && code[i:i+len(text)] == text
}

// endsWithFor reports whether the text ends with "for", followed only by whitespace. The
// end of a comment counts as "for".
func endsWithFor(before string) bool {
	i := len(before)
	for i > 0 && before[i-1] <= ' ' {
		i--
	}
	return i > 0 && before[i-1] == '/' || has(before, i-3, "for")
}

// nameFollows reports whether whitespace and then a name follow.
func nameFollows(code string, i int) bool {
	start := i
	i = skipSpace(code, i)
	return i > start && i < len(code) && (jstext.IsWord(code[i]) || code[i] == '#' || code[i] == '/')
}

// starFollows reports whether a * follows "async" or "async function". A comment counts
// as a star.
func starFollows(code string, i int) bool {
	if i < len(code) && jstext.IsWord(code[i]) {
		return false
	}
	i = skipSpace(code, i)
	if has(code, i, "function") {
		i = skipSpace(code, i+len("function"))
	}
	return i < len(code) && (code[i] == '*' || code[i] == '/')
}

func inFollows(code string, i int) bool {
	start := i
	for i < len(code) && jstext.IsWord(code[i]) {
		i++
	}
	if i == start {
		return false
	}
	i = skipSpace(code, i)
	return has(code, i, "in") && (i+2 == len(code) || !jstext.IsWord(code[i+2])) || has(code, i, "/")
}

func skipSpace(code string, i int) int {
	for i < len(code) && code[i] <= ' ' {
		i++
	}
	return i
}

// escapeFeature inspects a backslash: \p{ and \P{ in a pattern, \u{0000000041} with more
// digits than the engine accepts in strings, and names written with escapes.
func escapeFeature(code string, i int) feature {
	if i+2 >= len(code) || code[i+2] != '{' {
		return 0
	}
	switch code[i+1] {
	case 'p', 'P':
		return patterns
	case 'u':
		digits := 0
		for j := i + 3; j < len(code) && isHex(code[j]); j++ {
			digits++
		}
		if digits > 5 {
			return translation
		}
	}
	return 0
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

// flagsFollow reports whether the text after a slash could be regular expression flags
// that include d or v.
func flagsFollow(code string, i int) bool {
	found := false
	for ; i < len(code) && jstext.IsWord(code[i]); i++ {
		switch code[i] {
		case 'd', 'v':
			found = true
		case 'g', 'i', 'm', 's', 'u', 'y':
		default:
			return false
		}
	}
	return found
}

package clause

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Token is a word, a name, an address or a punctuation mark.
type Token struct {
	// Text is the token in lower case and NFKC, without the quotes around it.
	Text string
	// From and To are the byte offsets in the text.
	From, To int
	// Is holds its classes.
	Is Class
	// Form is the form of a verb.
	Form Form
	// Quoted says that it stands in quotes or backquotes.
	Quoted bool
}

// Sentence is a list of tokens. Line breaks and list marks end sentences too.
type Sentence struct {
	Tokens []Token
	// First says that the text begins with it, as the summary of what a tool does.
	First bool
}

// maxTokens is how many tokens a sentence has: a longer one is cut, since the time to judge
// one grows with the square of its length.
const maxTokens = 200

// Sentences splits a text. The offsets of the tokens are those of the text.
func Sentences(text string) []Sentence {
	var out []Sentence
	var current []Token
	started := false
	flush := func() {
		if len(current) > 0 {
			out = append(out, Sentence{Tokens: classify(current), First: !started})
			started = true
		}
		current = nil
	}
	for at := 0; at < len(text); {
		if len(current) >= maxTokens {
			flush()
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case r == '\n':
			// A line that ends in the middle of a sentence goes on in the next.
			if endsLine(text[at+size:], current) {
				flush()
			}
			at += size
		case unicode.IsSpace(r) || unicode.IsControl(r):
			at += size
		case r == '.' || r == '!' || r == '?':
			if next, _ := utf8.DecodeRuneInString(text[at+size:]); r == '.' && isWordRune(next) && !endsWord(current, at) {
				at = word(text, at, &current)
				continue
			}
			if n := len(current); r != '.' || n == 0 || current[n-1].To-current[n-1].From > 1 { // not after an initial
				flush()
			}
			at += size
		case isWordRune(r) || r == '/' || r == '~' || r == '$' || r == '%' && at+1 < len(text) && isWordRune(rune(text[at+1])):
			at = word(text, at, &current)
		default:
			current = append(current, Token{Text: string(r), From: at, To: at + size, Is: mark(r)})
			at += size
		}
	}
	flush()
	return out
}

// endsLine reports that a line break ends a sentence: an empty line, a list mark or a capital
// letter follows, or the line before is a heading.
func endsLine(rest string, before []Token) bool {
	if len(before) == 0 {
		return false
	}
	rest = strings.TrimLeft(rest, " \t\r")
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case rest == "" || r == '\n' || unicode.IsUpper(r):
		return true
	case r == '-' || r == '*' || r == '#' || r == '>' || r == '•' || r == '<' || r == '|':
		return true
	case unicode.IsDigit(r):
		return strings.HasPrefix(rest[size:], ".") || strings.HasPrefix(rest[size:], ")")
	}
	last := before[len(before)-1].Text
	return last == ":"
}

// endsWord reports that a token ends at the offset, so that a dot there ends a sentence or
// joins a name.
func endsWord(current []Token, at int) bool {
	return len(current) > 0 && current[len(current)-1].To == at
}

func isWordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}

// inner are the characters inside words, names, paths and addresses.
const inner = "_-'’./\\~@:+%$&=?#*"

// word reads a word, name, path or address from at, and returns where it ends.
func word(text string, at int, current *[]Token) int {
	end := at
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if !isWordRune(r) && !strings.ContainsRune(inner, r) {
			break
		}
		end += size
	}
	for end > at && strings.ContainsRune(".:'’?-*&=", rune(text[end-1])) { // ends what comes before, and is no part of it
		_, size := utf8.DecodeLastRuneInString(text[at:end])
		end -= size
	}
	if end <= at {
		_, size := utf8.DecodeRuneInString(text[at:])
		end = at + size
	}
	raw := text[at:end]
	// "read/write" is two words and no path.
	if cut := strings.IndexByte(raw, '/'); cut > 0 && isPlain(raw[:cut]) && isPlain(raw[cut+1:]) && !strings.HasPrefix(raw, "etc/") {
		end = at + cut
		raw = text[at:end]
		next := Token{Text: "/", From: end, To: end + 1}
		*current = append(*current, newToken(text, raw, at, end), next)
		return end + 1
	}
	// "note:read" is two words as well.
	if cut := strings.IndexByte(raw, ':'); cut > 0 && isPlain(raw[:cut]) && !strings.HasPrefix(raw[cut:], "://") && !strings.HasPrefix(raw[cut:], ":\\") {
		end = at + cut
		raw = text[at:end]
	}
	*current = append(*current, newToken(text, raw, at, end))
	return end
}

func newToken(text, raw string, at, end int) Token {
	raw = norm.NFKC.String(raw) // full-width letters and the like are read as what they stand for
	t := Token{Text: strings.ToLower(raw), From: at, To: end, Quoted: quoted(text, at, end)}
	t.Is = shape(raw, t.Quoted)
	return t
}

func quoted(text string, from, to int) bool {
	if from == 0 || to >= len(text) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	after, _ := utf8.DecodeRuneInString(text[to:])
	return strings.ContainsRune("`'\"“‘«<*", before) && strings.ContainsRune("`'\"”’»>*(", after)
}

func isPlain(s string) bool {
	for _, r := range s {
		if !unicode.IsLetter(r) {
			return false
		}
	}
	return s != ""
}

// shape returns the classes that follow from how a token is written.
func shape(raw string, quoted bool) Class {
	lower := strings.ToLower(raw)
	switch {
	case strings.Contains(raw, "://"):
		return Address | Literal
	case isMail(raw):
		return Address | Literal
	case isPath(raw):
		is := Path | Literal
		if isSecretPath(lower) {
			is |= Secret
		}
		return is
	case isDomain(lower):
		return Address | Literal
	case isNumber(raw):
		return Number
	case isIdentifier(raw):
		return Identifier
	case quoted && isPlain(raw):
		return Identifier
	}
	return 0
}

func isMail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	return at > 0 && strings.Contains(s[at:], ".") && !strings.HasSuffix(s, ".") && !strings.Contains(s[:at], "/")
}

func isPath(s string) bool {
	switch {
	case strings.HasPrefix(s, "~/"), strings.HasPrefix(s, "./"), strings.HasPrefix(s, "../"), strings.HasPrefix(s, "$HOME"):
		return true
	case strings.HasPrefix(s, "/"):
		return len(s) > 2 && (strings.Count(s, "/") > 1 || isWordRune(rune(s[1])))
	case len(s) > 3 && s[1] == ':' && (s[2] == '\\' || s[2] == '/'):
		return true
	case strings.HasPrefix(s, "."):
		return len(s) > 2 && isWordRune(rune(s[1])) && isSecretPath(strings.ToLower(s))
	}
	lower := strings.ToLower(s)
	if strings.Contains(s, "/") && strings.LastIndexByte(s, '.') > strings.LastIndexByte(s, '/') {
		return true
	}
	for _, end := range [...]string{".txt", ".json", ".yaml", ".yml", ".toml", ".ini", ".conf", ".cfg", ".log", ".pem", ".key", ".db", ".sqlite", ".sh", ".py", ".csv", ".xml", ".env", ".bak", ".kdbx", ".pfx", ".p12", ".ovpn"} {
		if strings.HasSuffix(lower, end) && len(lower) > len(end) {
			return true
		}
	}
	return isSecretPath(lower)
}

// secretPaths are parts of paths at which secrets are kept.
var secretPaths = []string{".ssh", "id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", ".aws", ".gnupg", ".env", ".netrc", ".pgpass", ".git-credentials", ".npmrc", ".pypirc",
	".kube", "kubeconfig", ".docker/config", "/etc/passwd", "/etc/shadow", "/etc/sudoers", "etc/passwd", "etc/shadow", "credentials", "mcp.json", "claude_desktop_config", ".cursor/", "keychain", "wallet",
	"cookies.sqlite", "login data", ".pem", ".kdbx", ".p12", ".pfx", "secrets", "secret.", "password", "passwords", "private_key", "private-key", "privatekey", "api_key", "apikey", "token.",
	".bash_history", ".zsh_history", "authorized_keys", "known_hosts", "/proc/self/environ", "shadow.bak"}

func isSecretPath(lower string) bool {
	if !strings.ContainsAny(lower, "./_\\~") {
		return false
	}
	for _, p := range secretPaths {
		if strings.Contains(lower, p) {
			// A name such as create_credentials is that of a tool, not of a file.
			return strings.ContainsAny(lower, "/\\~.") || strings.HasPrefix(lower, "id_")
		}
	}
	return false
}

func isDomain(lower string) bool {
	dot := strings.LastIndexByte(lower, '.')
	if dot <= 0 || strings.ContainsAny(lower, "_()'’*") {
		return false
	}
	switch lower[dot+1:] {
	case "com", "net", "org", "io", "example", "test", "dev", "app", "cloud", "info", "biz", "xyz", "ru", "cn", "top", "me":
		return true
	}
	return false
}

func isNumber(s string) bool {
	digits := 0
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			digits++
		case !strings.ContainsRune("$€£%.,+-/:x", r):
			return false
		}
	}
	return digits > 0
}

// isIdentifier reports that a word is written as a name in code: with an underscore, a capital
// letter inside, or a dot.
func isIdentifier(s string) bool {
	if strings.ContainsAny(s, "'’/\\@=?&%") {
		return false
	}
	if i := strings.IndexByte(s, '_'); i > 0 && i < len(s)-1 {
		return true
	}
	lowerSeen, joined := false, false
	for _, r := range s {
		if unicode.IsUpper(r) && lowerSeen {
			joined = true
		}
		if unicode.IsLower(r) {
			lowerSeen = true
		}
	}
	return joined && !strings.Contains(s, "-") || strings.Count(s, "-") > 1 && lowerSeen && !commonHyphens[strings.ToLower(s)]
}

// commonHyphens are words with two hyphens that are no names.
var commonHyphens = map[string]bool{"up-to-date": true, "one-to-one": true, "end-to-end": true, "step-by-step": true, "day-to-day": true, "out-of-date": true, "read-only-mode": true,
	"real-time-data": true, "human-in-the-loop": true, "point-in-time": true, "so-called": true, "well-known": true, "face-to-face": true, "year-over-year": true, "yyyy-mm-dd": true}

func mark(r rune) Class {
	switch r {
	case ',', ':', ';', '(', ')', '-', '–', '—', '>', '*', '•', '|', '[', ']', '{', '}', '"', '“', '”':
		return Pause
	}
	return 0
}

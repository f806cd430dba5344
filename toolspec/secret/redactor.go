package secret

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Mask replaces a secret.
const Mask = "***"

// MinLength is the shortest secret that is masked, in bytes: shorter ones occur
// in ordinary text by chance (specification section 3.3).
const MinLength = 4

// Redactor masks secrets in text: those of [NewRedactor], or of a set that changes
// ([RedactorFunc]). It finds each secret as it is
// and in the forms it commonly travels in: base64 (standard and URL-safe), hex,
// percent-encoded and escaped within a JSON string. A nil *Redactor masks
// nothing. A Redactor is safe for concurrent use.
//
// Mask before cutting a text to length: half a secret is not found.
type Redactor struct {
	needles []string         // every form of every secret
	current func() *Redactor // in place of needles, for a set that changes
	all     bool             // in place of needles: masks every text as a whole
}

// maxRedactorFuncs bounds how many redactors of [RedactorFunc] may refer to each other.
const maxRedactorFuncs = 16

// maskAll is used if a [RedactorFunc] leads to no set of secrets.
var maskAll = &Redactor{all: true}

// RedactorFunc returns a redactor for a set of secrets that changes: each use calls current,
// which must be safe for concurrent use. If current returns nil, nothing is masked. If it
// returns, directly or through other redactors of RedactorFunc, a redactor that never leads
// to a set of secrets, every text is replaced by [Mask] as a whole.
func RedactorFunc(current func() *Redactor) *Redactor { return &Redactor{current: current} }

// Current returns the redactor of this moment, which does not change any more: for work
// that masks many texts. It is nil where nothing is masked.
func (r *Redactor) Current() *Redactor {
	for range maxRedactorFuncs {
		if r == nil || r.current == nil {
			return r
		}
		r = r.current()
	}
	return maskAll
}

// NewRedactor returns a redactor for the secrets, or nil when none of them is
// long enough to be masked.
func NewRedactor(secrets ...string) *Redactor {
	var needles []string
	seen := map[string]bool{}
	add := func(s string) {
		if len(s) >= MinLength && !seen[s] {
			seen[s] = true
			needles = append(needles, s)
		}
	}
	for _, s := range secrets {
		if len(s) < MinLength {
			continue
		}
		add(s)
		raw := []byte(s)
		for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
			add(enc.EncodeToString(raw))
		}
		h := hex.EncodeToString(raw)
		add(h)
		add(strings.ToUpper(h))
		text := strings.ToValidUTF8(s, "\uFFFD") // as code sees it
		add(text)
		for _, p := range []string{url.QueryEscape(s), url.PathEscape(s), escapeAllBut(text, "-_.!~*'()"), escapeAllBut(text, "-_.!~*'();/?:@&=+$,#"),
			strings.ReplaceAll(escapeAllBut(text, "*-._ "), " ", "+")} {
			add(p)
			add(lowerEscapes(p))
		}
		for _, html := range []bool{true, false} {
			var quoted bytes.Buffer
			enc := json.NewEncoder(&quoted)
			enc.SetEscapeHTML(html)
			if enc.Encode(s) == nil {
				add(quoted.String()[1 : quoted.Len()-2]) // without quotes and end of line
			}
		}
	}
	if len(needles) == 0 {
		return nil
	}
	return &Redactor{needles: needles}
}

// escapeAllBut percent-encodes everything but letters, digits and the characters
// named, as encodeURIComponent, encodeURI and the forms of the Web do.
func escapeAllBut(s, plain string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte(plain, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// lowerEscapes writes the hex digits of percent escapes in lower case.
func lowerEscapes(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(string(b[i+1:i+3])))
		}
	}
	return string(b)
}

// String masks every secret in s. Secrets that overlap are masked together, so
// that none leaves a tail of another.
func (r *Redactor) String(s string) string {
	r = r.Current()
	spans := r.spans(s)
	if spans == nil {
		return s
	}
	var b strings.Builder
	from := 0
	for _, sp := range spans {
		b.WriteString(s[from:sp.start])
		b.WriteString(Mask)
		from = sp.end
	}
	b.WriteString(s[from:])
	return b.String()
}

// Host masks the secrets in the name of a host, which loses its upper case on
// its way through a URL, and returns it in lower case.
func (r *Redactor) Host(host string) string {
	host = strings.ToLower(host)
	if r = r.Current(); r == nil {
		return host
	}
	folded := &Redactor{needles: make([]string, len(r.needles)), all: r.all}
	for i, n := range r.needles {
		folded.needles[i] = strings.ToLower(n)
	}
	return folded.String(host)
}

type span struct{ start, end int }

// spans returns the positions of the secrets in s, in order, overlaps merged.
func (r *Redactor) spans(s string) []span {
	if r == nil || s == "" {
		return nil
	}
	if r.all {
		return []span{{0, len(s)}}
	}
	var found []span
	for _, n := range r.needles {
		for from := 0; ; {
			i := strings.Index(s[from:], n)
			if i < 0 {
				break
			}
			found = append(found, span{from + i, from + i + len(n)})
			from += i + 1
		}
	}
	if len(found) < 2 {
		return found
	}
	slices.SortFunc(found, func(a, b span) int { return a.start - b.start })
	merged := found[:1]
	for _, sp := range found[1:] {
		if last := &merged[len(merged)-1]; sp.start < last.end {
			last.end = max(last.end, sp.end)
		} else {
			merged = append(merged, sp)
		}
	}
	return merged
}

// JSON masks every secret in the strings, the member names and the numbers of a
// JSON value; a number that holds a secret becomes the string "***". The rest
// of the text stays as it is. Text that is not JSON is masked as plain text.
func (r *Redactor) JSON(raw json.RawMessage) json.RawMessage {
	if r = r.Current(); r == nil || len(raw) == 0 {
		return raw
	}
	if !json.Valid(raw) {
		return json.RawMessage(r.String(string(raw)))
	}
	var out []byte // nil until something was masked
	copied := 0    // how much of raw is in out
	replace := func(start, end int, with []byte) {
		out = append(append(out, raw[copied:start]...), with...)
		copied = end
	}
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '"':
			end := i + 1
			for raw[end] != '"' {
				if raw[end] == '\\' {
					end++
				}
				end++
			}
			end++
			if masked, changed := r.jsonString(raw[i:end]); changed {
				replace(i, end, masked)
			}
			i = end
		case c == '-' || c >= '0' && c <= '9':
			end := i + 1
			for end < len(raw) && strings.IndexByte("+-.eE0123456789", raw[end]) >= 0 {
				end++
			}
			if r.spans(string(raw[i:end])) != nil {
				replace(i, end, []byte(`"`+Mask+`"`))
			}
			i = end
		default:
			i++
		}
	}
	if out == nil {
		return raw
	}
	return append(out, raw[copied:]...)
}

// jsonString masks one JSON string literal by its decoded value, however it is escaped.
func (r *Redactor) jsonString(literal []byte) ([]byte, bool) {
	var s string
	if json.Unmarshal(literal, &s) != nil {
		return literal, false
	}
	if r.spans(s) == nil {
		return literal, false
	}
	masked, err := json.Marshal(r.String(s))
	if err != nil {
		return []byte(`"` + Mask + `"`), true
	}
	return masked, true
}

package egress

import (
	"github.com/localpass/localpass/internal/clip"
	"net/http"
	"strings"

	"github.com/localpass/localpass/toolspec/secret"
)

// hopHeader reports whether a header belongs to the connection and not to the request:
// code may not set it. Such headers are dropped silently.
func hopHeader(name string) bool {
	switch len(name) {
	case 2:
		return strings.EqualFold(name, "TE")
	case 4:
		return strings.EqualFold(name, "Host")
	case 6:
		if strings.EqualFold(name, "Expect") {
			return true
		}
	case 7:
		if strings.EqualFold(name, "Trailer") || strings.EqualFold(name, "Upgrade") {
			return true
		}
	case 10:
		if strings.EqualFold(name, "Connection") || strings.EqualFold(name, "Keep-Alive") {
			return true
		}
	case 14:
		if strings.EqualFold(name, "Content-Length") {
			return true
		}
	case 17:
		if strings.EqualFold(name, "Transfer-Encoding") {
			return true
		}
	}
	return len(name) >= 6 && strings.EqualFold(name[:6], "Proxy-")
}

// credentialWords are the parts of names that mark headers with credentials.
var credentialWords = [...]string{"auth", "cookie", "token", "secret", "password", "passwd", "api-key", "apikey", "access-key", "session", "signature", "credential"}

// credential reports whether a header must not be sent to another origin, because of its
// name or because its value contains a secret.
func credential(name string, values []string, r *secret.Redactor) bool {
	lower := strings.ToLower(name)
	for _, w := range credentialWords {
		if strings.Contains(lower, w) {
			return true
		}
	}
	for _, v := range values {
		if hasHandle(v) || r.String(v) != v {
			return true
		}
	}
	return false
}

// checkHeader refuses characters that would end a header line early. strip reports
// whether headers have to be removed.
func checkHeader(h http.Header) (strip bool, err *Error) {
	for name, values := range h {
		if !token(name) {
			return false, invalid(ReasonInvalidHeader, "the header name "+clip.Quote(name, 80)+" is not allowed")
		}
		for _, v := range values {
			if !fieldValue(v) {
				return false, invalid(ReasonInvalidHeader, "the value of the header "+clip.Quote(name, 80)+" holds a control character")
			}
		}
		strip = strip || hopHeader(name)
	}
	return strip, nil
}

// fieldValue reports whether v is valid in a header line.
func fieldValue(v string) bool {
	for i := 0; i < len(v); i++ {
		if c := v[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// token reports whether s is a token of RFC 9110: a method or a header name.
func token(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return s != ""
}

// outgoing returns the headers to send: h itself if nothing has to be removed.
func outgoing(h http.Header, strip, crossed bool, r *secret.Redactor) http.Header {
	if !strip && !crossed {
		return h
	}
	out := make(http.Header, len(h))
	for name, values := range h {
		if !hopHeader(name) && !(crossed && credential(name, values, r)) {
			out[name] = values
		}
	}
	return out
}

// querySafe percent-encodes characters that are not allowed in a request line.
func querySafe(query string) string {
	i := 0
	for i < len(query) && !queryEscape(query[i]) {
		i++
	}
	if i == len(query) {
		return query
	}
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	b.WriteString(query[:i])
	for ; i < len(query); i++ {
		if c := query[i]; queryEscape(c) {
			b.WriteByte('%')
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&15])
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// queryEscape reports whether c must be percent-encoded: the special-query set of the URL
// Standard.
func queryEscape(c byte) bool {
	return c <= ' ' || c >= 0x7f || c == '"' || c == '<' || c == '>' || c == '#' || c == '\''
}

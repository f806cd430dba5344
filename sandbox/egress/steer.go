package egress

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/localpass/localpass/toolspec/secret"
)

// decodings is how many layers of percent-encoding are removed from a URL in the search
// for a secret. A URL with more layers is refused.
const decodings = 8

// steered refuses a redirect to another origin whose URL contains the value of a secret.
// Code that does not know the value can write the handle into a redirect target that it
// passes to a host, and the host, which receives the value, would send it on. steered
// looks for every secret that the call may send, whether or not it has sent it, since the
// host may have received it from an earlier call. to is nil if location is not a URL.
func (c *Call) steered(from *http.Request, to *url.URL, location string) *Error {
	if c.handles == nil && c.redactor == nil || to != nil && sameOrigin(from, to) {
		return nil
	}
	texts := []string{location}
	if to != nil {
		texts = append(texts, to.String()) // with dot segments resolved, and with fragment and credentials
	}
	look := c.handles.search()
	for _, text := range texts {
		if look.finds(text) || c.redactor.String(text) != text {
			return denied(ReasonSecretHost, "the URL of a redirect to another host holds the value of a secret")
		}
	}
	return nil
}

// sameOrigin reports whether a redirect stays in the origin of all requests that led to
// it.
func sameOrigin(from *http.Request, to *url.URL) bool {
	t, err := judgeURL(to)
	if err != nil {
		return false
	}
	for r := from; r != nil; {
		if o, err := judgeURL(r.URL); err != nil || !o.origin(&t) {
			return false
		}
		if r.Response == nil {
			break
		}
		r = r.Response.Request
	}
	return true
}

// search looks for values in a text.
type search struct {
	mask  *secret.Redactor // finds values of at least secret.MinLength
	short []string         // the shorter values, in lower case
}

// search returns a search for the values of all secrets of the call.
func (h *handles) search() search {
	if h == nil {
		return search{}
	}
	h.mu.Lock()
	values := append([]string(nil), h.values...)
	h.mu.Unlock()
	if h.lookup != nil {
		for name := range h.secrets {
			if value, ok := h.lookup(name); ok && strings.TrimSpace(value) != "" {
				values = append(values, value)
			}
		}
	}
	s := search{mask: secret.NewRedactor(values...)}
	for _, v := range values {
		if len(v) < secret.MinLength {
			s.short = append(s.short, strings.ToLower(v))
		}
	}
	return s
}

// finds reports whether a URL contains a value: in plain form or in a form that
// secret.Redactor knows (including base64 and hex of the whole value), in any letter
// case, with up to eight layers of percent-encoding, and with + for a space.
func (s search) finds(text string) bool {
	if s.mask == nil && len(s.short) == 0 {
		return false
	}
	for range decodings + 1 {
		spaced := strings.ReplaceAll(text, "+", " ")
		if s.in(text) || s.in(spaced) || s.in(unescape(spaced)) {
			return true
		}
		next := unescape(text)
		if next == text {
			return false
		}
		text = next
	}
	return true
}

func (s search) in(text string) bool {
	folded := strings.ToLower(text)
	if s.mask.Host(folded) != folded {
		return true
	}
	for _, v := range s.short {
		if strings.Contains(folded, v) {
			return true
		}
	}
	return false
}

// unescape removes one layer of percent-encoding. A % that does not begin an escape
// stays.
func unescape(text string) string {
	i := strings.IndexByte(text, '%')
	if i < 0 {
		return text
	}
	var b strings.Builder
	b.WriteString(text[:i])
	for ; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			high, low := hexDigit(text[i+1]), hexDigit(text[i+2])
			if high >= 0 && low >= 0 {
				b.WriteByte(byte(high<<4 | low))
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

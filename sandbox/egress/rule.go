package egress

import (
	"github.com/localpass/localpass/internal/clip"
	"slices"
	"strconv"
	"strings"
)

// Rule says where requests may be sent: a host pattern, with optional ports, methods and
// a path.
//
//	api.example.com                  the host, any port, method and path
//	*.example.com                    the domain and everything below it
//	*                                every public host
//	192.0.2.7  [2001:db8::7]         an address
//	api.example.com:443,8443         these ports only
//	GET,HEAD api.example.com/v1/*    these methods, and paths below /v1/
//	api.example.com/repos/*/issues   a * as a whole segment stands for one
//
// Comparing hosts ignores case, a trailing dot and the spelling of Unicode names. Paths
// are compared after percent-decoding, and a path that a server could interpret
// differently (with dot segments or an encoded slash) matches no rule that has a path.
type Rule struct {
	host    string // without "*."; empty for any host
	below   bool   // also matches every subdomain
	literal bool   // host is an IP address
	ports   []uint16
	methods []string
	path    []string // decoded segments after the first slash; nil for any path
	rest    bool     // the path may continue with further segments
}

// ParseRule reads a rule. The error is an [*Error] that says what is wrong.
func ParseRule(text string) (*Rule, error) {
	r, err := parseRule(text)
	if err != nil {
		return nil, err
	}
	return r, nil
}

func parseRule(text string) (*Rule, *Error) {
	bad := func(why string) (*Rule, *Error) {
		return nil, invalid(ReasonInvalidRule, "rule "+clip.Quote(text, 80)+" "+why)
	}
	r := &Rule{}
	rest := strings.TrimSpace(text)
	if methods, after, ok := strings.Cut(rest, " "); ok {
		for m := range strings.SplitSeq(methods, ",") {
			if !token(m) || m != strings.ToUpper(m) {
				return bad("has something that is not a method before the host; write it like GET,POST")
			}
			r.methods = append(r.methods, m)
		}
		rest = strings.TrimSpace(after)
	}
	switch {
	case rest == "":
		return bad("names no host")
	case strings.Contains(rest, "://"):
		return bad("has a scheme; name the host alone")
	case strings.ContainsFunc(rest, func(c rune) bool { return c <= ' ' || c == 0x7f || c == '\\' }):
		return bad("has a blank, a control character or a backslash")
	case strings.ContainsAny(rest, "?#"):
		return bad("has a query or a fragment; rules end with the path")
	}
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		if why := r.parsePath(rest[i:]); why != "" {
			return bad(why)
		}
		rest = rest[:i]
	}
	if strings.Contains(rest, "@") {
		return bad("has a user name; name the host alone")
	}
	if rest == "" {
		return bad("names no host")
	}
	name, ports := cutPorts(rest)
	if ports != "" {
		for p := range strings.SplitSeq(ports[1:], ",") {
			n, ok := parsePort(p)
			if !ok {
				return bad("has a port that is not a number from 1 to 65535")
			}
			r.ports = append(r.ports, n)
		}
	}
	if name == "*" {
		return r, nil
	}
	name, r.below = strings.CutPrefix(name, "*.")
	bare := name
	if inner, ok := strings.CutPrefix(name, "["); ok {
		if bare, ok = strings.CutSuffix(inner, "]"); !ok {
			return bad("has a bracket that is not closed")
		}
	}
	h, err := parseHost(bare)
	switch {
	case err != nil || bare != name && !h.addr.Is6():
		return bad("names no host")
	case r.below && h.addr.IsValid():
		return bad("puts a * before an address")
	}
	r.host, r.literal = h.name, h.addr.IsValid()
	return r, nil
}

// cutPorts splits ":443,8443" off a host pattern. A bare IPv6 address has none.
func cutPorts(text string) (name, ports string) {
	from := 0
	if strings.HasPrefix(text, "[") {
		if from = strings.IndexByte(text, ']'); from < 0 {
			return text, ""
		}
	} else if strings.Count(text, ":") > 1 {
		return text, ""
	}
	if i := strings.IndexByte(text[from:], ':'); i >= 0 {
		return text[:from+i], text[from+i:]
	}
	return text, ""
}

// parsePath parses the path of a rule; it returns a description of the error, "" if there
// is none.
func (r *Rule) parsePath(path string) string {
	segments, ok := split(path)
	if !ok {
		return "has a path that servers could read differently; write it plainly"
	}
	if strings.Contains(strings.ToLower(path), "%2a") {
		return "has an encoded *; that character cannot be part of a rule"
	}
	for i, s := range segments {
		if s != "*" && strings.Contains(s, "*") {
			return "has a * that is not a whole segment of the path"
		}
		if s == "*" && i == len(segments)-1 {
			r.rest = true
			segments = segments[:i]
		}
	}
	r.path = segments
	if r.path == nil {
		r.path = []string{}
	}
	return ""
}

// split returns the decoded segments of an escaped path. It returns false for a path that
// a server could interpret differently: with dot segments, with an encoded slash or
// backslash, or with one of these hidden by double encoding.
func split(path string) ([]string, bool) {
	if !strings.HasPrefix(path, "/") {
		return nil, false
	}
	segments := strings.Split(path[1:], "/")
	for i, s := range segments {
		decoded, ok := decode(s)
		if !ok {
			return nil, false
		}
		for inner, n := decoded, 0; ; n++ {
			bare, _, _ := strings.Cut(inner, ";") // some servers remove parameters first
			if bare == "." || bare == ".." || strings.ContainsAny(inner, "/\\\x00") || n == 8 {
				return nil, false
			}
			again, ok := decode(inner)
			if !ok || again == inner {
				break
			}
			inner = again
		}
		segments[i] = decoded
	}
	return segments, true
}

// decode removes one layer of percent-encoding.
func decode(s string) (string, bool) {
	if strings.IndexByte(s, '%') < 0 {
		return s, true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", false
		}
		hi, lo := unhex(s[i+1]), unhex(s[i+2])
		if hi > 15 || lo > 15 {
			return "", false
		}
		b.WriteByte(hi<<4 | lo)
		i += 2
	}
	return b.String(), true
}

func unhex(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}

// matchHost reports whether the rule matches the host and port of t.
func (r *Rule) matchHost(t *target) bool {
	if r.ports != nil && !slices.Contains(r.ports, t.port) {
		return false
	}
	switch {
	case r.host == "" || r.host == t.name:
		return true
	case !r.below || t.addr.IsValid():
		return false
	}
	n := len(t.name) - len(r.host)
	return n > 1 && t.name[n-1] == '.' && t.name[n:] == r.host
}

func (r *Rule) matchMethod(method string) bool {
	return r.methods == nil || slices.Contains(r.methods, method)
}

// matchPath reports whether the rule matches an escaped path.
func (r *Rule) matchPath(path string) bool {
	if r.path == nil {
		return true
	}
	if path == "" {
		path = "/"
	}
	segments, ok := split(path)
	if !ok || len(segments) < len(r.path) || !r.rest && len(segments) > len(r.path) || r.rest && len(segments) == len(r.path) {
		return false
	}
	for i, want := range r.path {
		if want == "*" {
			if segments[i] == "" {
				return false
			}
		} else if segments[i] != want {
			return false
		}
	}
	return true
}

// Covers reports whether r permits every request that other permits. It never returns
// true wrongly; for paths with a * in the middle it may return false although true would
// be correct.
func (r *Rule) Covers(other *Rule) bool {
	return r.coversHost(other) &&
		(r.ports == nil || other.ports != nil && subset(other.ports, r.ports)) &&
		(r.methods == nil || other.methods != nil && subset(other.methods, r.methods)) &&
		r.coversPath(other)
}

func (r *Rule) coversHost(other *Rule) bool {
	switch {
	case r.host == "":
		return true
	case other.host == "":
		return false
	case r.host == other.host:
		return r.below || !other.below
	}
	return r.below && !other.literal && strings.HasSuffix(other.host, "."+r.host)
}

func (r *Rule) coversPath(other *Rule) bool {
	switch {
	case r.path == nil:
		return true
	case other.path == nil || len(other.path) < len(r.path) || other.rest && !r.rest:
		return false
	case !r.rest && len(other.path) > len(r.path), r.rest && !other.rest && len(other.path) == len(r.path):
		return false
	}
	for i, want := range r.path {
		if want == "*" && other.path[i] == "" || want != "*" && want != other.path[i] {
			return false
		}
	}
	return true
}

func subset[T comparable](inner, outer []T) bool {
	return !slices.ContainsFunc(inner, func(v T) bool { return !slices.Contains(outer, v) })
}

// String writes the rule in its usual form.
func (r *Rule) String() string {
	var b strings.Builder
	if r.methods != nil {
		b.WriteString(strings.Join(r.methods, ",") + " ")
	}
	switch {
	case r.host == "":
		b.WriteString("*")
	case strings.Contains(r.host, ":"):
		b.WriteString("[" + r.host + "]")
	case r.below:
		b.WriteString("*." + r.host)
	default:
		b.WriteString(r.host)
	}
	for i, p := range r.ports {
		b.WriteByte(":,"[min(i, 1)])
		b.WriteString(strconv.Itoa(int(p)))
	}
	for _, s := range r.path {
		b.WriteByte('/')
		if s == "*" {
			b.WriteByte('*')
		} else {
			escape(&b, s)
		}
	}
	if r.rest {
		b.WriteString("/*")
	}
	return b.String()
}

// escape writes a segment in escaped form, so that parsing returns the same segment.
func escape(b *strings.Builder, s string) {
	const digits = "0123456789ABCDEF"
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c <= ' ', c >= 0x7f, strings.IndexByte(`%?#/\*"<>`+"`{}|^", c) >= 0:
			b.WriteByte('%')
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&15])
		default:
			b.WriteByte(c)
		}
	}
}

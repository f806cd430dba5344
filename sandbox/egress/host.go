package egress

import (
	"github.com/localpass/localpass/internal/clip"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// host is a host in the form in which it is compared, looked up and sent: lower-case
// ASCII without a trailing dot, or an address in its canonical form.
type host struct {
	name string     // "api.example.com", "192.0.2.1", "2001:db8::1"
	addr netip.Addr // valid if the host is an address
}

// names converts Unicode names to ASCII. Service names with an underscore are allowed,
// since the address of a name decides whether it may be reached.
var names = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false), idna.VerifyDNSLength(true), idna.BidiRule())

// parseHost parses a host without brackets and port.
func parseHost(text string) (host, *Error) {
	if text == "" {
		return host{}, invalid(ReasonMissingHost, "the URL has no host")
	}
	if strings.IndexByte(text, ':') >= 0 {
		return literal(text)
	}
	name := text
	if !needsNoMapping(text) {
		ascii, err := names.ToASCII(strings.TrimSuffix(text, "."))
		if err != nil {
			return host{}, invalid(ReasonInvalidURL, clip.Quote(text, 80)+" is not a host name")
		}
		// The mapping can produce any text, even an address, so its result is checked
		// again.
		name = ascii
		if again, err := names.ToASCII(name); err != nil || again != name || !nameBytes(name) || !utf8.ValidString(text) {
			return host{}, invalid(ReasonInvalidURL, clip.Quote(text, 80)+" is not a host name")
		}
	}
	name = strings.TrimSuffix(name, ".")
	if name == "" || len(name) > 253 {
		return host{}, invalid(ReasonInvalidURL, clip.Quote(text, 80)+" is not a host name")
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 {
			return host{}, invalid(ReasonInvalidURL, clip.Quote(text, 80)+" is not a host name")
		}
	}
	if numeric(name[strings.LastIndexByte(name, '.')+1:]) {
		return literal(name)
	}
	return host{name: name}, nil
}

// needsNoMapping reports whether text is an ASCII name that needs no mapping.
func needsNoMapping(text string) bool { return nameBytes(text) && !punycode(text) }

// nameBytes reports whether text consists only of characters of lower-case ASCII names.
func nameBytes(text string) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '.', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}

// punycode reports whether the name may contain an encoded label, which must be checked
// by decoding it.
func punycode(text string) bool { return strings.Contains(text, "xn--") }

// numeric reports whether the last label makes the whole host an address: it consists of
// digits or is a hexadecimal number, as no top-level domain does.
func numeric(label string) bool {
	hex, isHex := strings.CutPrefix(label, "0x")
	digits := "0123456789"
	if isHex {
		label, digits = hex, "0123456789abcdef"
	}
	return strings.Trim(label, digits) == "" && (isHex || label != "")
}

// literal parses an address. It refuses zones and spellings that programs interpret
// differently (octal, hexadecimal, fewer than four parts).
func literal(text string) (host, *Error) {
	addr, err := netip.ParseAddr(text)
	if err != nil {
		return host{}, denied(ReasonLiteralPrivate, clip.Quote(text, 80)+" is no plain address; write it as four numbers or as plain IPv6")
	}
	if addr.Zone() != "" {
		return host{}, denied(ReasonLiteralPrivate, clip.Quote(text, 80)+" is an address with a zone")
	}
	return host{name: addr.String(), addr: addr}, nil
}

// splitHost splits the Host of a URL; port is 0 if there is none.
func splitHost(hostport string) (h string, port uint16, err *Error) {
	h = hostport
	rest := ""
	if strings.HasPrefix(hostport, "[") {
		end := strings.IndexByte(hostport, ']')
		if end < 0 {
			return "", 0, invalid(ReasonInvalidURL, "the host has no closing bracket")
		}
		h, rest = hostport[1:end], hostport[end+1:]
		if strings.IndexByte(h, ':') < 0 {
			return "", 0, invalid(ReasonInvalidURL, clip.Quote(h, 80)+" in brackets is not an IPv6 address")
		}
	} else if i := strings.IndexByte(hostport, ':'); i >= 0 {
		h, rest = hostport[:i], hostport[i:]
	}
	switch {
	case rest == "" || rest == ":":
		return h, 0, nil
	case rest[0] != ':':
		return "", 0, invalid(ReasonInvalidURL, "the host is followed by something that is no port")
	}
	n, ok := parsePort(rest[1:])
	if !ok {
		return "", 0, invalid(ReasonInvalidURL, "the port of the URL is not a number from 1 to 65535")
	}
	return h, n, nil
}

func parsePort(text string) (uint16, bool) {
	if text == "" || len(text) > 5 || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 10, 16)
	return uint16(n), err == nil && n > 0
}

// ParseURL reads an absolute http or https URL as strictly as a Guard: it allows no
// credentials, and no backslash, space or control character before the path. The error is
// an [*Error].
func ParseURL(raw string) (*url.URL, error) {
	u, err := parseURL(raw)
	if err != nil {
		return nil, err
	}
	return u, nil
}

func parseURL(raw string) (*url.URL, *Error) {
	if raw == "" {
		return nil, invalid(ReasonMissingURL, "there is no URL")
	}
	if err := checkAuthority(raw); err != nil {
		return nil, err
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, invalid(ReasonInvalidURL, "the URL cannot be read")
	}
	if u.Scheme == "" {
		return nil, invalid(ReasonInvalidURL, "the URL is not absolute; begin it with https://")
	}
	if _, err := judgeURL(u); err != nil {
		return nil, err
	}
	return u, nil
}

// checkAuthority refuses text before the path that parsers interpret differently.
func checkAuthority(raw string) *Error {
	end := len(raw)
	if i := strings.IndexAny(raw, ":/?#"); i >= 0 && (raw[i] == ':' || strings.HasPrefix(raw[i:], "//")) {
		for i++; i < len(raw) && raw[i] == '/'; i++ {
		}
		if n := strings.IndexAny(raw[i:], "/?#"); n >= 0 {
			end = i + n
		}
	} else if i >= 0 {
		end = i // the path begins here
	}
	head := raw[:end]
	for i := 0; i < len(head); i++ {
		if c := head[i]; c <= ' ' || c == 0x7f || c == '\\' {
			return invalid(ReasonInvalidURL, "the URL has a backslash, a blank or a control character before its path")
		}
	}
	return nil
}

// target is the destination of a request, parsed from its URL.
type target struct {
	host
	port   uint16 // the effective port, never 0
	secure bool
}

// judgeURL checks a URL, however it was created, and returns its target.
func judgeURL(u *url.URL) (target, *Error) {
	t := target{port: 80}
	switch {
	case u.Scheme == "http":
	case u.Scheme == "https":
		t.port, t.secure = 443, true
	case strings.EqualFold(u.Scheme, "http"), strings.EqualFold(u.Scheme, "https"):
		return target{}, invalid(ReasonInvalidURL, "the scheme of the URL is not in lower case")
	default:
		return target{}, denied(ReasonUnsupportedScheme, "the scheme "+clip.Quote(u.Scheme, 80)+" is not http or https")
	}
	if u.User != nil {
		return target{}, invalid(ReasonInvalidURL, "the URL carries credentials; send them in a header")
	}
	if u.Opaque != "" || u.Host == "" {
		return target{}, invalid(ReasonMissingHost, "the URL has no host")
	}
	text, port, err := splitHost(u.Host)
	if err != nil {
		return target{}, err
	}
	if port != 0 {
		t.port = port
	}
	t.host, err = parseHost(text)
	return t, err
}

// hostport returns the Host of a URL for t, with the port only if it is not the default
// one of the scheme.
func (t *target) hostport() string {
	name := t.name
	if t.addr.Is6() {
		name = "[" + name + "]"
	}
	if t.secure && t.port == 443 || !t.secure && t.port == 80 {
		return name
	}
	return name + ":" + strconv.Itoa(int(t.port))
}

// origin reports whether t and o have the same scheme, host and port.
func (t *target) origin(o *target) bool {
	return t.name == o.name && t.port == o.port && t.secure == o.secure
}

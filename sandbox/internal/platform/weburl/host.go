package weburl

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/localpass/localpass/sandbox/internal/platform/ascii"
	"golang.org/x/net/idna"
)

// The characters that a host must not contain; a domain must also not contain control
// characters, percent signs and DEL.
const forbiddenHost = "\x00\t\n\r #/:<>?@[\\]^|"

// parseHost parses the host of a URL and returns its serialized form (WHATWG URL, section
// 3.5).
func parseHost(s string, special bool) (string, bool) {
	if strings.HasPrefix(s, "[") {
		if !strings.HasSuffix(s, "]") {
			return "", false
		}
		address, ok := parseIPv6(s[1 : len(s)-1])
		if !ok {
			return "", false
		}
		return "[" + ipv6Text(address) + "]", true
	}
	if !special {
		if strings.ContainsAny(s, forbiddenHost) {
			return "", false
		}
		return string(AppendEncoded(nil, s, encodeControl)), true
	}
	domain, ok := domainToASCII(strings.ToValidUTF8(PercentDecode(s), string(utf8.RuneError)))
	if !ok || domain == "" {
		return "", false
	}
	for i := range len(domain) {
		if c := domain[i]; c <= 0x1f || c == '%' || c >= 0x7f || strings.IndexByte(forbiddenHost, c) >= 0 {
			return "", false
		}
	}
	if endsInNumber(domain) {
		address, ok := parseIPv4(domain)
		if !ok {
			return "", false
		}
		return ipv4Text(address), true
	}
	return domain, true
}

// maxDomain is the maximum length, in bytes, of a domain that needs more than conversion
// to lower case, since encoding a label takes quadratic time. DNS allows 253.
const maxDomain = 4096

// domainToASCII is the algorithm "domain to ASCII" of the standard with beStrict false.
func domainToASCII(s string) (string, bool) {
	plain := true
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	lower := ascii.LowerString(s)
	if plain && !strings.HasPrefix(lower, "xn--") && !strings.Contains(lower, ".xn--") {
		return lower, true
	}
	if len(s) > maxDomain {
		return "", false
	}
	profile := idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.CheckJoiners(true),
		idna.CheckHyphens(false), idna.StrictDomainName(false), idna.VerifyDNSLength(false))
	out, err := profile.ToASCII(s)
	return out, err == nil
}

// endsInNumber reports whether the domain s ends in a number, so that it must be an IPv4
// address to be valid.
func endsInNumber(s string) bool {
	s = strings.TrimSuffix(s, ".")
	last := s[strings.LastIndexByte(s, '.')+1:]
	if last == "" {
		return false
	}
	if strings.Trim(last, "0123456789") == "" {
		return true
	}
	_, ok := ipv4Number(last)
	return ok
}

// ipv4Number reads a decimal, octal or hexadecimal part; one that is too large becomes
// the largest uint64.
func ipv4Number(s string) (uint64, bool) {
	if s == "" {
		return 0, false
	}
	base := 10
	switch {
	case len(s) >= 2 && s[0] == '0' && ascii.Lower(s[1]) == 'x':
		s, base = s[2:], 16
	case len(s) >= 2 && s[0] == '0':
		s, base = s[1:], 8
	}
	if s == "" {
		return 0, true
	}
	for i := range len(s) {
		switch c := s[i]; {
		case base == 16 && !isHex(c), base == 10 && !ascii.IsDigit(c), base == 8 && (c < '0' || c > '7'):
			return 0, false
		}
	}
	n, err := strconv.ParseUint(s, base, 64)
	if err != nil {
		return math.MaxUint64, true
	}
	return n, true
}

func parseIPv4(s string) (uint32, bool) {
	parts := strings.Split(s, ".")
	if n := len(parts); n > 1 && parts[n-1] == "" {
		parts = parts[:n-1]
	}
	if len(parts) > 4 {
		return 0, false
	}
	var address uint64
	for i, part := range parts {
		n, ok := ipv4Number(part)
		if !ok {
			return 0, false
		}
		if i == len(parts)-1 {
			if n >= 1<<(8*(5-len(parts))) {
				return 0, false
			}
			address += n
			break
		}
		if n > 255 {
			return 0, false
		}
		address += n << (8 * (3 - i))
	}
	return uint32(address), true
}

func ipv4Text(a uint32) string {
	var buf [15]byte
	b := buf[:0]
	for shift := 24; shift >= 0; shift -= 8 {
		b = strconv.AppendUint(b, uint64(a>>shift&255), 10)
		if shift > 0 {
			b = append(b, '.')
		}
	}
	return string(b)
}

// parseIPv6 parses the text between the brackets.
func parseIPv6(s string) (a [8]uint16, ok bool) {
	at, piece, compress := 0, 0, -1
	peek := func() byte {
		if at < len(s) {
			return s[at]
		}
		return 0
	}
	if peek() == ':' {
		if !strings.HasPrefix(s, "::") {
			return a, false
		}
		at, piece, compress = 2, 1, 1
	}
	for at < len(s) {
		if piece == 8 {
			return a, false
		}
		if s[at] == ':' {
			if compress >= 0 {
				return a, false
			}
			at++
			piece++
			compress = piece
			continue
		}
		value, start := uint16(0), at
		for at < len(s) && at-start < 4 && isHex(s[at]) {
			value = value<<4 | uint16(hexValue(s[at]))
			at++
		}
		switch peek() {
		case '.':
			if at == start || piece > 6 || !tailIPv4(s[start:], a[piece:]) {
				return a, false
			}
			piece += 2
			at = len(s)
			continue
		case ':':
			if at++; at == len(s) {
				return a, false
			}
		default:
			if at < len(s) {
				return a, false
			}
		}
		a[piece] = value
		piece++
	}
	switch {
	case compress >= 0:
		moved := piece - compress
		copy(a[8-moved:], append([]uint16(nil), a[compress:piece]...))
		clear(a[compress : 8-moved])
	case piece != 8:
		return a, false
	}
	return a, true
}

// tailIPv4 parses the four decimal numbers that may end an IPv6 address.
func tailIPv4(s string, pieces []uint16) bool {
	parts := strings.Split(s, ".")
	if len(parts) != 4 {
		return false
	}
	for i, part := range parts {
		if part == "" || len(part) > 3 || len(part) > 1 && part[0] == '0' || strings.Trim(part, "0123456789") != "" {
			return false
		}
		n, _ := strconv.Atoi(part)
		if n > 255 {
			return false
		}
		pieces[i/2] = pieces[i/2]<<8 | uint16(n)
	}
	return true
}

// ipv6Text writes an address with its longest run of zeros compressed.
func ipv6Text(a [8]uint16) string {
	start, length := -1, 1
	for i := 0; i < 8; {
		j := i
		for j < 8 && a[j] == 0 {
			j++
		}
		if j-i > length {
			start, length = i, j-i
		}
		i = max(j, i+1)
	}
	var b []byte
	for i := 0; i < 8; i++ {
		if i == start {
			b = append(b, ':')
			if i == 0 {
				b = append(b, ':')
			}
			i += length - 1
			continue
		}
		b = strconv.AppendUint(b, uint64(a[i]), 16)
		if i < 7 {
			b = append(b, ':')
		}
	}
	return string(b)
}

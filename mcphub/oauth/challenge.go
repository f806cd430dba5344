package oauth

import "strings"

// Challenge is one authentication scheme offered in a WWW-Authenticate header.
type Challenge struct {
	// Scheme is in lower case: "bearer", "dpop".
	Scheme string
	// Params are the parameters, by name in lower case. If a name is repeated, the first
	// counts.
	Params map[string]string
}

const (
	maxChallenges = 16
	maxParams     = 32
)

// ParseChallenges reads WWW-Authenticate headers (RFC 9110 section 11.6.1): each may hold
// several challenges. Parsing of a header stops at the first error; the challenges before
// it count. Challenges without parameters, or with a token instead of them, are kept with
// their scheme only.
func ParseChallenges(headers []string) []Challenge {
	var all []Challenge
	for _, h := range headers {
		all = parseChallenges(all, h)
	}
	return all
}

func parseChallenges(all []Challenge, s string) []Challenge {
	for len(all) < maxChallenges {
		s = strings.TrimLeft(s, " \t,")
		scheme, rest := word(s)
		if scheme == "" {
			return all
		}
		c := Challenge{Scheme: strings.ToLower(scheme), Params: map[string]string{}}
		gap := rest != "" && (rest[0] == ' ' || rest[0] == '\t')
		if s = rest; gap {
			s = params(c.Params, strings.TrimLeft(rest, " \t"))
		}
		all = append(all, c)
		if s = strings.TrimLeft(s, " \t"); s != "" && s[0] != ',' {
			return all
		}
	}
	return all
}

// params reads the parameters up to the next challenge and returns the rest.
func params(into map[string]string, s string) (rest string) {
	for first := true; ; first = false {
		at := strings.TrimLeft(s, " \t,")
		name, after := word(at)
		after = strings.TrimLeft(after, " \t")
		if name == "" || !strings.HasPrefix(after, "=") {
			if first { // a token68 instead of parameters
				return strings.TrimLeft(at, token68)
			}
			return s
		}
		value, after, ok := tokenOrQuoted(strings.TrimLeft(after[1:], " \t"))
		if !ok {
			if first && strings.Trim(after, "=") == "" {
				return "" // a token68 that ends with its padding
			}
			return after
		}
		if name = strings.ToLower(name); len(into) < maxParams {
			if _, twice := into[name]; !twice {
				into[name] = value
			}
		}
		s = after
		if t := strings.TrimLeft(s, " \t"); t != "" && t[0] != ',' {
			return t
		}
	}
}

const (
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	tchar   = letters + "!#$%&'*+-.^_`|~"
	token68 = letters + "-._~+/="
)

// word reads a token from the beginning of s.
func word(s string) (token, rest string) {
	rest = strings.TrimLeft(s, tchar)
	return s[:len(s)-len(rest)], rest
}

// tokenOrQuoted reads a token or a quoted string from the beginning of s.
func tokenOrQuoted(s string) (v, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		v, rest = word(s)
		return v, rest, v != ""
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			return b.String(), s[i+1:], true
		case '\\':
			if i++; i < len(s) {
				b.WriteByte(s[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

// wanted picks the challenge to answer: among those that this client supports, the one
// with the most parameters.
func wanted(all []Challenge) Challenge {
	var best Challenge
	most := -1
	for _, c := range all {
		if c.Scheme != "bearer" && c.Scheme != "dpop" {
			continue
		}
		n := 0
		for i, name := range []string{"error", "scope", "resource_metadata"} {
			if c.Params[name] != "" {
				n += 1 << i
			}
		}
		if n > most {
			best, most = c, n
		}
	}
	return best
}

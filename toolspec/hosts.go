package toolspec

import (
	"net/netip"
	"strconv"
	"strings"
)

// anyHost is the sentinel that stands for every public host.
const anyHost = "*"

// checkHostPattern says what is wrong with an entry of hostsAllow; empty when
// nothing is. A pattern is a host, a host behind "*." or "*" alone, with or
// without a port.
func checkHostPattern(pattern string) string {
	switch {
	case strings.TrimSpace(pattern) == "":
		return "is empty"
	case pattern == anyHost:
		return ""
	case strings.Contains(pattern, "://"):
		return "has a scheme; name the host alone"
	case strings.ContainsAny(pattern, "/?#\\"):
		return "has a path; name the host alone"
	case strings.Contains(pattern, "@"):
		return "has a user name; name the host alone"
	case strings.ContainsFunc(pattern, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return "has a blank or a control character"
	}
	if _, err := netip.ParseAddr(strings.Trim(pattern, "[]")); err == nil {
		return ""
	}
	host, port := cutPort(pattern)
	if port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return "has a port that is none"
		}
	}
	if strings.HasPrefix(host, "[") {
		if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err != nil {
			return "is no address"
		}
		return ""
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "*."), ".")
	if strings.Contains(host, "*") {
		return `has "*" in a place where it means nothing`
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 || strings.ContainsAny(label, ":[]%") {
			return "is no host name"
		}
	}
	return ""
}

// cutPort splits "host:port" of a pattern that is not empty; the port is empty
// when there is none.
func cutPort(pattern string) (host, port string) {
	i := strings.LastIndexByte(pattern, ':')
	if i < 0 || strings.HasSuffix(pattern, "]") || pattern[0] != '[' && strings.Count(pattern, ":") > 1 {
		return pattern, "" // no port, or a bare IPv6 address
	}
	return pattern[:i], pattern[i+1:]
}

// normalHost is the form in which patterns are compared: lower case, without a
// dot at the end.
func normalHost(pattern string) string {
	host, port := cutPort(strings.ToLower(strings.TrimSpace(pattern)))
	host = strings.TrimSuffix(host, ".")
	if port != "" {
		return host + ":" + port
	}
	return host
}

// covers reports whether everything that the pattern inner matches is matched
// by outer too. A pattern without a port covers every port.
func covers(outer, inner string) bool {
	if outer == anyHost {
		return true
	}
	outerHost, outerPort := cutPort(outer)
	innerHost, innerPort := cutPort(inner)
	if outerPort != "" && outerPort != innerPort {
		return false
	}
	if outerHost == innerHost {
		return true
	}
	domain, wild := strings.CutPrefix(outerHost, "*.")
	if !wild {
		return false
	}
	innerHost = strings.TrimPrefix(innerHost, "*.")
	return innerHost == domain || strings.HasSuffix(innerHost, "."+domain)
}

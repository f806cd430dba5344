package hosts

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Any is the sentinel that stands for every public host.
const Any = "*"

// Check says what is wrong with an entry of hostsAllow; it returns "" if the entry is
// valid. A pattern is a host, "*." and a host, or "*" alone, with or without ports;
// methods may precede it, as in "GET,HEAD api.example.com", and a path may follow it, as
// in "api.example.com/v1/*".
func Check(pattern string) string {
	pattern = strings.TrimSpace(pattern)
	if strings.Contains(pattern, "://") {
		return "has a scheme, which no host rule has"
	}
	methods, pattern, path := CutRule(pattern)
	for m := range strings.SplitSeq(strings.TrimSuffix(methods, " "), ",") {
		if methods != "" && (m == "" || strings.Trim(m, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "") {
			return "has something that is no method before the host"
		}
	}
	if strings.ContainsAny(path, "?#\\ ") || strings.Contains(path, "/../") || strings.HasSuffix(path, "/..") {
		return "has a path that is none: it takes segments, and * for one of them or, at the end, for the rest"
	}
	switch {
	case strings.TrimSpace(pattern) == "":
		return "is empty"
	case pattern == Any:
		return ""
	case strings.ContainsAny(pattern, "?#\\"):
		return "has a query; name the host and at most a path"
	case strings.Contains(pattern, "@"):
		return "has a user name, which no host rule has"
	case strings.ContainsFunc(pattern, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return "has a blank or a control character"
	}
	if _, err := netip.ParseAddr(strings.Trim(pattern, "[]")); err == nil {
		return ""
	}
	host, port := CutPort(pattern)
	for p := range strings.SplitSeq(port, ",") {
		if n, err := strconv.Atoi(p); port != "" && (err != nil || n < 1 || n > 65535) {
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
		if label == "" || len(label) > 63 || strings.ContainsAny(label, ":[]%,") {
			return "is no host name"
		}
	}
	return ""
}

// CutPort splits a non-empty pattern of the form "host:port"; the port is "" if there is
// none.
func CutPort(pattern string) (host, port string) {
	i := strings.LastIndexByte(pattern, ':')
	if i < 0 || strings.HasSuffix(pattern, "]") || pattern[0] != '[' && strings.Count(pattern, ":") > 1 {
		return pattern, "" // no port, or a bare IPv6 address
	}
	return pattern[:i], pattern[i+1:]
}

// CutRule splits a pattern into the methods including the space after them, the host
// including its ports, and the path including its leading slash.
func CutRule(pattern string) (methods, host, path string) {
	if i := strings.IndexByte(pattern, ' '); i >= 0 {
		methods, pattern = pattern[:i+1], strings.TrimLeft(pattern[i:], " ")
	}
	if i := strings.IndexByte(pattern, '/'); i >= 0 {
		pattern, path = pattern[:i], pattern[i:]
	}
	return methods, pattern, path
}

// Normal returns the form in which patterns are compared: the host in lower case and
// without a trailing dot.
func Normal(pattern string) string {
	methods, name, path := CutRule(strings.TrimSpace(pattern))
	if name == "" {
		return strings.ToLower(pattern)
	}
	host, port := CutPort(strings.ToLower(name))
	host = strings.TrimSuffix(host, ".")
	if port != "" {
		host += ":" + port
	}
	return methods + host + path
}

// Covers reports whether everything that the pattern inner matches is matched
// by outer too. A pattern without methods, ports or a path covers all of them.
func Covers(outer, inner string) bool {
	outerMethods, outer, outerPath := CutRule(outer)
	innerMethods, inner, innerPath := CutRule(inner)
	if outerMethods != "" && !allIn(innerMethods, outerMethods) || outerPath != "" && !coversPath(outerPath, innerPath) {
		return false
	}
	if outer == Any {
		return true
	}
	outerHost, outerPort := CutPort(outer)
	innerHost, innerPort := CutPort(inner)
	if outerPort != "" && !allIn(innerPort, outerPort) {
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

// allIn reports whether the comma-separated list inner is not empty and all its entries
// are also in outer.
func allIn(inner, outer string) bool {
	if inner == "" {
		return false
	}
	list := strings.Split(strings.TrimSuffix(outer, " "), ",")
	for item := range strings.SplitSeq(strings.TrimSuffix(inner, " "), ",") {
		if !slices.Contains(list, item) {
			return false
		}
	}
	return true
}

// coversPath compares paths as they are written. Only a * at the end of outer covers more
// than the identical path.
func coversPath(outer, inner string) bool {
	if before, ok := strings.CutSuffix(outer, "/*"); ok {
		return strings.HasPrefix(inner, before+"/")
	}
	return outer == inner
}

package weburl

import (
	"strconv"
	"strings"
)

// URL is a URL record of the WHATWG URL Standard (section 4.1). A nil pointer represents null.
type URL struct {
	Scheme             string
	Username, Password string
	host               *string // serialized: a domain, an IP address or an opaque host
	port               int     // -1: none, or the default port of the scheme
	path               []string
	opaque             bool // the path is opaque, as in mailto:a@b
	Query, fragment    *string
}

// specialPort returns the default port of a special scheme, -1 for file, which has no port.
func specialPort(scheme string) (port int, special bool) {
	switch scheme {
	case "http", "ws":
		return 80, true
	case "https", "wss":
		return 443, true
	case "ftp":
		return 21, true
	case "file":
		return -1, true
	}
	return -1, false
}

func (u *URL) special() bool {
	_, ok := specialPort(u.Scheme)
	return ok
}

// noCredentials reports whether the URL cannot have a user, password or port.
func (u *URL) noCredentials() bool {
	return u.host == nil || *u.host == "" || u.Scheme == "file"
}

// shorten removes the last segment of the path, but not the drive letter of a file URL.
func (u *URL) shorten() {
	n := len(u.path)
	if n == 0 || u.Scheme == "file" && n == 1 && normalDrive(u.path[0]) {
		return
	}
	u.path = u.path[:n-1]
}

// clone copies the record, so that a failed change leaves the original intact.
func (u *URL) clone() *URL {
	c := *u
	c.path = append([]string(nil), u.path...)
	return &c
}

// setPort sets the port, or none if it is the default port of the scheme.
func (u *URL) setPort(port int) {
	if own, _ := specialPort(u.Scheme); own == port {
		port = -1
	}
	u.port = port
}

// Href returns the whole URL.
func (u *URL) Href() string {
	var b strings.Builder
	b.WriteString(u.Scheme)
	b.WriteByte(':')
	switch {
	case u.host != nil:
		b.WriteString("//")
		if u.Username != "" || u.Password != "" {
			b.WriteString(u.Username)
			if u.Password != "" {
				b.WriteByte(':')
				b.WriteString(u.Password)
			}
			b.WriteByte('@')
		}
		b.WriteString(u.Host())
	case !u.opaque && len(u.path) > 1 && u.path[0] == "":
		b.WriteString("/.") // otherwise the path would be parsed as a host
	}
	b.WriteString(u.Pathname())
	if u.Query != nil {
		b.WriteByte('?')
		b.WriteString(*u.Query)
	}
	if u.fragment != nil {
		b.WriteByte('#')
		b.WriteString(*u.fragment)
	}
	return b.String()
}

// Host returns the host, with the port unless it is the default one.
func (u *URL) Host() string {
	if u.host == nil {
		return ""
	}
	if u.port < 0 {
		return *u.host
	}
	return *u.host + ":" + strconv.Itoa(u.port)
}

// Hostname returns the host without the port.
func (u *URL) Hostname() string {
	if u.host == nil {
		return ""
	}
	return *u.host
}

// Port returns the port, "" for none and for the default one.
func (u *URL) Port() string {
	if u.port < 0 {
		return ""
	}
	return strconv.Itoa(u.port)
}

// Pathname returns the path.
func (u *URL) Pathname() string {
	if u.opaque {
		return u.path[0]
	}
	if len(u.path) == 0 {
		return ""
	}
	return "/" + strings.Join(u.path, "/")
}

// Search returns the query with its question mark, "" if the query is absent or empty, as the standard requires.
func (u *URL) Search() string { return withSign('?', u.Query) }

// Hash returns the fragment with its number sign, "" if the fragment is absent or empty.
func (u *URL) Hash() string { return withSign('#', u.fragment) }

func withSign(sign byte, s *string) string {
	if s == nil || *s == "" {
		return ""
	}
	return string(sign) + *s
}

// Origin returns the serialized origin, "null" for an opaque origin (section 4.7).
func (u *URL) Origin() string {
	switch u.Scheme {
	case "blob":
		if inner := Parse(u.Pathname(), nil); inner != nil && (inner.Scheme == "http" || inner.Scheme == "https") {
			return inner.Origin()
		}
	case "http", "https", "ws", "wss", "ftp":
		return u.Scheme + "://" + u.Host()
	}
	return "null"
}

// TrimOpaque removes spaces at the end of an opaque path if no query or fragment follows, since they would be lost when
// the URL is parsed again.
func (u *URL) TrimOpaque() {
	if u.opaque && u.Query == nil && u.fragment == nil {
		u.path[0] = strings.TrimRight(u.path[0], " ")
	}
}

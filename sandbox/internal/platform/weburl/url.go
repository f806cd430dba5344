package weburl

import (
	"strconv"
	"strings"
)

// URL is a URL as the WHATWG URL Standard keeps it (section 4.1). A nil pointer is the
// standard's null.
type URL struct {
	Scheme             string
	Username, Password string
	host               *string // serialised: a domain, an address or an opaque host
	port               int     // -1: none, or the scheme's own
	path               []string
	opaque             bool // path is one opaque text: mailto:a@b
	Query, fragment    *string
}

// specialPort gives the default port of a special scheme, -1 for file, which
// has none.
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

// noCredentials reports that the URL can have neither a user nor a port.
func (u *URL) noCredentials() bool {
	return u.host == nil || *u.host == "" || u.Scheme == "file"
}

// shorten drops the last part of the path, but not the drive of a file.
func (u *URL) shorten() {
	n := len(u.path)
	if n == 0 || u.Scheme == "file" && n == 1 && normalDrive(u.path[0]) {
		return
	}
	u.path = u.path[:n-1]
}

// clone copies the record, so that a failed change leaves the old one.
func (u *URL) clone() *URL {
	c := *u
	c.path = append([]string(nil), u.path...)
	return &c
}

// setPort stores a port, none when it is the scheme's own.
func (u *URL) setPort(port int) {
	if own, _ := specialPort(u.Scheme); own == port {
		port = -1
	}
	u.port = port
}

// Href writes the whole URL.
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
		b.WriteString("/.") // or the path would read as a host
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

// Host gives the host with the port that is not the usual one.
func (u *URL) Host() string {
	if u.host == nil {
		return ""
	}
	if u.port < 0 {
		return *u.host
	}
	return *u.host + ":" + strconv.Itoa(u.port)
}

// Hostname gives the host alone.
func (u *URL) Hostname() string {
	if u.host == nil {
		return ""
	}
	return *u.host
}

// Port gives the port; empty for none and for the usual one.
func (u *URL) Port() string {
	if u.port < 0 {
		return ""
	}
	return strconv.Itoa(u.port)
}

// Pathname gives the path.
func (u *URL) Pathname() string {
	if u.opaque {
		return u.path[0]
	}
	if len(u.path) == 0 {
		return ""
	}
	return "/" + strings.Join(u.path, "/")
}

// Search gives the query with its question mark. Search and Hash are empty for "?" and "#" alone, as the standard has it.
func (u *URL) Search() string { return withSign('?', u.Query) }

// Hash gives the fragment with its number sign; empty for none and for an empty one.
func (u *URL) Hash() string { return withSign('#', u.fragment) }

func withSign(sign byte, s *string) string {
	if s == nil || *s == "" {
		return ""
	}
	return string(sign) + *s
}

// Origin is the origin's text; "null" for what has none (section 4.7).
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

// TrimOpaque drops the spaces that end an opaque path once nothing follows it:
// they would not survive being parsed again.
func (u *URL) TrimOpaque() {
	if u.opaque && u.Query == nil && u.fragment == nil {
		u.path[0] = strings.TrimRight(u.path[0], " ")
	}
}

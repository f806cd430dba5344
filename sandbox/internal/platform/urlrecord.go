package platform

import (
	"strconv"
	"strings"
)

// urlRecord is a URL as the WHATWG URL Standard keeps it (section 4.1). The
// empty pointer is the standard's null.
type urlRecord struct {
	scheme             string
	username, password string
	host               *string // serialised: a domain, an address or an opaque host
	port               int     // -1: none, or the scheme's own
	path               []string
	opaque             bool // path is one opaque text: mailto:a@b
	query, fragment    *string
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

func (u *urlRecord) special() bool {
	_, ok := specialPort(u.scheme)
	return ok
}

// noCredentials reports that the URL can have neither a user nor a port.
func (u *urlRecord) noCredentials() bool {
	return u.host == nil || *u.host == "" || u.scheme == "file"
}

// shorten drops the last part of the path, but not the drive of a file.
func (u *urlRecord) shorten() {
	n := len(u.path)
	if n == 0 || u.scheme == "file" && n == 1 && normalDrive(u.path[0]) {
		return
	}
	u.path = u.path[:n-1]
}

// clone copies the record, so that a failed change leaves the old one.
func (u *urlRecord) clone() *urlRecord {
	c := *u
	c.path = append([]string(nil), u.path...)
	return &c
}

// setPort stores a port, none when it is the scheme's own.
func (u *urlRecord) setPort(port int) {
	if own, _ := specialPort(u.scheme); own == port {
		port = -1
	}
	u.port = port
}

func (u *urlRecord) href() string {
	var b strings.Builder
	b.WriteString(u.scheme)
	b.WriteByte(':')
	switch {
	case u.host != nil:
		b.WriteString("//")
		if u.username != "" || u.password != "" {
			b.WriteString(u.username)
			if u.password != "" {
				b.WriteByte(':')
				b.WriteString(u.password)
			}
			b.WriteByte('@')
		}
		b.WriteString(u.hostPort())
	case !u.opaque && len(u.path) > 1 && u.path[0] == "":
		b.WriteString("/.") // or the path would read as a host
	}
	b.WriteString(u.pathname())
	if u.query != nil {
		b.WriteByte('?')
		b.WriteString(*u.query)
	}
	if u.fragment != nil {
		b.WriteByte('#')
		b.WriteString(*u.fragment)
	}
	return b.String()
}

func (u *urlRecord) hostPort() string {
	if u.host == nil {
		return ""
	}
	if u.port < 0 {
		return *u.host
	}
	return *u.host + ":" + strconv.Itoa(u.port)
}

func (u *urlRecord) hostname() string {
	if u.host == nil {
		return ""
	}
	return *u.host
}

func (u *urlRecord) portText() string {
	if u.port < 0 {
		return ""
	}
	return strconv.Itoa(u.port)
}

func (u *urlRecord) pathname() string {
	if u.opaque {
		return u.path[0]
	}
	if len(u.path) == 0 {
		return ""
	}
	return "/" + strings.Join(u.path, "/")
}

// search and hash are empty for "?" and "#" alone, as the standard has it.
func (u *urlRecord) search() string { return withSign('?', u.query) }
func (u *urlRecord) hash() string   { return withSign('#', u.fragment) }

func withSign(sign byte, s *string) string {
	if s == nil || *s == "" {
		return ""
	}
	return string(sign) + *s
}

// origin is the origin's text; "null" for what has none (section 4.7).
func (u *urlRecord) origin() string {
	switch u.scheme {
	case "blob":
		if inner := parseURL(u.pathname(), nil); inner != nil && (inner.scheme == "http" || inner.scheme == "https") {
			return inner.origin()
		}
	case "http", "https", "ws", "wss", "ftp":
		return u.scheme + "://" + u.hostPort()
	}
	return "null"
}

// trimOpaque drops the spaces that end an opaque path once nothing follows it:
// they would not survive being parsed again.
func (u *urlRecord) trimOpaque() {
	if u.opaque && u.query == nil && u.fragment == nil {
		u.path[0] = strings.TrimRight(u.path[0], " ")
	}
}

package dom

import "strings"

// Resolve returns the absolute address of a link on a page whose base address is base, as
// RFC 3986 defines it, without encoding or decoding anything. It returns "" if the link
// is relative and base is not an absolute address.
func Resolve(base, link string) string {
	r := split(stripControl(link))
	if r.scheme != "" {
		if r.hasHost {
			r.path = dots(r.path)
		}
		return r.join()
	}
	b := split(stripControl(base))
	if b.scheme == "" || !b.hasHost && !strings.HasPrefix(b.path, "/") {
		return ""
	}
	r.scheme = b.scheme
	switch {
	case r.hasHost:
		r.path = dots(r.path)
	case r.path == "":
		r.path = b.path
		if !r.hasQuery {
			r.query, r.hasQuery = b.query, b.hasQuery
		}
	case strings.HasPrefix(r.path, "/"):
		r.path = dots(r.path)
	default:
		dir := b.path[:strings.LastIndexByte(b.path, '/')+1]
		if dir == "" {
			dir = "/"
		}
		r.path = dots(dir + r.path)
	}
	if !r.hasHost {
		r.host, r.hasHost = b.host, b.hasHost
	}
	return r.join()
}

// address holds the parts of an address, split as in appendix B of RFC 3986.
type address struct {
	scheme, host, path, query, fragment string
	hasHost, hasQuery, hasFragment      bool
}

func split(s string) (a address) {
	s, a.fragment, a.hasFragment = strings.Cut(s, "#")
	s, a.query, a.hasQuery = strings.Cut(s, "?")
	if i := strings.IndexByte(s, ':'); i > 0 && isScheme(s[:i]) {
		a.scheme, s = strings.ToLower(s[:i]), s[i+1:]
	}
	if rest, ok := strings.CutPrefix(s, "//"); ok {
		a.hasHost = true
		i := strings.IndexByte(rest, '/')
		if i < 0 {
			i = len(rest)
		}
		a.host, s = rest[:i], rest[i:]
	}
	a.path = s
	return a
}

func (a address) join() string {
	var b strings.Builder
	if a.scheme != "" {
		b.WriteString(a.scheme + ":")
	}
	if a.hasHost {
		b.WriteString("//" + a.host)
	}
	b.WriteString(a.path)
	if a.hasQuery {
		b.WriteString("?" + a.query)
	}
	if a.hasFragment {
		b.WriteString("#" + a.fragment)
	}
	return b.String()
}

func isScheme(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if isLetter(c) || i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.') {
			continue
		}
		return false
	}
	return s != ""
}

// dots removes "." and ".." segments from a path; ".." at the top has no effect.
func dots(path string) string {
	if !strings.Contains(path, "/.") {
		return path
	}
	parts := strings.Split(path, "/")
	out := parts[:0]
	for i, p := range parts {
		last := i == len(parts)-1
		switch p {
		case ".":
			if last {
				out = append(out, "")
			}
		case "..":
			if len(out) > 1 {
				out = out[:len(out)-1]
			}
			if last {
				out = append(out, "")
			}
		default:
			out = append(out, p)
		}
	}
	return strings.Join(out, "/")
}

// stripControl trims a link and removes the control characters in it.
func stripControl(s string) string {
	s = trim(s)
	if strings.IndexFunc(s, isControl) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if isControl(r) {
			return -1
		}
		return r
	}, s)
}

func isControl(r rune) bool { return r < 0x20 || r == 0x7f }

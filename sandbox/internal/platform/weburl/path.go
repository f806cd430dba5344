package weburl

import (
	"strings"
	"unicode/utf8"

	"github.com/localpass/localpass/sandbox/internal/platform/ascii"
)

// This file holds the parser states that read file URLs, paths and what follows a path.

func (p *parser) file(c rune) outcome {
	u := p.url
	switch p.state {
	case stateFile:
		u.Scheme = "file"
		empty := ""
		u.host = &empty
		switch {
		case c == '/' || c == '\\':
			return p.to(stateFileSlash)
		case p.base != nil && p.base.Scheme == "file":
			p.take(p.base, true)
			return p.afterBase(c)
		}
		return p.retry(statePath)
	case stateFileSlash:
		if c == '/' || c == '\\' {
			return p.to(stateFileHost)
		}
		if p.base != nil && p.base.Scheme == "file" {
			u.host = p.base.host
			if !startsWithDrive(p.rest(0)) && len(p.base.path) > 0 && normalDrive(p.base.path[0]) {
				u.path = append(u.path, p.base.path[0])
			}
		}
		return p.retry(statePath)
	}
	if c != end && c != '/' && c != '\\' && c != '?' && c != '#' {
		p.buf = utf8.AppendRune(p.buf, c)
		return goOn
	}
	if p.override == stateNone && drive(string(p.buf)) {
		return p.retry(statePath) // the drive letter in the buffer begins the path
	}
	if len(p.buf) == 0 {
		empty := ""
		u.host = &empty
		if p.override != stateNone {
			return stop
		}
		return p.retry(statePathStart)
	}
	if !p.setHost() {
		return failed
	}
	if *u.host == "localhost" {
		empty := ""
		u.host = &empty
	}
	if p.override != stateNone {
		return stop
	}
	return p.retry(statePathStart)
}

func (p *parser) pathStart(c rune) outcome {
	u := p.url
	empty := ""
	switch {
	case u.special():
		if c == '/' || c == '\\' {
			return p.to(statePath)
		}
		return p.retry(statePath)
	case p.override == stateNone && c == '?':
		u.Query = &empty
		return p.to(stateQuery)
	case p.override == stateNone && c == '#':
		u.fragment = &empty
		return p.to(stateFragment)
	case c == '/':
		return p.to(statePath)
	case c != end:
		return p.retry(statePath)
	case p.override != stateNone && u.host == nil:
		u.path = append(u.path, "")
	}
	return goOn
}

func (p *parser) path(c rune) outcome {
	u := p.url
	slash := c == '/' || c == '\\' && u.special()
	if !slash && c != end && (p.override != stateNone || c != '?' && c != '#') {
		p.buf = appendEncodedRune(p.buf, c, encodePath)
		return goOn
	}
	part := string(p.buf)
	p.buf = p.buf[:0]
	switch {
	case doubleDot(part):
		u.shorten()
		if !slash {
			u.path = append(u.path, "")
		}
	case singleDot(part):
		if !slash {
			u.path = append(u.path, "")
		}
	default:
		if u.Scheme == "file" && len(u.path) == 0 && drive(part) {
			part = part[:1] + ":"
		}
		u.path = append(u.path, part)
	}
	empty := ""
	switch c {
	case '?':
		u.Query = &empty
		return p.to(stateQuery)
	case '#':
		u.fragment = &empty
		return p.to(stateFragment)
	}
	return goOn
}

func (p *parser) opaquePath(c rune) outcome {
	u := p.url
	empty := ""
	if c != '?' && c != '#' && c != end {
		if c == ' ' {
			// A space before a query, a fragment or the end of the URL would be lost.
			if next := p.char(1); next == '?' || next == '#' {
				p.buf = append(p.buf, "%20"...)
				return goOn
			}
		}
		p.buf = appendEncodedRune(p.buf, c, encodeControl)
		return goOn
	}
	u.path[0], p.buf = string(p.buf), p.buf[:0]
	switch c {
	case '?':
		u.Query = &empty
		return p.to(stateQuery)
	case '#':
		u.fragment = &empty
		return p.to(stateFragment)
	}
	return goOn
}

func (p *parser) Query(c rune) outcome {
	u := p.url
	if c != end && (c != '#' || p.override != stateNone) {
		set := encodeQuery
		if u.special() {
			set = encodeSpecialQuery
		}
		p.buf = appendEncodedRune(p.buf, c, set)
		return goOn
	}
	query := string(p.buf)
	u.Query, p.buf = &query, p.buf[:0]
	if c == '#' {
		empty := ""
		u.fragment = &empty
		return p.to(stateFragment)
	}
	return goOn
}

func (p *parser) fragment(c rune) outcome {
	if c != end {
		p.buf = appendEncodedRune(p.buf, c, encodeFragment)
		return goOn
	}
	fragment := string(p.buf)
	p.url.fragment = &fragment
	return goOn
}

func singleDot(s string) bool { return s == "." || strings.EqualFold(s, "%2e") }

func doubleDot(s string) bool {
	switch strings.ToLower(s) {
	case "..", ".%2e", "%2e.", "%2e%2e":
		return true
	}
	return false
}

// drive reports whether s is a Windows drive letter, such as C: or C|.
func drive(s string) bool {
	return len(s) == 2 && ascii.IsLetter(s[0]) && (s[1] == ':' || s[1] == '|')
}

func normalDrive(s string) bool { return drive(s) && s[1] == ':' }

func startsWithDrive(s []rune) bool {
	if len(s) < 2 || s[0] >= utf8.RuneSelf || !ascii.IsLetter(byte(s[0])) || s[1] != ':' && s[1] != '|' {
		return false
	}
	return len(s) == 2 || s[2] == '/' || s[2] == '\\' || s[2] == '?' || s[2] == '#'
}

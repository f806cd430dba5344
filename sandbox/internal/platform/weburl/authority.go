package weburl

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file holds the parser states that read user, host and port.

func (p *parser) authority(c rune) outcome {
	u := p.url
	ends := c == end || c == '/' || c == '?' || c == '#' || c == '\\' && u.special()
	switch {
	case c == '@':
		if p.atSeen {
			p.credential("@") // the earlier @ was part of the credentials
		}
		p.atSeen = true
		p.credential(string(p.buf))
		p.buf = p.buf[:0]
	case ends && p.atSeen && len(p.buf) == 0:
		return failed
	case ends:
		u.Username, u.Password = string(p.user), string(p.pass)
		p.at -= utf8.RuneCount(p.buf)
		p.buf = p.buf[:0]
		return p.retry(stateHost)
	default:
		p.buf = utf8.AppendRune(p.buf, c)
	}
	return goOn
}

// credential adds text from before an @: the user name up to the first colon, then the
// password.
func (p *parser) credential(s string) {
	if !p.passwordSeen {
		name, rest, found := strings.Cut(s, ":")
		p.user = AppendEncoded(p.user, name, encodeUser)
		if !found {
			return
		}
		p.passwordSeen, s = true, rest
	}
	p.pass = AppendEncoded(p.pass, s, encodeUser)
}

func (p *parser) host(c rune) outcome {
	u := p.url
	ends := c == end || c == '/' || c == '?' || c == '#' || c == '\\' && u.special()
	switch {
	case p.override != stateNone && u.Scheme == "file":
		return p.retry(stateFileHost)
	case c == ':' && !p.inBrackets:
		if len(p.buf) == 0 || p.override == stateHostname {
			return failed
		}
		if !p.setHost() {
			return failed
		}
		return p.to(statePort)
	case ends:
		if len(p.buf) == 0 {
			if u.special() {
				return failed
			}
			if p.override != stateNone && (u.Username != "" || u.Password != "" || u.port >= 0) {
				return failed
			}
		}
		if !p.setHost() {
			return failed
		}
		if p.override != stateNone {
			return stop
		}
		return p.retry(statePathStart)
	}
	switch c {
	case '[':
		p.inBrackets = true
	case ']':
		p.inBrackets = false
	}
	p.buf = utf8.AppendRune(p.buf, c)
	return goOn
}

func (p *parser) setHost() bool {
	host, ok := parseHost(string(p.buf), p.url.special())
	if !ok {
		return false
	}
	p.url.host, p.buf = &host, p.buf[:0]
	return true
}

func (p *parser) port(c rune) outcome {
	u := p.url
	switch {
	case c >= '0' && c <= '9':
		p.buf = append(p.buf, byte(c))
		return goOn
	case c == end || c == '/' || c == '?' || c == '#' || c == '\\' && u.special() || p.override != stateNone:
		if len(p.buf) > 0 {
			digits := strings.TrimLeft(string(p.buf), "0")
			if len(digits) > 5 {
				return p.badPort()
			}
			n, _ := strconv.Atoi("0" + digits)
			if n > 65535 {
				return p.badPort()
			}
			u.setPort(n)
			p.buf = p.buf[:0]
			if p.override != stateNone {
				return stop
			}
		}
		if p.override != stateNone {
			return p.badPort()
		}
		return p.retry(statePathStart)
	}
	return failed
}

// badPort fails for an invalid port; but the host setter keeps the host before it.
func (p *parser) badPort() outcome {
	if p.override == stateHost {
		return stop
	}
	return failed
}

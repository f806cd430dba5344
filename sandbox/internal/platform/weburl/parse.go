// Package weburl implements the WHATWG URL Standard: it parses URLs as browsers do and
// changes single parts of them. net/url is not suitable: it follows RFC 3986 and parses
// some texts differently, so that the code of a tool would see other hosts than in a
// browser.
package weburl

import (
	"strings"
	"unicode/utf8"

	"github.com/localpass/localpass/sandbox/internal/platform/ascii"
)

// state is a state of the basic URL parser (WHATWG URL, section 4.4); as a state override
// it says which part a setter changes.
type state uint8

const (
	stateNone state = iota
	stateSchemeStart
	stateScheme
	stateNoScheme
	stateSpecialRelativeOrAuthority
	statePathOrAuthority
	stateRelative
	stateRelativeSlash
	stateSpecialAuthoritySlashes
	stateSpecialAuthorityIgnoreSlashes
	stateAuthority
	stateHost
	stateHostname
	statePort
	stateFile
	stateFileSlash
	stateFileHost
	statePathStart
	statePath
	stateOpaquePath
	stateQuery
	stateFragment
)

// end represents the end of the input.
const end = rune(-1)

// Parse parses a URL, relative to base if base is not nil. It returns nil if input is not
// a valid URL.
func Parse(input string, base *URL) *URL {
	p := parser{url: &URL{port: -1}, base: base}
	if !p.run(strings.TrimFunc(input, func(r rune) bool { return r <= ' ' }), stateSchemeStart) {
		return nil
	}
	return p.url
}

// change parses value as one part of u, as a setter does. If the algorithm of the
// standard stops early or fails, u stays unchanged.
func (u *URL) change(value string, part state) {
	p := parser{url: u.clone(), override: part}
	if p.run(value, part) {
		*u = *p.url
	}
}

// parser is the state of one parse. A step reads the character at p.at, and may leave
// p.at unchanged so that the next state reads it again.
type parser struct {
	url      *URL
	base     *URL
	override state
	state    state

	input []rune
	at    int
	buf   []byte

	user, pass                       []byte
	atSeen, inBrackets, passwordSeen bool
}

// outcome is how a step ended.
type outcome uint8

const (
	goOn outcome = iota
	again
	stop
	failed
)

var lineBreaks = strings.NewReplacer("\t", "", "\n", "", "\r", "")

func (p *parser) run(input string, start state) bool {
	if strings.ContainsAny(input, "\t\n\r") {
		input = lineBreaks.Replace(input)
	}
	p.input, p.state = []rune(input), start
	for {
		c := p.char(0)
		switch p.step(c) {
		case failed:
			return false
		case stop:
			return true
		case again:
			continue
		}
		if p.at >= len(p.input) {
			return true
		}
		p.at++
	}
}

// char returns the character at an offset from the current position.
func (p *parser) char(offset int) rune {
	if i := p.at + offset; i >= 0 && i < len(p.input) {
		return p.input[i]
	}
	return end
}

func (p *parser) rest(offset int) []rune {
	return p.input[min(p.at+offset, len(p.input)):]
}

func (p *parser) to(state state) outcome {
	p.state = state
	return goOn
}

// retry makes the next state read the same character.
func (p *parser) retry(state state) outcome {
	p.state = state
	return again
}

func (p *parser) step(c rune) outcome {
	switch p.state {
	case stateSchemeStart, stateScheme, stateNoScheme:
		return p.Scheme(c)
	case stateSpecialRelativeOrAuthority:
		if c == '/' && p.char(1) == '/' {
			p.at++
			return p.to(stateSpecialAuthorityIgnoreSlashes)
		}
		return p.retry(stateRelative)
	case statePathOrAuthority:
		if c == '/' {
			return p.to(stateAuthority)
		}
		return p.retry(statePath)
	case stateRelative, stateRelativeSlash:
		return p.relative(c)
	case stateSpecialAuthoritySlashes:
		if c == '/' && p.char(1) == '/' {
			p.at++
			return p.to(stateSpecialAuthorityIgnoreSlashes)
		}
		return p.retry(stateSpecialAuthorityIgnoreSlashes)
	case stateSpecialAuthorityIgnoreSlashes:
		if c == '/' || c == '\\' {
			return goOn
		}
		return p.retry(stateAuthority)
	case stateAuthority:
		return p.authority(c)
	case stateHost, stateHostname:
		return p.host(c)
	case statePort:
		return p.port(c)
	case stateFile, stateFileSlash, stateFileHost:
		return p.file(c)
	case statePathStart:
		return p.pathStart(c)
	case statePath:
		return p.path(c)
	case stateOpaquePath:
		return p.opaquePath(c)
	case stateQuery:
		return p.Query(c)
	}
	return p.fragment(c)
}

func (p *parser) Scheme(c rune) outcome {
	plain := c >= 0 && c < utf8.RuneSelf
	switch p.state {
	case stateSchemeStart:
		if plain && ascii.IsLetter(byte(c)) {
			p.buf = append(p.buf, ascii.Lower(byte(c)))
			return p.to(stateScheme)
		}
		if p.override != stateNone {
			return failed
		}
		return p.retry(stateNoScheme)
	case stateScheme:
		switch {
		case plain && (ascii.IsLetter(byte(c)) || ascii.IsDigit(byte(c)) || c == '+' || c == '-' || c == '.'):
			p.buf = append(p.buf, ascii.Lower(byte(c)))
			return goOn
		case c == ':':
			return p.endScheme()
		case p.override != stateNone:
			return failed
		}
		p.buf, p.at = p.buf[:0], 0
		return p.retry(stateNoScheme)
	}
	switch { // no scheme: a reference relative to the base
	case p.base == nil || p.base.opaque && c != '#':
		return failed
	case p.base.opaque:
		p.take(p.base, true)
		empty := ""
		p.url.fragment = &empty
		return p.to(stateFragment)
	case p.base.Scheme == "file":
		return p.retry(stateFile)
	}
	return p.retry(stateRelative)
}

// endScheme handles the colon after the scheme.
func (p *parser) endScheme() outcome {
	u, scheme := p.url, string(p.buf)
	if p.override != stateNone {
		_, special := specialPort(scheme)
		if u.special() != special || scheme == "file" && (u.Username != "" || u.Password != "" || u.port >= 0) ||
			u.Scheme == "file" && (u.host == nil || *u.host == "") {
			return stop
		}
		u.Scheme = scheme
		u.setPort(u.port)
		return stop
	}
	u.Scheme, p.buf = scheme, p.buf[:0]
	switch {
	case scheme == "file":
		return p.to(stateFile)
	case u.special() && p.base != nil && p.base.Scheme == scheme:
		return p.to(stateSpecialRelativeOrAuthority)
	case u.special():
		return p.to(stateSpecialAuthoritySlashes)
	case p.char(1) == '/':
		p.at++
		return p.to(statePathOrAuthority)
	}
	u.path, u.opaque = []string{""}, true
	return p.to(stateOpaquePath)
}

// take copies the parts of base that a relative reference keeps.
func (p *parser) take(base *URL, query bool) {
	u := p.url
	u.Scheme, u.Username, u.Password, u.host, u.port = base.Scheme, base.Username, base.Password, base.host, base.port
	u.path, u.opaque = append([]string(nil), base.path...), base.opaque
	if query {
		u.Query = base.Query
	}
}

func (p *parser) relative(c rune) outcome {
	u := p.url
	if p.state == stateRelative {
		u.Scheme = p.base.Scheme
		if c == '/' || c == '\\' && u.special() {
			return p.to(stateRelativeSlash)
		}
		p.take(p.base, true)
		return p.afterBase(c)
	}
	switch {
	case u.special() && (c == '/' || c == '\\'):
		return p.to(stateSpecialAuthorityIgnoreSlashes)
	case c == '/':
		return p.to(stateAuthority)
	}
	p.take(p.base, false)
	u.path = nil
	return p.retry(statePath)
}

// afterBase continues where a reference replaces the last part of the path of the base.
func (p *parser) afterBase(c rune) outcome {
	u := p.url
	empty := ""
	switch c {
	case '?':
		u.Query = &empty
		return p.to(stateQuery)
	case '#':
		u.fragment = &empty
		return p.to(stateFragment)
	case end:
		return goOn
	}
	u.Query = nil
	if u.Scheme == "file" && startsWithDrive(p.rest(0)) {
		u.path = nil
	} else {
		u.shorten()
	}
	return p.retry(statePath)
}

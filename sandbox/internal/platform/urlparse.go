package platform

import (
	"strings"
	"unicode/utf8"
)

// urlState is a state of the standard's basic URL parser (WHATWG URL, section
// 4.4); as an override it says which part a setter changes.
type urlState uint8

const (
	stateNone urlState = iota
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

// parseURL parses a URL, relative to base when there is one. It returns nil
// when the text is not a URL.
func parseURL(input string, base *urlRecord) *urlRecord {
	p := urlParser{url: &urlRecord{port: -1}, base: base}
	if !p.run(strings.TrimFunc(input, func(r rune) bool { return r <= ' ' }), stateSchemeStart) {
		return nil
	}
	return p.url
}

// change parses value as one part of u, as a setter does. u is left as it was
// where the standard stops early or fails.
func (u *urlRecord) change(value string, part urlState) {
	p := urlParser{url: u.clone(), override: part}
	if p.run(value, part) {
		*u = *p.url
	}
}

// urlParser is one parse. A step reads the character at p.at and may leave p.at
// where it is for the next state.
type urlParser struct {
	url      *urlRecord
	base     *urlRecord
	override urlState
	state    urlState

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

func (p *urlParser) run(input string, start urlState) bool {
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

// char is the character at an offset from the position of the parser.
func (p *urlParser) char(offset int) rune {
	if i := p.at + offset; i >= 0 && i < len(p.input) {
		return p.input[i]
	}
	return end
}

func (p *urlParser) rest(offset int) []rune {
	return p.input[min(p.at+offset, len(p.input)):]
}

func (p *urlParser) to(state urlState) outcome {
	p.state = state
	return goOn
}

// retry has the next state read the same character.
func (p *urlParser) retry(state urlState) outcome {
	p.state = state
	return again
}

func (p *urlParser) step(c rune) outcome {
	switch p.state {
	case stateSchemeStart, stateScheme, stateNoScheme:
		return p.scheme(c)
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
		return p.query(c)
	}
	return p.fragment(c)
}

func (p *urlParser) scheme(c rune) outcome {
	ascii := c >= 0 && c < utf8.RuneSelf
	switch p.state {
	case stateSchemeStart:
		if ascii && isLetter(byte(c)) {
			p.buf = append(p.buf, lowerByte(byte(c)))
			return p.to(stateScheme)
		}
		if p.override != stateNone {
			return failed
		}
		return p.retry(stateNoScheme)
	case stateScheme:
		switch {
		case ascii && (isLetter(byte(c)) || isDigit(byte(c)) || c == '+' || c == '-' || c == '.'):
			p.buf = append(p.buf, lowerByte(byte(c)))
			return goOn
		case c == ':':
			return p.endScheme()
		case p.override != stateNone:
			return failed
		}
		p.buf, p.at = p.buf[:0], 0
		return p.retry(stateNoScheme)
	}
	switch { // no scheme: relative to the base
	case p.base == nil || p.base.opaque && c != '#':
		return failed
	case p.base.opaque:
		p.take(p.base, true)
		empty := ""
		p.url.fragment = &empty
		return p.to(stateFragment)
	case p.base.scheme == "file":
		return p.retry(stateFile)
	}
	return p.retry(stateRelative)
}

// endScheme takes the scheme in front of a colon.
func (p *urlParser) endScheme() outcome {
	u, scheme := p.url, string(p.buf)
	if p.override != stateNone {
		_, special := specialPort(scheme)
		if u.special() != special || scheme == "file" && (u.username != "" || u.password != "" || u.port >= 0) ||
			u.scheme == "file" && (u.host == nil || *u.host == "") {
			return stop
		}
		u.scheme = scheme
		u.setPort(u.port)
		return stop
	}
	u.scheme, p.buf = scheme, p.buf[:0]
	switch {
	case scheme == "file":
		return p.to(stateFile)
	case u.special() && p.base != nil && p.base.scheme == scheme:
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

// take copies from the base what a relative reference keeps of it.
func (p *urlParser) take(base *urlRecord, query bool) {
	u := p.url
	u.scheme, u.username, u.password, u.host, u.port = base.scheme, base.username, base.password, base.host, base.port
	u.path, u.opaque = append([]string(nil), base.path...), base.opaque
	if query {
		u.query = base.query
	}
}

func (p *urlParser) relative(c rune) outcome {
	u := p.url
	if p.state == stateRelative {
		u.scheme = p.base.scheme
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

// afterBase continues where a reference leaves the base's own path.
func (p *urlParser) afterBase(c rune) outcome {
	u := p.url
	empty := ""
	switch c {
	case '?':
		u.query = &empty
		return p.to(stateQuery)
	case '#':
		u.fragment = &empty
		return p.to(stateFragment)
	case end:
		return goOn
	}
	u.query = nil
	if u.scheme == "file" && startsWithDrive(p.rest(0)) {
		u.path = nil
	} else {
		u.shorten()
	}
	return p.retry(statePath)
}

package parser

import (
	"errors"
	"fmt"
	"github.com/localpass/localpass/internal/clip"
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file parses XML 1.0 documents without a document type; any text that is not
// well-formed is an error. encoding/xml with RawToken does not fit. It accepts two root
// elements, and attributes that are repeated or not separated by space, which an extra
// check could detect; but it refuses names of the fifth edition of XML (<\u{10000}/>) and
// names with two colons, and in an attribute it does not distinguish a line ending, which
// must become a space, from &#10;, which must stay.

type xmlElement struct {
	tag      string
	attrs    []xmlAttr
	text     string
	children []*xmlElement
}

type xmlAttr struct{ name, value string }

type xmlParser struct {
	clock
	src    string
	pos    int
	limits Limits

	open  []*xmlElement
	texts []*strings.Builder // of the open elements
	root  *xmlElement

	nodes, attrs int
}

var errXMLEnd = errors.New("the document ends in the middle")

func parseXML(text string, limits Limits, stopped func() bool) (*xmlElement, error) {
	if err := tooLong(text, limits.XMLBytes); err != nil {
		return nil, err
	}
	p := &xmlParser{src: strings.TrimPrefix(text, "\ufeff"), limits: limits, clock: clock{stopped: stopped}}
	err := p.document()
	if err != nil && !errors.Is(err, errStopped) {
		err = fmt.Errorf("%w (line %d)", err, 1+lines(p.src[:min(p.pos, len(p.src))]))
	}
	return p.root, err
}

func (p *xmlParser) document() error {
	if strings.HasPrefix(p.src, "<?xml") && len(p.src) > 5 && isXMLSpace(p.src[5]) {
		if err := p.declaration(); err != nil {
			return err
		}
	}
	for p.pos < len(p.src) {
		if err := p.tick(); err != nil {
			return err
		}
		if err := p.next(); err != nil {
			return err
		}
	}
	switch {
	case len(p.open) > 0:
		return fmt.Errorf("<%s> is not closed", clip.To(p.open[len(p.open)-1].tag, 64))
	case p.root == nil:
		return errors.New("there is no element")
	}
	return nil
}

// declaration consumes <?xml version="1.0"?>. It ignores the encoding named there, since
// the text is already decoded.
func (p *xmlParser) declaration() error {
	end := strings.Index(p.src, "?>")
	if end < 0 {
		return errXMLEnd
	}
	d := xmlParser{src: p.src[:end], pos: len("<?xml"), limits: p.limits}
	attrs, err := d.attributes()
	if err != nil {
		return err
	}
	order := []string{"version", "encoding", "standalone"}
	for i, a := range attrs {
		for len(order) > 0 && order[0] != a.name {
			order = order[1:]
		}
		if len(order) == 0 || i == 0 && (a.name != "version" || !strings.HasPrefix(a.value, "1.")) ||
			a.name == "standalone" && a.value != "yes" && a.value != "no" {
			return errors.New("the XML declaration is not valid")
		}
		order = order[1:]
	}
	if len(attrs) == 0 || d.pos != len(d.src) {
		return errors.New("the XML declaration is not valid")
	}
	p.pos = end + 2
	return nil
}

// next consumes the text up to the next markup, or one piece of markup.
func (p *xmlParser) next() error {
	rest := p.src[p.pos:]
	switch {
	case rest[0] != '<':
		return p.chars(rest)
	case strings.HasPrefix(rest, "<!--"):
		return p.comment(rest)
	case strings.HasPrefix(rest, "<![CDATA["):
		return p.cdata(rest)
	case strings.HasPrefix(rest, "<!"):
		if strings.HasPrefix(rest, "<!DOCTYPE") {
			return errors.New("a DOCTYPE is not allowed")
		}
		return errors.New("the markup after < is not valid")
	case strings.HasPrefix(rest, "<?"):
		return p.instruction(rest)
	case strings.HasPrefix(rest, "</"):
		return p.end()
	}
	return p.start()
}

func (p *xmlParser) chars(rest string) error {
	end := strings.IndexByte(rest, '<')
	if end < 0 {
		end = len(rest)
	}
	t := rest[:end]
	if len(p.open) == 0 {
		if strings.Trim(t, " \t\r\n") != "" {
			return errors.New("there is text outside of the root element")
		}
		p.pos += end
		return nil
	}
	if strings.Contains(t, "]]>") {
		return errors.New("]]> is not allowed in text")
	}
	t, err := decodeXML(t, false)
	if err != nil {
		return err
	}
	p.texts[len(p.texts)-1].WriteString(t)
	p.pos += end
	return nil
}

func (p *xmlParser) comment(rest string) error {
	body := rest[len("<!--"):]
	end := strings.Index(body, "--")
	if end < 0 {
		return errXMLEnd
	}
	if !strings.HasPrefix(body[end:], "-->") {
		return errors.New("-- is not allowed in a comment")
	}
	p.pos += len("<!--") + end + len("-->")
	return validXML(body[:end])
}

func (p *xmlParser) cdata(rest string) error {
	if len(p.open) == 0 {
		return errors.New("there is text outside of the root element")
	}
	body := rest[len("<![CDATA["):]
	end := strings.Index(body, "]]>")
	if end < 0 {
		return errXMLEnd
	}
	p.texts[len(p.texts)-1].WriteString(xmlLineEnds(body[:end]))
	p.pos += len("<![CDATA[") + end + len("]]>")
	return validXML(body[:end])
}

func (p *xmlParser) instruction(rest string) error {
	body := rest[len("<?"):]
	end := strings.Index(body, "?>")
	if end < 0 {
		return errXMLEnd
	}
	name, ok := xmlName(body[:end])
	if !ok || strings.EqualFold(name, "xml") || len(name) < end && !isXMLSpace(body[len(name)]) {
		return errors.New("the processing instruction is not valid")
	}
	p.pos += len("<?") + end + len("?>")
	return validXML(body[:end])
}

func (p *xmlParser) start() error {
	name, ok := xmlName(p.src[p.pos+1:])
	if !ok {
		return errors.New("the markup after < is not valid")
	}
	if p.root != nil && len(p.open) == 0 {
		return errors.New("there is more than one root element")
	}
	if p.nodes++; p.nodes > p.limits.XMLNodes {
		return fmt.Errorf("it has more than %d elements", p.limits.XMLNodes)
	}
	if len(p.open) >= p.limits.XMLDepth {
		return fmt.Errorf("elements nest deeper than %d levels", p.limits.XMLDepth)
	}
	p.pos += 1 + len(name)
	attrs, err := p.attributes()
	if err != nil {
		return err
	}
	e := &xmlElement{tag: name, attrs: attrs}
	if len(p.open) == 0 {
		p.root = e
	} else {
		parent := p.open[len(p.open)-1]
		parent.children = append(parent.children, e)
	}
	switch rest := p.src[p.pos:]; {
	case strings.HasPrefix(rest, ">"):
		p.pos++
		p.open = append(p.open, e)
		p.texts = append(p.texts, &strings.Builder{})
	case strings.HasPrefix(rest, "/>"):
		p.pos += 2
	case rest == "":
		return errXMLEnd
	default:
		return fmt.Errorf("the attributes of <%s> are not valid", clip.To(name, 64))
	}
	return nil
}

func (p *xmlParser) end() error {
	name, ok := xmlName(p.src[p.pos+2:])
	if !ok {
		return errors.New("the end tag is not valid")
	}
	if len(p.open) == 0 {
		return fmt.Errorf("</%s> closes nothing", clip.To(name, 64))
	}
	last := len(p.open) - 1
	e := p.open[last]
	if e.tag != name {
		return fmt.Errorf("<%s> is closed by </%s>", clip.To(e.tag, 64), clip.To(name, 64))
	}
	at := p.pos + 2 + len(name)
	for at < len(p.src) && isXMLSpace(p.src[at]) {
		at++
	}
	if at >= len(p.src) {
		return errXMLEnd
	}
	if p.src[at] != '>' {
		return fmt.Errorf("the end tag </%s> is not valid", clip.To(name, 64))
	}
	p.pos = at + 1
	e.text = strings.Trim(p.texts[last].String(), " \t\r\n")
	p.open, p.texts = p.open[:last], p.texts[:last]
	return nil
}

// attributes consumes the attributes of a start tag and the space after them.
func (p *xmlParser) attributes() ([]xmlAttr, error) {
	var attrs []xmlAttr
	var seen map[string]bool // used only for many attributes; a few are compared one by one
	for {
		before := p.pos
		for p.pos < len(p.src) && isXMLSpace(p.src[p.pos]) {
			p.pos++
		}
		name, ok := xmlName(p.src[p.pos:])
		if !ok {
			return attrs, nil
		}
		if p.pos == before {
			return nil, fmt.Errorf("no space before the attribute %s", clip.To(name, 64))
		}
		p.pos += len(name)
		value, err := p.value(name)
		if err != nil {
			return nil, err
		}
		if len(attrs) == 16 {
			seen = make(map[string]bool, 32)
			for _, a := range attrs {
				seen[a.name] = true
			}
		}
		twice := seen[name]
		if seen == nil {
			for _, a := range attrs {
				twice = twice || a.name == name
			}
		} else {
			seen[name] = true
		}
		if twice {
			return nil, fmt.Errorf("the attribute %s occurs twice", clip.To(name, 64))
		}
		if p.attrs++; p.attrs > p.limits.XMLNodes {
			return nil, fmt.Errorf("it has more than %d attributes", p.limits.XMLNodes)
		}
		if err := p.tick(); err != nil {
			return nil, err
		}
		attrs = append(attrs, xmlAttr{name, value})
	}
}

func (p *xmlParser) value(name string) (string, error) {
	rest := strings.TrimLeft(p.src[p.pos:], " \t\r\n")
	rest, ok := strings.CutPrefix(rest, "=")
	rest = strings.TrimLeft(rest, " \t\r\n")
	if !ok || rest == "" || rest[0] != '"' && rest[0] != '\'' {
		return "", fmt.Errorf("the value of the attribute %s is missing or has no quotes", clip.To(name, 64))
	}
	end := strings.IndexByte(rest[1:], rest[0])
	if end < 0 {
		return "", errXMLEnd
	}
	raw := rest[1 : end+1]
	if strings.IndexByte(raw, '<') >= 0 {
		return "", fmt.Errorf("the value of the attribute %s holds <", clip.To(name, 64))
	}
	value, err := decodeXML(raw, true)
	p.pos = len(p.src) - len(rest) + end + 2
	return value, err
}

// decodeXML resolves the references in text and normalizes line endings; in an attribute
// every whitespace character becomes a space.
func decodeXML(s string, attribute bool) (string, error) {
	if err := validXML(s); err != nil {
		return "", err
	}
	s = xmlLineEnds(s)
	if attribute && strings.ContainsAny(s, "\t\n") {
		s = strings.NewReplacer("\t", " ", "\n", " ").Replace(s)
	}
	if strings.IndexByte(s, '&') < 0 {
		return s, nil
	}
	var b strings.Builder
	b.Grow(len(s))
	for {
		i := strings.IndexByte(s, '&')
		if i < 0 {
			b.WriteString(s)
			return b.String(), nil
		}
		b.WriteString(s[:i])
		s = s[i+1:]
		end := strings.IndexByte(s[:min(len(s), 16)], ';')
		if end < 0 {
			return "", errors.New("an & begins no reference")
		}
		r, err := xmlReference(s[:end])
		if err != nil {
			return "", err
		}
		b.WriteRune(r)
		s = s[end+1:]
	}
}

func xmlReference(name string) (rune, error) {
	switch name {
	case "lt":
		return '<', nil
	case "gt":
		return '>', nil
	case "amp":
		return '&', nil
	case "quot":
		return '"', nil
	case "apos":
		return '\'', nil
	}
	if digits, ok := strings.CutPrefix(name, "#"); ok {
		base := 10
		if hex, ok := strings.CutPrefix(digits, "x"); ok {
			digits, base = hex, 16
		}
		n, err := strconv.ParseUint(digits, base, 32)
		if err == nil && n <= utf8.MaxRune && isXMLChar(rune(n)) {
			return rune(n), nil
		}
		return 0, fmt.Errorf("&%s; is no character", name)
	}
	return 0, fmt.Errorf("the entity &%s; is not known", clip.To(name, 64))
}

func xmlLineEnds(s string) string {
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
}

// validXML returns an error if s contains a character that XML does not allow.
func validXML(s string) error {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 && c != '\t' && c != '\n' && c != '\r' || c == 0xEF {
			r, size := utf8.DecodeRuneInString(s[i:])
			if !isXMLChar(r) {
				return fmt.Errorf("the character %U is not allowed", r)
			}
			i += size - 1
		}
	}
	return nil
}

func isXMLChar(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r <= 0xD7FF || r >= 0xE000 && r <= 0xFFFD || r >= 0x10000
}

func isXMLSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// xmlName returns the name at the start of s.
func xmlName(s string) (string, bool) {
	for i, r := range s {
		if !isXMLNameChar(r, i == 0) {
			return s[:i], i > 0
		}
	}
	return s, s != ""
}

// isXMLNameChar reports whether r is a NameStartChar (if first) or a NameChar of XML 1.0,
// fifth edition.
func isXMLNameChar(r rune, first bool) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '_', r == ':':
		return true
	case r >= '0' && r <= '9', r == '-', r == '.', r == 0xB7, r >= 0x300 && r <= 0x36F, r == 0x203F, r == 0x2040:
		return !first
	case r < 0xC0, r == 0xD7, r == 0xF7, r == 0x37E, r == utf8.RuneError:
		return false
	case r <= 0x1FFF:
		return true
	case r == 0x200C, r == 0x200D, r >= 0x2070 && r <= 0x218F, r >= 0x2C00 && r <= 0x2FEF, r >= 0x3001 && r <= 0xD7FF,
		r >= 0xF900 && r <= 0xFDCF, r >= 0xFDF0 && r <= 0xFFFC, r >= 0x10000 && r <= 0xEFFFF:
		return true
	}
	return false
}

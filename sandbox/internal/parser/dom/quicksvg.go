package dom

import (
	"strings"

	"golang.org/x/net/html"
)

// svg takes a drawing, as long as it holds nothing but shapes and text.
func (q *quick) svg(t *tag) {
	if q.kept > 0 || q.apart > 0 {
		q.lost = true
		return
	}
	q.boundary()
	if !t.self {
		q.shapes()
	} else if strings.HasSuffix(t.raw, "/") && unquotedSlash(t.raw) {
		q.lost = true
	}
	q.boundary()
}

// unquotedSlash reports whether the slash at the end may belong to a value.
func unquotedSlash(attributes string) bool {
	s := strings.TrimSuffix(attributes, "/")
	return s != "" && !isSpace(s[len(s)-1]) && s[len(s)-1] != '"' && s[len(s)-1] != '\''
}

// shapes goes behind the end tag of a drawing.
func (q *quick) shapes() {
	open := []string{"svg"}
	for q.pos < len(q.src) && q.step() {
		i := strings.IndexByte(q.src[q.pos:], '<')
		if i < 0 {
			break
		}
		if i > 0 {
			q.drawn(q.src[q.pos : q.pos+i])
			q.pos += i
		}
		if !q.markup(q.pos) {
			break
		}
		switch c := q.src[q.pos+1]; {
		case c == '!' && strings.HasPrefix(q.src[q.pos:], "<!--"):
			q.declaration()
			continue
		case c == '!' || c == '?':
			q.lost = true
			return
		case c == '/':
			if !isLetter(q.src[q.pos+2]) {
				q.lost = true
				return
			}
			name := q.tagName(q.pos + 2)
			if _, ok := q.tag(q.pos + 2); !ok || !strings.EqualFold(name, open[len(open)-1]) {
				q.lost = true
				return
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return
			}
			continue
		}
		name := q.tagName(q.pos + 1)
		t, ok := q.tag(q.pos + 1)
		lower := strings.ToLower(name)
		if !ok || !isShape(lower) || t.self && unquotedSlash(t.raw) && t.raw != "/" {
			q.lost = true
			return
		}
		switch {
		case t.self:
		case lower == "title" || lower == "style":
			if !q.shapeText(lower) {
				q.lost = true
				return
			}
		default:
			open = append(open, lower)
			if len(open) > 100 {
				q.lost = true
				return
			}
		}
	}
	q.lost = true
}

func (q *quick) tagName(start int) string {
	i := start
	for i < len(q.src) && q.src[i] != '>' && q.src[i] != '/' && !isSpace(q.src[i]) {
		i++
	}
	return q.src[start:i]
}

func (q *quick) drawn(t string) { q.text(html.UnescapeString(lineFeeds(t)), false) }

// shapeText takes a title or style in a drawing, when only text is in it.
func (q *quick) shapeText(name string) bool {
	rest := q.src[q.pos:]
	i := strings.IndexByte(rest, '<')
	if i < 0 || len(rest) < i+3+len(name) || rest[i+1] != '/' || !strings.EqualFold(rest[i+2:i+2+len(name)], name) || rest[i+2+len(name)] != '>' {
		return false
	}
	q.boundary()
	if name == "title" {
		q.text(html.UnescapeString(lineFeeds(rest[:i])), true)
	}
	q.boundary()
	q.pos += i + 3 + len(name)
	return true
}

// isShape reports whether an element of a drawing is one without surprises.
func isShape(name string) bool {
	switch name {
	case "svg", "g", "path", "circle", "ellipse", "line", "polygon", "polyline", "rect", "use", "defs", "symbol", "text",
		"tspan", "textpath", "image", "lineargradient", "radialgradient", "stop", "clippath", "mask", "pattern", "marker",
		"filter", "animate", "animatetransform", "title", "style", "a", "fegaussianblur", "feoffset", "feblend",
		"feflood", "fecolormatrix", "femerge", "femergenode", "fecomposite":
		return true
	}
	return false
}

package lower

import (
	"strings"

	"github.com/localpass/localpass/sandbox/internal/jstext"
)

// escaped inspects an escape in a string or template.
func (s *scanner) escaped(at int) { s.seen |= escapeFeature(s.src, at) & translation }

// template skips the text of a template, up to its end or its next ${.
func (s *scanner) template() {
	end := jstext.Unclosed
	s.pos, end = jstext.TemplateText(s.src, s.pos, s.escaped)
	switch end {
	case jstext.Closed:
		s.token("", true)
	case jstext.Substitution:
		if s.top().enum {
			s.enumParts++
		}
		s.open = append(s.open, level{template: true, enum: s.top().enum})
		s.token("{", false)
	}
}

// comment skips a comment, and reports whether there was one.
func (s *scanner) comment() bool {
	end := jstext.CommentEnd(s.src, s.pos)
	s.fresh = s.fresh || strings.Contains(s.src[s.pos:end], "\n")
	begun := s.pos
	s.pos = end
	return end > begun
}

// slash skips a regular expression or a division sign.
func (s *scanner) slash() {
	start := s.pos + 1
	if !s.operand {
		if end, ok := jstext.PatternEnd(s.src, start); ok {
			s.pos = end + 1
			for s.pos < len(s.src) && jstext.IsWord(s.src[s.pos]) {
				s.pos++
			}
			flags := s.src[end+1 : s.pos]
			if strings.ContainsAny(flags, "dv") || strings.Contains(flags, "u") && needsRewriting(s.src[start:end]) {
				s.seen |= patterns
			}
			s.token("", true)
			return
		}
	}
	s.link()
	s.pos = start
	s.token("/", false)
}

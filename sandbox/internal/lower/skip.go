package lower

import "strings"

// skipString goes past a string; one that is not closed ends with its line.
func (s *scanner) skipString(quote byte) {
	for s.pos++; s.pos < len(s.src); s.pos++ {
		switch s.src[s.pos] {
		case '\\':
			s.seen |= escapeFeature(s.src, s.pos) & translation
			s.pos++
		case quote:
			s.pos++
			return
		case '\n':
			return
		}
	}
	s.pos = len(s.src)
}

// template continues in a template's text, up to its end or its next ${.
func (s *scanner) template() {
	for ; s.pos < len(s.src); s.pos++ {
		switch s.src[s.pos] {
		case '\\':
			s.seen |= escapeFeature(s.src, s.pos) & translation
			s.pos++
		case '`':
			s.pos++
			s.token("", true)
			return
		case '$':
			if has(s.src, s.pos+1, "{") {
				if s.top().enum {
					s.enumParts++
				}
				s.open = append(s.open, level{template: true, enum: s.top().enum})
				s.pos += 2
				s.token("{", false)
				return
			}
		}
	}
	s.pos = len(s.src)
}

// comment goes past a comment when there is one.
func (s *scanner) comment() bool {
	rest := s.src[s.pos:]
	switch {
	case strings.HasPrefix(rest, "//"):
		n := strings.IndexByte(rest, '\n')
		if n < 0 {
			n = len(rest)
		}
		s.pos += n
	case strings.HasPrefix(rest, "/*"):
		n := strings.Index(rest[2:], "*/")
		if n < 0 {
			n = len(rest) - 4
		}
		s.fresh = s.fresh || strings.Contains(rest[:n+2], "\n")
		s.pos += n + 4
	default:
		return false
	}
	return true
}

// slash goes past a regular expression or a division sign.
func (s *scanner) slash() {
	start := s.pos + 1
	if !s.operand {
		if end := patternEnd(s.src, start); end > 0 {
			s.pos = end + 1
			for s.pos < len(s.src) && isWord(s.src[s.pos]) {
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

// patternEnd finds the slash that ends a regular expression; 0 when there is
// none on its line, so that it was a division after all.
func patternEnd(code string, i int) int {
	class := false
	for ; i < len(code); i++ {
		switch c := code[i]; {
		case c == '\\':
			i++
		case c == '\n':
			return 0
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			return i
		}
	}
	return 0
}

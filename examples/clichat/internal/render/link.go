package render

import "strings"

// maxLink is the maximum length of a link in bytes. The beginning of a longer one counts
// as text.
const maxLink = 600

// links reads the links of a text. It looks at each parenthesis only once, even if the
// text contains the beginnings of many links.
type links struct {
	src   string
	ends  map[int]int // by the position of a "(": the position after the ")" that closes it
	steps int         // the number of bytes examined, for the tests
}

// read reads a link [text](url) at a position of the source, and returns its length; 0
// for none. more says that more text may still complete a link.
func (l *links) read(at int) (text, url string, n int, more bool) {
	s := l.src[at:]
	end := strings.IndexAny(s[1:], "[]\n") + 1
	l.steps += max(end, 0)
	switch {
	case end == 0:
		l.steps += len(s)
		return "", "", 0, true
	case s[end] != ']':
		return "", "", 0, false
	case end+1 == len(s):
		return "", "", 0, true
	case s[end+1] != '(':
		return "", "", 0, false
	}
	if l.ends == nil {
		l.match()
	}
	behind, closed := l.ends[at+end+1]
	switch {
	case !closed:
		return "", "", 0, len(s) < maxLink
	case behind == 0 || behind-at > maxLink:
		return "", "", 0, false
	}
	url, _, _ = strings.Cut(strings.TrimSpace(l.src[at+end+2:behind-1]), " ")
	return s[1:end], url, behind - at, false
}

// match finds the end of every "(". The end is 0 if the line ends without closing it, and
// missing if more text may still close it.
func (l *links) match() {
	l.ends = map[int]int{}
	var open []int
	for i := range len(l.src) {
		switch l.src[i] {
		case '(':
			open = append(open, i)
		case ')':
			if last := len(open) - 1; last >= 0 {
				l.ends[open[last]], open = i+1, open[:last]
			}
		case '\n':
			for _, at := range open {
				l.ends[at] = 0
			}
			open = open[:0]
		}
	}
	l.steps += len(l.src)
}

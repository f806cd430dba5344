// Package jstext finds where strings, templates, comments and regular expressions of
// JavaScript end, in one pass without recursion and without a parse. The guards that look
// at code before a parser sees it are built on it: package js counts what the engine's
// parser would nest, package lower what the translator would.
//
// The lint of specs has tokens of its own (toolspec): it decodes names and follows them.
package jstext

import (
	"strings"
	"unicode/utf8"
)

// IsWord reports whether a byte can be part of a name, a keyword or a number.
func IsWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= utf8.RuneSelf
}

// StringEnd returns the offset after the string whose opening quote is at i. A string that
// is not closed ends with its line. escape, if not nil, is called with the offset of each
// backslash.
func StringEnd(code string, i int, escape func(at int)) int {
	quote := code[i]
	for i++; i < len(code); i++ {
		switch code[i] {
		case '\\':
			if escape != nil {
				escape(i)
			}
			i++
		case quote:
			return i + 1
		case '\n':
			return i
		}
	}
	return len(code)
}

// TemplateEnd says how the text of a template ends.
type TemplateEnd uint8

// The ends.
const (
	Unclosed     TemplateEnd = iota // with the code
	Closed                          // with its backquote
	Substitution                    // with a ${
)

// TemplateText returns the offset after the text of a template that begins or continues at
// i, and how the text ends. escape is as in [StringEnd].
func TemplateText(code string, i int, escape func(at int)) (int, TemplateEnd) {
	for ; i < len(code); i++ {
		switch code[i] {
		case '\\':
			if escape != nil {
				escape(i)
			}
			i++
		case '`':
			return i + 1, Closed
		case '$':
			if strings.HasPrefix(code[i+1:], "{") {
				return i + 2, Substitution
			}
		}
	}
	return len(code), Unclosed
}

// CommentEnd returns the offset after the comment that begins at i, and i when none does.
// The end of its line does not belong to a comment of one line.
func CommentEnd(code string, i int) int {
	rest := code[i:]
	switch {
	case strings.HasPrefix(rest, "//"):
		if n := strings.IndexByte(rest, '\n'); n >= 0 {
			return i + n
		}
		return len(code)
	case strings.HasPrefix(rest, "/*"):
		if n := strings.Index(rest[2:], "*/"); n >= 0 {
			return i + 2 + n + 2
		}
		return len(code)
	}
	return i
}

// PatternEnd returns the offset of the slash that ends the regular expression whose text
// begins at i. ok is false when its line has none: then the slash before i divides.
func PatternEnd(code string, i int) (end int, ok bool) {
	class := false
	for ; i < len(code); i++ {
		switch c := code[i]; {
		case c == '\\':
			i++
		case c == '\n':
			return 0, false
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			return i, true
		}
	}
	return 0, false
}

// Position returns the line and column of a byte offset, both from 1, the column in
// characters. An offset outside of the code is that of its nearest end.
func Position(code string, offset int) (line, column int) {
	before := code[:min(max(offset, 0), len(code))]
	line = 1 + strings.Count(before, "\n")
	column = 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	return line, column
}

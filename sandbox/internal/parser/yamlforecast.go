package parser

import (
	"errors"
	"fmt"
	"strings"
)

// maxDirectives is the maximum number of lines that begin with %. The library compares
// each %TAG with all others: 150,000 of them take more than a minute.
const maxDirectives = 32

// forecastYAML refuses, before parsing, a text that would become many more nodes than the
// limit allows or would take the library very long. It counts the characters that can
// begin a node: line endings, brackets, commas and the indicators of lists and maps,
// including those inside strings and comments. Ordinary documents stay far below the
// limit.
func forecastYAML(text string, limits Limits) error {
	begins, directives := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '\n', '\r':
			begins++
			if i+1 < len(text) && text[i+1] == '%' {
				directives++
			}
		case ',', '[', '{':
			begins++
		case '-', '?', ':':
			if i+1 == len(text) || strings.IndexByte(" \t\r\n,[]{}\"'", text[i+1]) >= 0 {
				begins++
			}
		}
	}
	switch {
	case begins > limits.YAMLNodes:
		return fmt.Errorf("it has more than %d lines and values", limits.YAMLNodes)
	case directives > maxDirectives:
		return errors.New("too many lines begin with %")
	}
	return nil
}

package parser

import (
	"errors"
	"fmt"
	"strings"
)

// maxDirectives is how many lines may begin with %. The library compares each
// %TAG with all others: 150,000 of them take more than a minute.
const maxDirectives = 32

// forecastYAML refuses what would become many more nodes than can be used, or
// take the library long, before it begins. It counts what begins a node: ends
// of lines, brackets, commas and the signs of lists and maps, in texts and
// comments too. Honest documents stay far below.
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

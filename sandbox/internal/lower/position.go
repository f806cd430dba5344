package lower

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// PositionMap converts places in lowered code to places in the author's code. The zero
// value is for unchanged code. It is immutable and safe for concurrent use.
type PositionMap struct {
	// edits lists the regular expressions that were rewritten, which is the last step.
	edits []edit
	// The effect of the translation: segments map its output to the author's code;
	// helpers is the number of lines above the body, and in the output the body begins
	// skipped lines further down.
	translated       bool
	segments         []segment
	helpers, skipped int
}

// edit is the replacement of one text on one line. Columns are in characters from 0;
// earlier edits on the same line shift them.
type edit struct{ line, from, oldEnd, newEnd int }

// segment says where a piece of output comes from. Lines and columns, in characters,
// count from 0 in the output and from 1 in the author's code.
type segment struct{ line, column, authorLine, authorColumn int32 }

// Author returns the line and column in the author's code for those in the lowered code.
// All count from 1; columns count characters. If code was moved or replaced, the result
// is the nearest earlier place. It is 0, 0 for places in helper functions, which the
// author did not write, and for places outside the code.
func (m *PositionMap) Author(line, column int) (authorLine, authorColumn int) {
	if line < 1 || column < 1 {
		return 0, 0
	}
	line, column = line-1, column-1
	column = m.unedited(line, column)
	if !m.translated {
		return line + 1, column + 1
	}
	if line < m.helpers {
		return 0, 0
	}
	return lookup(m.segments, line+m.skipped, column)
}

// unedited returns the column before the edits.
func (m *PositionMap) unedited(line, column int) int {
	first, _ := slices.BinarySearchFunc(m.edits, line, func(e edit, line int) int { return e.line - line })
	shift := 0
	for _, e := range m.edits[first:] {
		if e.line != line || column < e.from+shift {
			break
		}
		if column < e.from+shift+e.newEnd-e.from {
			return e.from
		}
		shift += e.newEnd - e.oldEnd
	}
	return column - shift
}

// lookup returns the author's place of the last segment at or before a place.
func lookup(segments []segment, line, column int) (int, int) {
	i, found := slices.BinarySearchFunc(segments, segment{line: int32(line), column: int32(column)}, func(a, b segment) int {
		if a.line != b.line {
			return int(a.line - b.line)
		}
		return int(a.column - b.column)
	})
	if !found {
		i--
	}
	if i < 0 {
		if len(segments) == 0 {
			return 0, 0
		}
		i = 0
	}
	return int(segments[i].authorLine), int(segments[i].authorColumn)
}

var errMap = errors.New("the translator's map is not valid")

// decodeMap reads the source map of the translator (version 3): for each line of output a
// list of segments, each of which is four differences as base-64 variable-length numbers.
// Its columns count UTF-16 units.
func decodeMap(code, out string, data []byte) ([]segment, error) {
	var file struct {
		Mappings string `json:"mappings"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, errMap
	}
	author, output := newColumns(head+code+tail), newColumns(out)
	lines := int32(1 + strings.Count(code, "\n"))
	var segments []segment
	var line, source, authorLine, authorUnit int
	for group := range strings.SplitSeq(file.Mappings, ";") {
		unit := 0
		for group != "" {
			var field string
			field, group, _ = strings.Cut(group, ",")
			values, n, err := decodeSegment(field)
			if err != nil {
				return nil, err
			}
			unit += values[0]
			if n < 4 {
				continue
			}
			source, authorLine, authorUnit = source+values[1], authorLine+values[2], authorUnit+values[3]
			if source != 0 || unit < 0 || authorLine < 0 || authorUnit < 0 {
				return nil, errMap
			}
			// Line 0 of the translator's input is the head, so the first line of the code
			// is line 1.
			s := segment{line: int32(line), column: int32(output.runes(line, unit)), authorLine: int32(authorLine), authorColumn: 1 + int32(author.runes(authorLine, authorUnit))}
			if s.authorLine < 1 {
				s.authorLine, s.authorColumn = 1, 1
			}
			if s.authorLine > lines {
				s.authorLine, s.authorColumn = lines, 1+int32(utf8.RuneCountInString(lineOf(code, int(lines)-1)))
			}
			segments = append(segments, s)
		}
		line++
	}
	return segments, nil
}

// decodeSegment decodes one field of a source map: up to five numbers.
func decodeSegment(field string) (values [5]int, n int, err error) {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	value, shift := 0, 0
	for i := range len(field) {
		d := strings.IndexByte(digits, field[i])
		if d < 0 || n == len(values) || shift > 30 {
			return values, 0, errMap
		}
		value |= d & 31 << shift
		if d&32 != 0 {
			shift += 5
			continue
		}
		if values[n] = value >> 1; value&1 != 0 {
			values[n] = -values[n]
		}
		n, value, shift = n+1, 0, 0
	}
	if shift != 0 || n == 0 {
		return values, 0, errMap
	}
	return values, n, nil
}

// columns converts columns in UTF-16 units to columns in characters. The two differ only
// after a character beyond U+FFFF on the same line.
type columns struct {
	lines []string
	wide  []bool // whether a line has such a character; nil if no line has one
}

func newColumns(text string) columns {
	if !hasWide(text) {
		return columns{}
	}
	c := columns{lines: strings.Split(text, "\n")}
	for _, line := range c.lines {
		c.wide = append(c.wide, hasWide(line))
	}
	return c
}

// hasWide reports whether s contains a character of two UTF-16 units.
func hasWide(s string) bool {
	for i := range len(s) {
		if s[i] >= 0xF0 {
			return true
		}
	}
	return false
}

func (c columns) runes(line, unit int) int {
	if line >= len(c.wide) || !c.wide[line] {
		return unit
	}
	runes, units := 0, 0
	for _, r := range c.lines[line] {
		if units >= unit {
			return runes
		}
		if units++; r > 0xFFFF {
			units++
		}
		runes++
	}
	return runes + max(unit-units, 0)
}

// lineOf returns a line of text, counted from 0, without its line ending.
func lineOf(text string, line int) string {
	for ; line > 0; line-- {
		n := strings.IndexByte(text, '\n')
		if n < 0 {
			return ""
		}
		text = text[n+1:]
	}
	if n := strings.IndexByte(text, '\n'); n >= 0 {
		text = text[:n]
	}
	return text
}

// runeColumn converts a byte column, from 0, to a column in characters, from 1.
func runeColumn(line string, column int) int {
	return 1 + utf8.RuneCountInString(line[:min(max(column, 0), len(line))])
}

// byteColumn converts a column in characters, from 0, to a byte column, from 0.
func byteColumn(line string, column int) int {
	for i := range line {
		if column == 0 {
			return i
		}
		column--
	}
	return len(line)
}

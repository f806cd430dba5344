package schema

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// The library prints whole values into its errors, even into those that it discards. It
// treats values of these types like the ordinary ones, but they print briefly.
type (
	text    string
	list    []any
	members map[string]any
)

const (
	maxPrinted = 100 // bytes of one value in an error
	maxSorted  = 20  // members of a shown object that are sorted
)

// printed returns v with values that print briefly; it changes lists and objects in
// place.
func printed(v any) any {
	switch v := v.(type) {
	case string:
		return text(v)
	case []any:
		for i, item := range v {
			v[i] = printed(item)
		}
		return list(v)
	case map[string]any:
		for name, member := range v {
			v[name] = printed(member)
		}
		return members(v)
	}
	return v
}

// Format implements [fmt.Formatter].
func (v text) Format(f fmt.State, _ rune) { _, _ = f.Write(show(nil, v)) }

// Format implements [fmt.Formatter].
func (v list) Format(f fmt.State, _ rune) { _, _ = f.Write(show(nil, v)) }

// Format implements [fmt.Formatter].
func (v members) Format(f fmt.State, _ rune) { _, _ = f.Write(show(nil, v)) }

// show appends v, up to a length that is enough to recognize it.
func show(dst []byte, v any) []byte {
	switch v := v.(type) {
	case text:
		return cut(dst, string(v))
	case list:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ' ')
			}
			if len(dst) > maxPrinted {
				dst = append(dst, "…"...)
				break
			}
			dst = show(dst, item)
		}
		return append(dst, ']')
	case members:
		if len(v) > maxSorted {
			return append(strconv.AppendInt(append(dst, "map["...), int64(len(v)), 10), " members]"...)
		}
		dst = append(dst, "map["...)
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				dst = append(dst, ' ')
			}
			if len(dst) > maxPrinted {
				dst = append(dst, "…"...)
				break
			}
			dst = show(append(cut(dst, name), ':'), v[name])
		}
		return append(dst, ']')
	}
	return fmt.Append(dst, v)
}

func cut(dst []byte, s string) []byte {
	room := max(maxPrinted-len(dst), 0)
	if len(s) <= room {
		return append(dst, s...)
	}
	for room > 0 && !utf8.RuneStart(s[room]) {
		room--
	}
	return append(append(dst, s[:room]...), "…"...)
}

package schema

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// The library prints whole values into its errors, also into those that it
// drops. Values of these kinds are the same to it, and print briefly.
type (
	text    string
	list    []any
	members map[string]any
)

const (
	maxPrinted = 100 // bytes of one value in an error
	maxSorted  = 20  // members of an object that is shown
)

// printed returns v as it is checked; lists and objects are changed in place.
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

// show appends v, until there is enough to know it by.
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

package studioapi

import (
	"strconv"
	"strings"
)

// place is a member of a document, such as params[2].testValue: names and positions.
type place []any

// placeOf reads a pointer of a finding; false for one with a quoted name.
func placeOf(pointer string) (place, bool) {
	var out place
	for pointer != "" {
		if rest, ok := strings.CutPrefix(pointer, "["); ok {
			number, after, closed := strings.Cut(rest, "]")
			i, err := strconv.Atoi(number)
			if !closed || err != nil || i < 0 {
				return nil, false
			}
			out, pointer = append(out, i), strings.TrimPrefix(after, ".")
			continue
		}
		end := strings.IndexAny(pointer, ".[")
		if end < 0 {
			end = len(pointer)
		}
		if end == 0 {
			return nil, false
		}
		out = append(out, pointer[:end])
		pointer = strings.TrimPrefix(pointer[end:], ".")
	}
	return out, len(out) > 0
}

// get returns the value at a place, or nil.
func (p place) get(doc any) any {
	for _, step := range p {
		switch key := step.(type) {
		case string:
			object, _ := doc.(map[string]any)
			doc = object[key]
		case int:
			list, _ := doc.([]any)
			if key >= len(list) {
				return nil
			}
			doc = list[key]
		}
	}
	return doc
}

// set writes a value at a place whose parent exists.
func (p place) set(doc map[string]any, value any) {
	switch key := p[len(p)-1].(type) {
	case string:
		if object, ok := p[:len(p)-1].get(doc).(map[string]any); ok {
			object[key] = value
		}
	case int:
		if list, ok := p[:len(p)-1].get(doc).([]any); ok && key < len(list) {
			list[key] = value
		}
	}
}

// remove deletes what is at a place; an element of a list leaves no gap.
func (p place) remove(doc map[string]any) {
	parent := p[:len(p)-1]
	switch key := p[len(p)-1].(type) {
	case string:
		if object, ok := parent.get(doc).(map[string]any); ok {
			delete(object, key)
		}
	case int:
		list, ok := parent.get(doc).([]any)
		if !ok || key >= len(list) {
			return
		}
		parent.set(doc, append(list[:key:key], list[key+1:]...))
	}
}

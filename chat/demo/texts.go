package demo

import (
	"slices"
	"strings"
)

// hints lists the words by which a field asks for a text of a recognizable form.
var hints = []struct {
	kind      string
	strict    bool // if the name matches, only text of this form is valid
	described bool // a match in the description is enough
	words     []string
}{
	{"email", true, false, stems("email", "mail")},
	{"uri", true, false, stems("url", "uri", "link", "webpage", "website", "href")},
	{"uuid", true, false, stems("uuid", "guid")},
	{"zone", true, true, stems("timezone", "zone", "tz")},
	{"date-time", true, false, stems("timestamp", "datetime")},
	{"date", true, false, stems("date", "birthday")},
	{"time", false, false, stems("time", "hour")},
	{"expression", false, true, stems("expression", "formula", "equation")},
	{"path", true, false, stems("path", "file", "filename", "directory", "folder")},
	{"ipv4", true, false, stems("ip")},
}

func stems(words ...string) []string {
	for i, w := range words {
		words[i] = stem(w)
	}
	return words
}

// kinds maps the formats of JSON Schema to kinds of pieces.
var kinds = map[string]string{"uri": "uri", "url": "uri", "iri": "uri", "uri-reference": "uri", "email": "email", "idn-email": "email", "uuid": "uuid",
	"date": "date", "date-time": "date-time", "time": "time", "ipv4": "ipv4"}

// placeWords are words in the names of fields for a place, textWords in those for a text
// of the user.
var (
	placeWords = stems("city", "place", "location", "country", "town", "region", "area", "station", "airport", "destination", "origin", "where", "state", "address")
	textWords  = stems("text", "query", "message", "content", "input", "question", "prompt", "body", "phrase", "search", "term", "keyword", "topic", "title",
		"subject", "sentence", "word", "note", "string", "name", "value", "comment", "description", "html", "markdown", "json", "data", "item", "task")
	placePrepositions = []string{"in", "at", "near", "from", "to", "for", "of"}
)

// candidates returns the texts that may be meant for a field, the most likely first. A
// position of -1 marks a text that can be used more than once.
func (e *evidence) candidates(f *shape) []piece {
	name := wordsOf(f.name)
	all := append(slices.Clone(name), wordsOf(f.about)...)
	if kind := kinds[f.format]; kind != "" { // no other text is valid
		return e.found[kind]
	}
	var out []piece
	for _, h := range hints {
		switch {
		case slices.ContainsFunc(h.words, func(w string) bool { return slices.Contains(name, w) }):
			out = append(out, e.found[h.kind]...)
			if h.strict { // no other text is valid, except the answer to a follow-up question
				if f.required {
					out = append(append(out, e.quoted...), piece{-1, e.reply, ""})
				}
				return out
			}
		case h.described && slices.ContainsFunc(h.words, func(w string) bool { return slices.Contains(all, w) }):
			out = append(out, e.found[h.kind]...)
		}
	}
	raw := split(f.name)
	for _, p := range e.places {
		if slices.Contains(raw, p.before) {
			out = append(out, p)
		}
	}
	wants := func(words []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(all, w) })
	}
	place := wants(placeWords)
	if place {
		for _, p := range e.places {
			if slices.Contains(placePrepositions, p.before) {
				out = append(out, p)
			}
		}
	}
	if !f.required {
		return out
	}
	out = append(out, piece{-1, e.reply, ""})
	out = append(out, e.quoted...)
	if slices.ContainsFunc(textWords, func(w string) bool { return slices.Contains(name, w) }) && !place {
		out = append(out, piece{-1, e.after, ""}, piece{-1, e.tail, ""})
	}
	if !place {
		out = append(append(out, e.found["path"]...), e.found["uri"]...)
	}
	out = append(out, e.places...)
	out = append(out, e.capitals()...)
	if place {
		return out
	}
	return append(out, piece{-1, e.after, ""}, piece{-1, e.tail, ""})
}

// capitals returns the names in the text: capitalized words that do not begin a sentence.
func (e *evidence) capitals() (out []piece) {
	for _, m := range capital().FindAllStringIndex(e.text, -1) {
		before := strings.TrimRight(e.text[:m[0]], " ")
		if before == "" || strings.ContainsAny(before[len(before)-1:], ".?!\n") {
			continue
		}
		out = append(out, piece{m[0], e.text[m[0]:m[1]], ""})
	}
	return out
}

// tailOf returns a question without the words at its beginning that are common or that
// selected the tool.
func tailOf(question string, matched []string) string {
	rest := question
	for {
		trimmed := strings.TrimLeft(rest, " \t\n\"'“,:;-")
		end := strings.IndexAny(trimmed, " \t\n")
		if end < 0 {
			end = len(trimmed)
		}
		words := wordsOf(trimmed[:end])
		if len(words) == 0 && trimmed != "" && end > 0 {
			rest = trimmed[end:]
			continue
		}
		said := len(words) == 0
		for _, w := range words {
			said = said || weight(w) == 1 && !contains(matched, w)
		}
		if said {
			return strings.TrimSpace(strings.TrimRight(trimmed, " \t\n?!.\"'”"))
		}
		rest = trimmed[end:]
	}
}

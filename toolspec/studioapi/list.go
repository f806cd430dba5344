package studioapi

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/internal/lexical"
)

// filter selects the tools of a list: each facet by one of its values, and all facets
// together.
type filter struct {
	query string // as the client wrote it
	words []string
	// collection is what is listed and counted: all tools if empty.
	collection string
	facets     [5][]string
	sort       string
	reverse    bool
	after      *position
	limit      int
}

// facet is a property by which tools are counted.
type facet struct {
	name string
	of   func(*Tool) []string
}

func facets() [5]facet {
	return [5]facet{
		{"cat", func(t *Tool) []string { return []string{t.Category} }},
		{"tag", func(t *Tool) []string { return t.Tags }},
		{"level", func(t *Tool) []string { return []string{t.Level.String()} }},
		{"state", func(t *Tool) []string { return []string{string(t.State)} }},
		{"source", func(t *Tool) []string { return []string{string(t.Source)} }},
	}
}

// collections are the parts of the studio that are listed by themselves. A tool can be in
// two: one's own and published.
var collections = map[string]func(*Tool) bool{
	"mine":      func(t *Tool) bool { return t.Source == SourceMine },
	"published": func(t *Tool) bool { return t.Published || t.Live },
	"bundled":   func(t *Tool) bool { return t.Source == SourceBundled },
}

// instant writes a time as text that sorts like the time; the zero time comes first.
func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return fmt.Sprintf("%020d", max(t.UnixNano(), 0))
}

// sortKey returns the function for the text by which tools are sorted.
func sortKey(order string) func(*Tool) string {
	switch order {
	case "name":
		return func(t *Tool) string { return strings.ToLower(t.Name) }
	case "edited":
		return func(t *Tool) string { return instant(t.UpdatedAt) }
	case "passed":
		return func(t *Tool) string { return instant(t.PassedAt) }
	case "level":
		return func(t *Tool) string { return t.Level.String() }
	}
	return nil
}

// bestKey returns the function for the text by which the results of a query are sorted:
// first the tool of that name, then tools whose names begin with it, then the others by
// the words that they share with it.
func bestKey(found []*Tool, query string) func(*Tool) string {
	documents := make([]lexical.Document, len(found))
	for i, t := range found {
		documents[i] = lexical.Document{ID: t.ID, Name: t.Name, Fields: []lexical.Field{{Text: t.Name, Weight: 3}, {Text: t.Description}, {Text: strings.Join(t.Tags, " ")}}}
	}
	matches := map[string]lexical.Match{}
	for _, m := range lexical.New(documents).Search(query, 0) {
		matches[m.ID] = m
	}
	return func(t *Tool) string { // the text sorts ascending, so both numbers are inverted
		m := matches[t.ID]
		return fmt.Sprintf("%d %016.6f %s", lexical.NameExact-m.Name, 1e6-m.Score, strings.ToLower(t.Name))
	}
}

// position is where a page ended. It identifies a place in the order and not a tool, so
// that it stays valid when the tool is deleted.
type position struct {
	Sort string `json:"s"`
	Key  string `json:"k"`
	ID   string `json:"i"`
}

func readFilter(q url.Values) (*filter, error) {
	f := &filter{query: q.Get("q"), words: strings.Fields(strings.ToLower(q.Get("q")))}
	f.collection = q.Get("collection")
	if f.collection != "" && collections[f.collection] == nil {
		return nil, httpapi.InvalidArgument.New("collection is mine, published or bundled; without it all tools are listed")
	}
	for i, facet := range facets() {
		for _, list := range q[facet.name] {
			for value := range strings.SplitSeq(list, ",") {
				if value = strings.TrimSpace(value); value != "" {
					f.facets[i] = append(f.facets[i], strings.ToLower(value))
				}
			}
		}
	}
	order := cmp.Or(q.Get("sort"), "name")
	if q.Get("sort") == "" && len(f.words) > 0 {
		order = "best"
	}
	f.sort, f.reverse = strings.CutPrefix(order, "-")
	if f.sort != "best" && sortKey(f.sort) == nil {
		return nil, httpapi.InvalidArgument.New("sort is best, name, edited, passed or level, with - before it for the other way round")
	}
	var err error
	if f.limit, err = httpapi.PageLimit(q, httpapi.DefaultPage, httpapi.MaxPage); err != nil {
		return nil, err
	}
	if cursor := q.Get("cursor"); cursor != "" {
		f.after = &position{}
		if err := httpapi.DecodeCursor(cursor, f.after); err != nil {
			return nil, err
		}
		if f.after.Sort != order {
			return nil, httpapi.BadCursor()
		}
	}
	return f, nil
}

// matches reports whether a tool contains the words and matches every facet except the
// one that is left out.
func (f *filter) matches(t *Tool, all [5]facet, leftOut int) bool {
	for i := range all {
		if i == leftOut || len(f.facets[i]) == 0 {
			continue
		}
		if !slices.ContainsFunc(all[i].of(t), func(v string) bool { return slices.Contains(f.facets[i], strings.ToLower(v)) }) {
			return false
		}
	}
	return true
}

func (f *filter) hasWords(t *Tool) bool {
	if len(f.words) == 0 {
		return true
	}
	text := strings.ToLower(t.Name + "\n" + t.Description + "\n" + strings.Join(t.Tags, "\n"))
	return !slices.ContainsFunc(f.words, func(w string) bool { return !strings.Contains(text, w) })
}

func (a *API) listTools(w http.ResponseWriter, r *http.Request) error {
	f, err := readFilter(r.URL.Query())
	if err != nil {
		return err
	}
	entries, unreadable, err := a.entries(r.Context())
	if err != nil {
		return err
	}
	tools, published := make([]Tool, len(entries)), a.allPublished()
	for i, e := range entries {
		if tools[i], err = a.tool(r.Context(), e, published[e.spec.ID()]); err != nil {
			return err
		}
	}
	list := f.page(tools)
	list.Unreadable = unreadable
	return httpapi.ReplyCached(w, r, list)
}

// page returns the page of tools that the filter selects.
func (f *filter) page(tools []Tool) *ToolList {
	list := &ToolList{Items: []Tool{}, All: len(tools), Collections: map[string]int{"all": len(tools)}}
	for name, has := range collections {
		list.Collections[name] = 0
		for i := range tools {
			if has(&tools[i]) {
				list.Collections[name]++
			}
		}
	}
	listed := collections[f.collection]
	if listed != nil {
		list.All = list.Collections[f.collection]
	}
	all := facets()
	counts := [5]map[string]int{{}, {}, {}, {}, {}}
	var found []*Tool
	for i := range tools {
		t := &tools[i]
		if listed != nil && !listed(t) || !f.hasWords(t) {
			continue
		}
		for i := range all {
			if f.matches(t, all, i) {
				for _, v := range all[i].of(t) {
					counts[i][v]++
				}
			}
		}
		if f.matches(t, all, -1) {
			found = append(found, t)
		}
	}
	list.Facets = Facets{Categories: counts[0], Tags: counts[1], Levels: counts[2], States: counts[3], Sources: counts[4]}
	list.Total = len(found)
	key := sortKey(f.sort)
	if key == nil {
		key = bestKey(found, f.query)
	}
	compare := func(keyA, idA, keyB, idB string) int {
		c := cmp.Or(cmp.Compare(keyA, keyB), cmp.Compare(idA, idB))
		if f.reverse {
			return -c
		}
		return c
	}
	slices.SortFunc(found, func(x, y *Tool) int { return compare(key(x), x.ID, key(y), y.ID) })
	for _, t := range found {
		if f.after != nil && compare(key(t), t.ID, f.after.Key, f.after.ID) <= 0 {
			continue
		}
		if len(list.Items) == f.limit {
			last := &list.Items[f.limit-1]
			order := f.sort
			if f.reverse {
				order = "-" + order
			}
			list.NextCursor = httpapi.EncodeCursor(position{Sort: order, Key: key(last), ID: last.ID})
			break
		}
		list.Items = append(list.Items, *t)
	}
	return list
}

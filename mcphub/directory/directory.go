package directory

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/internal/lexical"
)

//go:embed servers.json
var bundled []byte

// ErrNotFound reports an id that no entry has.
var ErrNotFound = errors.New("directory: no such entry")

// Options are the options of [New]. The zero value works.
type Options struct {
	// More are further entries, such as those of [ReadRegistry].
	More []*Entry
}

// Directory is a list of entries. It does not change, and is safe for concurrent use.
type Directory struct {
	entries    []*Entry // by id
	categories []Category
	tags       []string // by how many entries have them
	index      *lexical.Index
	texts      []string // the words of each entry
}

// New returns the directory that comes with this package. It fails if an entry of
// [Options].More has the wrong form, or an id that exists.
func New(opts *Options) (*Directory, error) {
	if opts == nil {
		opts = &Options{}
	}
	var file struct {
		Categories []Category `json:"categories"`
		Servers    []Entry    `json:"servers"`
	}
	if err := json.Unmarshal(bundled, &file); err != nil {
		return nil, fmt.Errorf("directory: %w", err)
	}
	d := &Directory{categories: file.Categories}
	for i := range file.Servers {
		d.entries = append(d.entries, &file.Servers[i])
	}
	d.entries = append(d.entries, opts.More...)
	slices.SortStableFunc(d.entries, func(a, b *Entry) int { return strings.Compare(a.ID, b.ID) })
	return d, d.build()
}

// build checks the entries and makes the index.
func (d *Directory) build() error {
	var documents []lexical.Document
	counts := map[string]int{}
	for i, e := range d.entries {
		c := d.category(e.Category)
		switch {
		case i > 0 && d.entries[i-1].ID == e.ID:
			return fmt.Errorf("directory: there are two entries %q: rename one", e.ID)
		case c == nil:
			return fmt.Errorf("directory: entry %q: there is no category %q", e.ID, clip.To(e.Category, 80))
		}
		if err := e.check(); err != nil {
			return err
		}
		c.Servers++
		for _, tag := range e.Tags {
			counts[tag]++
		}
		names, about := e.Name+" "+e.ID, strings.Join(append([]string{e.Vendor, c.Name}, e.Tags...), " ")
		rest := e.Description + " " + strings.Join(e.Tools, " ")
		documents = append(documents, lexical.Document{ID: e.ID, Name: e.Name, Fields: []lexical.Field{{Text: names, Weight: 4}, {Text: about, Weight: 2}, {Text: rest}}})
		d.texts = append(d.texts, strings.ToLower(names+" "+about+" "+rest))
	}
	d.tags = slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(d.tags, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	d.index = lexical.New(documents)
	return nil
}

func (d *Directory) category(id string) *Category {
	if i := slices.IndexFunc(d.categories, func(c Category) bool { return c.ID == id }); i >= 0 {
		return &d.categories[i]
	}
	return nil
}

// Categories returns the categories in their order, also those without entries.
func (d *Directory) Categories() []Category { return slices.Clone(d.categories) }

// Get returns an entry by id. The error matches [ErrNotFound].
func (d *Directory) Get(id string) (*Entry, error) {
	i, ok := slices.BinarySearchFunc(d.entries, id, func(e *Entry, id string) int { return strings.Compare(e.ID, id) })
	if !ok {
		return nil, fmt.Errorf("%w: %q", ErrNotFound, clip.To(id, 80))
	}
	return d.entries[i], nil
}

// Query is a search in a [Directory]. The zero value finds all entries.
type Query struct {
	// Text are words. They are looked for in names, vendors, tags, categories, tools and
	// descriptions.
	Text string
	// Categories and Tags restrict the result to entries in one of these categories, and with
	// one of these tags. Empty: no restriction.
	Categories, Tags []string
	// Limit is the maximum number of results. 0: no limit.
	Limit int
}

// maxText is how much of a text is looked at, in bytes.
const maxText = 4 << 10

// Search returns the entries that match a query: with a text the best match first, otherwise
// by id. A word may be only a part of a word of the entry; such matches come last.
func (d *Directory) Search(q Query) []*Entry {
	text := strings.ToLower(strings.TrimSpace(clip.To(q.Text, maxText)))
	var all []*Entry
	for _, m := range d.index.Search(text, 0) {
		e, _ := d.Get(m.ID) // the index has the same ids
		all = append(all, e)
	}
	words, ranked := strings.Fields(text), len(all)
	for i, e := range d.entries {
		missing := func(word string) bool { return !strings.Contains(d.texts[i], word) }
		if !slices.ContainsFunc(words, missing) && !slices.Contains(all[:ranked], e) {
			all = append(all, e)
		}
	}
	all = slices.DeleteFunc(all, func(e *Entry) bool {
		wanted := func(tag string) bool { return slices.Contains(q.Tags, tag) }
		return len(q.Categories) > 0 && !slices.Contains(q.Categories, e.Category) || len(q.Tags) > 0 && !slices.ContainsFunc(e.Tags, wanted)
	})
	if q.Limit > 0 && len(all) > q.Limit {
		all = all[:q.Limit]
	}
	return all
}

// SuggestTags proposes tags for a server that is described in words, such as its name and what
// it does, the best first: the tags of the directory of which the text has the beginning or the
// whole as a word, then the tags of the entries that are most like it. have are left out. An
// empty text proposes all tags, the most frequent first.
func (d *Directory) SuggestTags(text string, have ...string) []string {
	text = strings.ToLower(strings.TrimSpace(clip.To(text, maxText)))
	score := map[string]float64{}
	words := strings.Fields(text)
	for _, tag := range d.tags {
		switch {
		case text == "":
			score[tag] = 1
		case slices.Contains(words, tag):
			score[tag] = 200
		case slices.ContainsFunc(words, func(word string) bool { return len(word) > 1 && strings.HasPrefix(tag, word) }):
			score[tag] = 100
		}
	}
	const similar = 5 // entries
	if text != "" {
		for i, e := range d.Search(Query{Text: text, Limit: similar}) {
			for _, tag := range e.Tags {
				score[tag] += 1 / float64(1+i)
			}
		}
	}
	out := slices.Clone(d.tags)
	out = slices.DeleteFunc(out, func(tag string) bool { return score[tag] == 0 || slices.Contains(have, tag) })
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(score[b], score[a]) })
	return out
}

package flat

import (
	"encoding/json"
	"iter"
	"slices"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/internal/bm25"
	"github.com/localpass/localpass/rag/internal/journal"
)

// table holds documents in rows. A deleted row is used again.
type table struct {
	rows      map[string]int32
	ids       []string
	texts     []string
	sizes     []uint32 // encoded, in bytes
	alive     bitmap
	embedded  bitmap // rows with a vector
	vectors   [][]float32
	dimension int
	withVec   int
	columns   columns
	free      []int32
	bytes     int64       // the sum of sizes
	words     *bm25.Index // nil until the first lexical search
}

func newTable() *table {
	return &table{rows: map[string]int32{}, columns: columns{}}
}

// put inserts a document, or replaces the one with its id. It copies the vector, and keeps
// the rest.
func (t *table) put(d *rag.Document, size int) {
	row, ok := t.rows[d.ID]
	switch n := len(t.free); {
	case ok:
		t.removeContent(int(row))
	case n > 0:
		row = t.free[n-1]
		t.free = t.free[:n-1]
	default:
		row = int32(len(t.ids))
		t.ids, t.texts, t.sizes = append(t.ids, ""), append(t.texts, ""), append(t.sizes, 0)
	}
	r := int(row)
	t.ids[r], t.texts[r], t.sizes[r] = d.ID, d.Text, uint32(size)
	t.rows[d.ID] = row
	t.bytes += int64(size)
	t.alive.set(r)
	t.columns.put(r, d.Metadata)
	if t.words != nil {
		t.words.Add(r, d.Text)
	}
	if len(d.Vector) == 0 {
		return
	}
	if t.withVec == 0 && t.dimension != len(d.Vector) {
		t.dimension, t.vectors = len(d.Vector), nil
	}
	for len(t.vectors) <= r/blockRows {
		t.vectors = append(t.vectors, nil)
	}
	if t.vectors[r/blockRows] == nil {
		t.vectors[r/blockRows] = make([]float32, blockRows*t.dimension)
	}
	copy(t.vector(r), d.Vector)
	t.embedded.set(r)
	t.withVec++
}

// vector returns the room of a row's vector.
func (t *table) vector(row int) []float32 {
	at := row % blockRows * t.dimension
	return t.vectors[row/blockRows][at : at+t.dimension]
}

// removeContent empties a row.
func (t *table) removeContent(row int) {
	t.columns.remove(row)
	if t.words != nil {
		t.words.Remove(row, t.texts[row])
		if t.words.Stale() {
			t.words = nil
		}
	}
	t.bytes -= int64(t.sizes[row])
	if t.embedded.has(row) {
		t.embedded.clear(row)
		t.withVec--
	}
}

func (t *table) remove(id string) {
	row, ok := t.rows[id]
	if !ok {
		return
	}
	r := int(row)
	t.removeContent(r)
	t.alive.clear(r)
	t.ids[r], t.texts[r], t.sizes[r] = "", "", 0
	delete(t.rows, id)
	t.free = append(t.free, row)
}

// document returns a copy of a row.
func (t *table) document(row int, vector bool) rag.Document {
	d := rag.Document{ID: t.ids[row], Text: t.texts[row], Metadata: t.columns.metadata(row)}
	if vector && t.embedded.has(row) {
		d.Vector = slices.Clone(t.vector(row))
	}
	return d
}

// matching returns the ids of the documents that a valid filter selects, in order.
func (t *table) matching(f rag.Filter) []string {
	var ids []string
	t.columns.match(f, t.alive).each(func(row int) {
		ids = append(ids, t.ids[row])
	})
	slices.Sort(ids)
	return ids
}

// index returns the index of words, which it makes if there is none.
func (t *table) index() *bm25.Index {
	if t.words == nil {
		t.words = &bm25.Index{}
		t.alive.each(func(row int) {
			t.words.Add(row, t.texts[row])
		})
	}
	return t.words
}

// changes yields the content as changes, a few documents at a time.
func (t *table) changes(manifest rag.Manifest) iter.Seq[journal.Change] {
	const batch = 256
	return func(yield func(journal.Change) bool) {
		var c journal.Change
		c.Manifest, _ = json.Marshal(manifest) // strings, a number and a time cannot fail
		for row := range t.ids {
			if !t.alive.has(row) {
				continue
			}
			c.Put = append(c.Put, t.document(row, true))
			if len(c.Put) == batch {
				if !yield(c) {
					return
				}
				c = journal.Change{}
			}
		}
		if c.Manifest != nil || len(c.Put) > 0 {
			yield(c)
		}
	}
}

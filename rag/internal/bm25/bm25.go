// Package bm25 is an index of the words of documents that come and go, for lexical search.
//
// The words are those of internal/lexical, and so are the formula and its constants; that
// package's index is made once, for all of its documents. bleve was tried for this: it
// adds 12 MB to a program, and keeps the texts a second time.
package bm25

import (
	"encoding/binary"
	"math"

	"github.com/localpass/localpass/internal/lexical"
)

const (
	k1 = 1.2
	b  = 0.75
)

// Index finds rows by the words of their texts. The zero value is empty. Search may be
// called by several goroutines; nothing else may run beside a change.
type Index struct {
	terms map[string]*postings
	docs  []document // in the order in which they were added
	byRow []int32    // the index in docs plus 1; 0: the row has none
	alive int
	total float64 // words of all documents
}

type document struct {
	row   int32 // -1: removed
	words float32
}

// postings are the documents that have a term: the distance to the previous one and the
// number of occurrences, as varints.
type postings struct {
	list []byte
	last uint32
	df   int
}

// Add indexes the text of a row, which must have none in the index.
func (x *Index) Add(row int, text string) {
	if x.terms == nil {
		x.terms = map[string]*postings{}
	}
	words := lexical.Words(text)
	counts := make(map[string]uint64, len(words))
	for _, w := range words {
		counts[w]++
	}
	id := uint32(len(x.docs))
	for term, n := range counts {
		p := x.terms[term]
		if p == nil {
			p = &postings{}
			x.terms[term] = p
		}
		p.list = binary.AppendUvarint(binary.AppendUvarint(p.list, uint64(id-p.last)), n)
		p.last = id
		p.df++
	}
	x.docs = append(x.docs, document{int32(row), float32(len(words))})
	for len(x.byRow) <= row {
		x.byRow = append(x.byRow, 0)
	}
	x.byRow[row] = int32(id) + 1
	x.alive++
	x.total += float64(len(words))
}

// Remove takes the text of a row out. The text must be the one that was added.
func (x *Index) Remove(row int, text string) {
	if row >= len(x.byRow) || x.byRow[row] == 0 {
		return
	}
	d := &x.docs[x.byRow[row]-1]
	seen := map[string]bool{}
	for _, w := range lexical.Words(text) {
		if p := x.terms[w]; p != nil && !seen[w] {
			seen[w] = true
			if p.df--; p.df == 0 {
				delete(x.terms, w)
			}
		}
	}
	x.total -= float64(d.words)
	x.alive--
	d.row, x.byRow[row] = -1, 0
}

// Stale reports whether most of the index is about removed rows: make a new one.
func (x *Index) Stale() bool { return len(x.docs) > 1024 && x.alive*2 < len(x.docs) }

// Match is a row that shares words with a query.
type Match struct {
	Row   int
	Score float64
	// Coverage is the share of the query's words that the row has, each weighted by its
	// rarity, from 0 to 1.
	Coverage float64
}

// fewRows is the number of rows from which rows say how rare a word is. In fewer, a word
// that all of them have would count for nothing in Match.Coverage.
const fewRows = 100

// rarity is the weight of a word that df of n rows have.
func rarity(n, df float64) float64 { return math.Log(1 + (n-df+0.5)/(df+0.5)) }

// Search calls found for each row that shares a word with the query, in no order.
// accept, if not nil, says which rows may be found.
func (x *Index) Search(query string, accept func(row int) bool, found func(Match)) {
	type sum struct{ score, mass float64 }
	sums := map[uint32]sum{}
	seen := map[string]bool{}
	n := float64(x.alive)
	average := x.total / max(n, 1)
	mass := 0.0
	for _, term := range lexical.Words(query) {
		if seen[term] {
			continue
		}
		seen[term] = true
		p := x.terms[term]
		df := 0.0
		if p != nil {
			df = float64(p.df)
		}
		idf, weight := rarity(n, df), rarity(max(n, fewRows), df)
		mass += weight
		if p == nil {
			continue
		}
		id := uint32(0)
		for list := p.list; len(list) > 0; {
			step, w := binary.Uvarint(list)
			tf, v := binary.Uvarint(list[w:])
			list = list[w+v:]
			id += uint32(step)
			d := x.docs[id]
			if d.row < 0 || accept != nil && !accept(int(d.row)) {
				continue
			}
			s := sums[id]
			s.score += idf * float64(tf) * (k1 + 1) / (float64(tf) + k1*(1-b+b*float64(d.words)/average))
			s.mass += weight
			sums[id] = s
		}
	}
	for id, s := range sums {
		found(Match{Row: int(x.docs[id].row), Score: s.score, Coverage: s.mass / mass})
	}
}

package lexical

import (
	"cmp"
	"math"
	"slices"
)

// The constants of the formula.
const (
	k1 = 1.2
	b  = 0.75
)

// Document is one text to rank.
type Document struct {
	ID string
	// Name counts more than all words: a document whose name equals the query ranks
	// first, then documents whose names begin with it. Optional.
	Name string
	// Fields are texts with weights: each occurrence of a word counts as often as the
	// weight of its field.
	Fields []Field
}

// Field is a part of a document. A Weight of 0 means 1.
type Field struct {
	Text   string
	Weight float64
}

// Index ranks documents. Make one with [New]. It never changes, so it is safe for
// concurrent use.
type Index struct {
	ids      []string
	names    []string
	lengths  []float64
	average  float64
	postings map[string][]posting
}

type posting struct {
	document int
	weight   float64 // of the term in the document
}

// New makes an index of the documents.
func New(documents []Document) *Index {
	x := &Index{postings: map[string][]posting{}}
	for i, d := range documents {
		x.ids, x.names = append(x.ids, d.ID), append(x.names, d.Name)
		counts := map[string]float64{}
		length := 0.0
		for _, f := range d.Fields {
			weight := f.Weight
			if weight == 0 {
				weight = 1
			}
			for _, term := range Words(f.Text) {
				counts[term] += weight
				length += weight
			}
		}
		for term, n := range counts {
			x.postings[term] = append(x.postings[term], posting{i, n})
		}
		x.lengths = append(x.lengths, length)
		x.average += length
	}
	x.average /= max(float64(len(documents)), 1)
	return x
}

// Match is a document and how well its name and its words match the query; higher is
// better, and the name counts first. Scores of different queries cannot be compared.
type Match struct {
	ID    string
	Name  NameFit
	Score float64
}

// Search returns at most limit documents whose name begins with the query or that share a
// word with it, the best first. Equal matches keep the order of the index. A limit of 0
// returns all.
func (x *Index) Search(query string, limit int) []Match {
	scores := make(map[int]float64)
	seen := map[string]bool{}
	n := float64(len(x.ids))
	for _, term := range Words(query) {
		list := x.postings[term]
		if seen[term] || len(list) == 0 {
			continue
		}
		seen[term] = true
		df := float64(len(list))
		idf := math.Log(1 + (n-df+0.5)/(df+0.5))
		for _, p := range list {
			norm := k1 * (1 - b + b*x.lengths[p.document]/x.average)
			scores[p.document] += idf * p.weight * (k1 + 1) / (p.weight + norm)
		}
	}
	fits := make([]NameFit, len(x.names))
	found := make([]int, 0, len(scores))
	for i, name := range x.names {
		fits[i] = FitName(name, query)
		if _, ok := scores[i]; ok || fits[i] != NameOther {
			found = append(found, i)
		}
	}
	slices.SortFunc(found, func(i, j int) int {
		return cmp.Or(cmp.Compare(fits[j], fits[i]), cmp.Compare(scores[j], scores[i]), i-j)
	})
	if limit > 0 && len(found) > limit {
		found = found[:limit]
	}
	matches := make([]Match, len(found))
	for k, i := range found {
		matches[k] = Match{x.ids[i], fits[i], scores[i]}
	}
	return matches
}

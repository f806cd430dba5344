package rag

import (
	"cmp"
	"maps"
	"slices"
)

// rankConstant damps the weight of the first ranks, as in Cormack, Clarke and Büttcher,
// "Reciprocal Rank Fusion outperforms Condorcet" (2009).
const rankConstant = 60

// FuseRanks combines lists of matches that are ordered by different measures, best first,
// by their ranks alone (reciprocal rank fusion): a document scores the sum of 1/(60+rank)
// over the lists, with ranks from 1. Equal scores are ordered by the best rank, then by
// id. The Scores of the lists are kept.
func FuseRanks(lists ...[]Match) []Match {
	type entry struct {
		match Match
		best  int
	}
	entries := map[string]*entry{}
	for _, list := range lists {
		for i, m := range list {
			e := entries[m.ID]
			if e == nil {
				e = &entry{match: m, best: i}
				e.match.Score, e.match.Scores = 0, map[string]float64{}
				entries[m.ID] = e
			}
			e.match.Score += 1 / float64(rankConstant+i+1)
			e.best = min(e.best, i)
			maps.Copy(e.match.Scores, m.Scores)
		}
	}
	order := slices.SortedFunc(maps.Values(entries), func(a, b *entry) int {
		return cmp.Or(cmp.Compare(b.match.Score, a.match.Score), a.best-b.best, cmp.Compare(a.match.ID, b.match.ID))
	})
	fused := make([]Match, len(order))
	for i, e := range order {
		fused[i] = e.match
	}
	return fused
}

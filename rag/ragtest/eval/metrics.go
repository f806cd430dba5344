package eval

import (
	"math"
	"slices"
)

// recall is the share of the relevant documents that are among the first k of a ranking.
func recall(ranking []string, relevant map[string]int, k int) float64 {
	n := 0
	for _, id := range ranking[:min(k, len(ranking))] {
		if relevant[id] > 0 {
			n++
		}
	}
	return float64(n) / float64(len(relevant))
}

// reciprocal is 1 divided by the rank of the first relevant document among the first k; 0:
// there is none.
func reciprocal(ranking []string, relevant map[string]int, k int) float64 {
	for i, id := range ranking[:min(k, len(ranking))] {
		if relevant[id] > 0 {
			return 1 / float64(i+1)
		}
	}
	return 0
}

// ndcg is the normalized discounted cumulative gain of the first k of a ranking, with the
// grades as gains, as trec_eval computes it.
func ndcg(ranking []string, relevant map[string]int, k int) float64 {
	sum := func(grades []int) (gain float64) {
		for i, g := range grades[:min(k, len(grades))] {
			gain += float64(g) / math.Log2(float64(i+2))
		}
		return gain
	}
	var grades, ideal []int
	for _, id := range ranking {
		grades = append(grades, relevant[id])
	}
	for _, g := range relevant {
		ideal = append(ideal, g)
	}
	slices.Sort(ideal)
	slices.Reverse(ideal)
	return sum(grades) / sum(ideal)
}

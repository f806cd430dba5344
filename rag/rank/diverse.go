package rank

import (
	"context"
	"fmt"
	"math"

	"github.com/localpass/localpass/rag"
)

// DiverseOptions are the options of [Diverse]. The zero value works.
type DiverseOptions struct {
	// Relevance is the weight of the similarity to the query, from 0 to 1; the rest is the
	// weight of being unlike what is chosen already. nil means 0.7.
	Relevance *float64
	// Candidates is the number of matches to choose from for each one that is requested. 0
	// means 4.
	Candidates int
}

// Diverse prefers matches that are unlike each other, so that ten copies of one paragraph
// do not displace everything else (maximal marginal relevance, Carbonell and Goldstein
// 1998). The score of a match is its value when it was chosen; the first scores are kept in
// Scores. The retriever must return vectors on request; a match without one counts as
// unlike all others.
func Diverse(r rag.Retriever, opts *DiverseOptions) (rag.Retriever, error) {
	relevance, candidates := 0.7, 4
	if opts != nil {
		if opts.Relevance != nil {
			relevance = *opts.Relevance
		}
		if opts.Candidates != 0 {
			candidates = opts.Candidates
		}
	}
	if !(relevance >= 0 && relevance <= 1) || candidates < 1 {
		return nil, fmt.Errorf("rank: Relevance is %v and Candidates %d: use 0 to 1, and a positive number: %w", relevance, candidates, rag.ErrInvalid)
	}
	return rag.RetrieverFunc(func(ctx context.Context, req rag.SearchRequest) ([]rag.Match, error) {
		if err := req.Check(); err != nil {
			return nil, err
		}
		more := req
		more.TopK, more.Offset, more.Vectors = min(wanted(&req), math.MaxInt32/candidates)*candidates, 0, true
		found, err := r.Retrieve(ctx, more)
		if err != nil {
			return nil, err
		}
		chosen := cut(diverse(found, min(wanted(&req), len(found)), relevance), &req)
		for i := range chosen {
			if !req.Vectors {
				chosen[i].Vector = nil
			}
		}
		return chosen, ctx.Err()
	}), nil
}

// diverse chooses n of the matches. It changes the list.
func diverse(found []rag.Match, n int, weight float64) []rag.Match {
	relevance := relevances(found)
	nearest := make([]float64, len(found)) // to one that is chosen
	left := make([]int, len(found))
	for i := range left {
		left[i], nearest[i] = i, math.Inf(-1)
	}
	chosen := make([]rag.Match, 0, n)
	for len(chosen) < n {
		best, bestValue := 0, math.Inf(-1)
		for at, i := range left {
			value := weight * relevance[i]
			if len(chosen) > 0 {
				value -= (1 - weight) * nearest[i]
			}
			if value > bestValue || value == bestValue && found[i].ID < found[left[best]].ID {
				best, bestValue = at, value
			}
		}
		m := found[left[best]]
		left = append(left[:best], left[best+1:]...)
		for _, i := range left {
			nearest[i] = max(nearest[i], cosine(m.Vector, found[i].Vector))
		}
		chosen = append(chosen, scored(m, ScoreDiversity, bestValue))
	}
	return chosen
}

// relevances returns the similarity of each match to the query: that of the vectors if all
// have it, else the score as a share of the best.
func relevances(found []rag.Match) []float64 {
	values := make([]float64, len(found))
	best := 0.0
	for i, m := range found {
		v, ok := m.Scores[rag.ScoreVector]
		if !ok {
			best = found[0].Score
		}
		values[i] = v
	}
	if best > 0 {
		for i, m := range found {
			values[i] = m.Score / best
		}
	}
	return values
}

// scored returns a match with another score, which its Scores name too.
func scored(m rag.Match, name string, score float64) rag.Match {
	scores := make(map[string]float64, len(m.Scores)+1)
	for k, v := range m.Scores {
		scores[k] = v
	}
	scores[name] = score
	m.Score, m.Scores = score, scores
	return m
}

func cosine(a, b []float32) float64 {
	if len(a) == 0 || len(a) != len(b) {
		return 0
	}
	dot := 0.0
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
	}
	if norms := rag.Norm(a) * rag.Norm(b); norms > 0 {
		return dot / norms
	}
	return 0
}

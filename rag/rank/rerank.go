package rank

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/localpass/localpass/rag"
)

// Reranker judges how well texts answer a query, by reading both together. It returns the
// n best of the texts, each once, in any order, and is safe for concurrent use.
type Reranker interface {
	Rerank(ctx context.Context, query string, texts []string, n int) ([]Rank, error)
}

// Rank is the score of a text. Higher is better; scores of different rerankers cannot be
// compared.
type Rank struct {
	Index int // of the text, from 0
	Score float64
}

// RerankOptions are the options of [Rerank]. The zero value works.
type RerankOptions struct {
	// Candidates is the number of matches to judge, at least. 0 means four times the
	// requested number, at most 100.
	Candidates int
	// MinScore is the lowest score of the reranker for a match. nil: no limit.
	MinScore *float64
	// FailClosed makes a failure of the reranker an error of the search. Otherwise the
	// matches keep the order of the search, without regard to MinScore.
	FailClosed bool
	// OnError is called with a failure that is not returned. nil: nothing is.
	OnError func(ctx context.Context, err error)
}

const maxCandidates = 100

// Rerank orders what a retriever finds by the scores of a reranker. A request without a
// query is passed on as it is.
func Rerank(r rag.Retriever, reranker Reranker, opts *RerankOptions) (rag.Retriever, error) {
	var o RerankOptions
	if opts != nil {
		o = *opts
	}
	if r == nil || reranker == nil || o.Candidates < 0 || o.MinScore != nil && math.IsNaN(*o.MinScore) {
		return nil, fmt.Errorf("rank: Rerank needs a retriever and a reranker, Candidates of 0 or more and a MinScore that is a number: %w", rag.ErrInvalid)
	}
	return rag.RetrieverFunc(func(ctx context.Context, req rag.SearchRequest) ([]rag.Match, error) {
		if err := req.Check(); err != nil || req.Query == "" {
			if err == nil {
				return r.Retrieve(ctx, req)
			}
			return nil, err
		}
		limit := wanted(&req)
		more := req
		more.Offset, more.TopK = 0, max(o.Candidates, limit, min(4*limit, maxCandidates))
		found, err := r.Retrieve(ctx, more)
		if err != nil || len(found) == 0 {
			return found, err
		}
		ranked, err := judge(ctx, reranker, req.Query, found, min(limit, len(found)))
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && o.FailClosed:
			return nil, fmt.Errorf("rank: the reranker: %w", err)
		case err != nil:
			if o.OnError != nil {
				o.OnError(ctx, err)
			}
			return cut(found, &req), nil
		}
		if o.MinScore != nil {
			ranked = slices.DeleteFunc(ranked, func(m rag.Match) bool { return m.Score < *o.MinScore })
		}
		return cut(ranked, &req), nil
	}), nil
}

// judge returns the n best matches, with their new scores.
func judge(ctx context.Context, reranker Reranker, query string, found []rag.Match, n int) ([]rag.Match, error) {
	texts := make([]string, len(found))
	for i := range found {
		texts[i] = found[i].Text
	}
	ranks, err := reranker.Rerank(ctx, query, texts, n)
	if err != nil {
		return nil, err
	}
	if len(ranks) < n {
		return nil, fmt.Errorf("it returned %d of %d texts", len(ranks), n)
	}
	seen := make(map[int]bool, len(ranks))
	ranked := make([]rag.Match, len(ranks))
	for i, r := range ranks {
		if r.Index < 0 || r.Index >= len(found) || seen[r.Index] || math.IsNaN(r.Score) || math.IsInf(r.Score, 0) {
			return nil, fmt.Errorf("it returned the index %d with the score %v: each of %d texts once, with a finite score, was expected", r.Index, r.Score, len(found))
		}
		seen[r.Index] = true
		ranked[i] = scored(found[r.Index], ScoreRerank, r.Score)
	}
	slices.SortFunc(ranked, func(a, b rag.Match) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	return ranked[:n], nil
}

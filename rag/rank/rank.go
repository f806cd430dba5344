package rank

import (
	"context"
	"errors"
	"sync"

	"github.com/localpass/localpass/rag"
)

// Names of rag.Match.Scores.
const (
	ScoreDiversity = "diversity" // the value of maximal marginal relevance
	ScoreRerank    = "rerank"    // the score of a Reranker
)

// fuseFrom is how many of the best matches of each search Hybrid combines, at least.
const fuseFrom = 50

// wanted returns how many of the best matches a request needs, with those that it skips.
func wanted(req *rag.SearchRequest) int {
	const most = 1 << 29 // so that the sum fits into 32 bits
	k := req.TopK
	if k == 0 {
		k = rag.DefaultTopK
	}
	return min(k, most) + min(req.Offset, most)
}

// cut returns the requested matches of the best ones.
func cut(matches []rag.Match, req *rag.SearchRequest) []rag.Match {
	n := wanted(req)
	return matches[min(req.Offset, len(matches)):min(n, len(matches))]
}

// Hybrid combines a search by vectors with one by words, for a vector store that lacks the
// mode hybrid. It runs both at once, and fuses their ranks ([rag.FuseRanks]). A threshold
// applies to the search by vectors alone. ModeVector and ModeLexical run one of the
// searches; ModeDefault is ModeHybrid.
func Hybrid(vectors, words rag.Retriever) rag.Retriever {
	return rag.RetrieverFunc(func(ctx context.Context, req rag.SearchRequest) ([]rag.Match, error) {
		if err := req.Check(); err != nil {
			return nil, err
		}
		switch req.Mode {
		case rag.ModeVector:
			return vectors.Retrieve(ctx, req)
		case rag.ModeLexical:
			return words.Retrieve(ctx, req)
		}
		each := req
		each.TopK, each.Offset = max(wanted(&req), fuseFrom), 0
		var similar, lexical []rag.Match
		var vectorErr, wordErr error
		var both sync.WaitGroup
		both.Go(func() {
			r := each
			r.Mode = rag.ModeVector
			similar, vectorErr = vectors.Retrieve(ctx, r)
		})
		both.Go(func() {
			r := each
			r.Mode, r.Threshold, r.Vector = rag.ModeLexical, nil, nil
			lexical, wordErr = words.Retrieve(ctx, r)
		})
		both.Wait()
		if err := errors.Join(vectorErr, wordErr); err != nil {
			return nil, err
		}
		return cut(rag.FuseRanks(similar, lexical), &req), nil
	})
}

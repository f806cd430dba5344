package eval

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/rank"
)

// System is a way to search that is measured.
type System struct {
	Name      string
	Retriever rag.Retriever
	// Request is what every search has beside its query, such as the Mode.
	Request rag.SearchRequest
}

// Systems returns the ways to search a store: each of the modes, the most diverse of those
// (rank.Diverse) for the mode vector, and the reranked ones if there is a reranker. The
// threshold, if not nil, is for the modes that compare vectors.
func Systems(name string, store rag.VectorStore, modes []rag.Mode, threshold *float64, reranker rank.Reranker) ([]System, error) {
	plain := rag.RetrieverFunc(store.Search)
	var systems []System
	for _, mode := range modes {
		req := rag.SearchRequest{Mode: mode}
		if mode != rag.ModeLexical {
			req.Threshold = threshold
		}
		systems = append(systems, System{name + " " + string(mode), plain, req})
		if mode == rag.ModeVector {
			diverse, err := rank.Diverse(plain, nil)
			if err != nil {
				return nil, err
			}
			systems = append(systems, System{name + " vector, diverse", diverse, req})
		}
		if reranker != nil {
			reranked, err := rank.Rerank(plain, reranker, &rank.RerankOptions{FailClosed: true})
			if err != nil {
				return nil, err
			}
			systems = append(systems, System{name + " " + string(mode) + ", reranked", reranked, req})
		}
	}
	return systems, nil
}

// depth is how far a ranking is looked at.
const depth = 10

// Result is what was measured of a system. The shares are from 0 to 1.
type Result struct {
	System string
	// Answerable and Unanswerable are the numbers of questions.
	Answerable, Unanswerable int
	// Recall is the share of the relevant documents among the first 1, 5 and 10.
	Recall1, Recall5, Recall10 float64
	MRR10, NDCG10              float64
	// Silent is the share of the answerable questions for which nothing was found, and
	// Abstained that of the unanswerable ones.
	Silent, Abstained float64
}

// Measure asks a system all questions of a set, whose documents must be there already.
func Measure(ctx context.Context, set *Set, system System) (Result, error) {
	r := Result{System: system.Name}
	if err := set.Check(); err != nil {
		return r, err
	}
	for _, q := range set.Questions {
		req := system.Request
		req.Query, req.TopK = q.Text, depth
		found, err := system.Retriever.Retrieve(ctx, req)
		if err != nil {
			return r, fmt.Errorf("eval: %s: %s: question %q: %w", set.Name, system.Name, q.Text, err)
		}
		nothing := 0.0
		if len(found) == 0 {
			nothing = 1
		}
		if len(q.Relevant) == 0 {
			r.Unanswerable++
			r.Abstained += nothing
			continue
		}
		ranking := make([]string, len(found))
		for i := range found {
			ranking[i] = found[i].ID
		}
		r.Answerable++
		r.Silent += nothing
		r.Recall1 += recall(ranking, q.Relevant, 1)
		r.Recall5 += recall(ranking, q.Relevant, 5)
		r.Recall10 += recall(ranking, q.Relevant, 10)
		r.MRR10 += reciprocal(ranking, q.Relevant, 10)
		r.NDCG10 += ndcg(ranking, q.Relevant, 10)
	}
	for _, sum := range []*float64{&r.Recall1, &r.Recall5, &r.Recall10, &r.MRR10, &r.NDCG10, &r.Silent} {
		*sum /= float64(max(1, r.Answerable))
	}
	r.Abstained /= float64(max(1, r.Unanswerable))
	return r, nil
}

// WriteTable writes results as a table, in percent.
func WriteTable(w io.Writer, set *Set, results []Result) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if len(results) > 0 {
		fmt.Fprintf(w, "%s: %d documents, %d questions with an answer and %d without\n", set.Name, len(set.Documents), results[0].Answerable, results[0].Unanswerable)
	}
	fmt.Fprintln(t, "R@1\tR@5\tR@10\tMRR@10\tnDCG@10\tsilent\tabstained\t  system")
	for _, r := range results {
		for _, share := range []float64{r.Recall1, r.Recall5, r.Recall10, r.MRR10, r.NDCG10, r.Silent, r.Abstained} {
			fmt.Fprintf(t, "%.1f\t", 100*share)
		}
		fmt.Fprintf(t, "  %s\n", r.System)
	}
	return t.Flush()
}

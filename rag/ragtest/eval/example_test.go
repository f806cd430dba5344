package eval_test

import (
	"context"
	"os"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/embedding"
	"github.com/localpass/localpass/rag/flat"
	"github.com/localpass/localpass/rag/ragtest/eval"
)

// How well the default store finds what our handbook answers, in the words of the questions
// and in others.
func Example() {
	ctx := context.Background()
	for _, otherWords := range []bool{false, true} {
		set := eval.Handbook(otherWords)
		store, _ := flat.New(&flat.Options{Embedder: embedding.Words()})
		if err := store.Add(ctx, set.Documents...); err != nil {
			panic(err)
		}
		systems, _ := eval.Systems("flat", store, []rag.Mode{rag.ModeLexical, rag.ModeHybrid}, nil, nil)
		var results []eval.Result
		for _, system := range systems {
			r, err := eval.Measure(ctx, set, system)
			if err != nil {
				panic(err)
			}
			results = append(results, r)
		}
		_ = eval.WriteTable(os.Stdout, set, results)
	}
	// Output:
	// handbook: 40 documents, 40 questions with an answer and 30 without
	//     R@1    R@5   R@10  MRR@10  nDCG@10  silent  abstained  system
	//   100.0  100.0  100.0   100.0    100.0     0.0       80.0  flat lexical
	//   100.0  100.0  100.0   100.0    100.0     0.0        0.0  flat hybrid
	// handbook in other words: 40 documents, 40 questions with an answer and 30 without
	//   R@1  R@5  R@10  MRR@10  nDCG@10  silent  abstained  system
	//   0.0  0.0   0.0     0.0      0.0    97.5       80.0  flat lexical
	//   2.5  7.5  25.0     6.5     10.6     0.0        0.0  flat hybrid
}

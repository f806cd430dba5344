package rank_test

import (
	"context"
	"fmt"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/flat"
	"github.com/localpass/localpass/rag/rank"
)

// A model orders what a search by words found.
func ExampleRerank() {
	ctx := context.Background()
	store, _ := flat.New(nil)
	_ = store.Add(ctx, rag.Document{ID: "1", Text: "Paper jam? Paper, paper, paper!"}, rag.Document{ID: "2", Text: "Open the tray to remove jammed paper."})
	reranker, err := rank.LLM(func(ctx context.Context, instructions, data string) (string, error) {
		return "[2, 1]", nil // what a model answers
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	search, err := rank.Rerank(rag.RetrieverFunc(store.Search), reranker, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := search.Retrieve(ctx, rag.SearchRequest{Query: "paper jam", TopK: 1})
	fmt.Println(found[0].Text, err)
	// Output: Open the tray to remove jammed paper. <nil>
}

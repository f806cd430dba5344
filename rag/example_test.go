package rag_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/localpass/localpass/rag"
)

// A retriever over a list: it finds the texts that hold the query.
func ExampleRetrieverFunc() {
	texts := []string{"Cats sleep by day.", "Dogs bark."}
	list := rag.RetrieverFunc(func(_ context.Context, req rag.SearchRequest) ([]rag.Match, error) {
		if err := req.Check(); err != nil {
			return nil, err
		}
		if !req.Filter.IsZero() {
			return nil, fmt.Errorf("the list has no metadata to filter by: %w", rag.ErrInvalid)
		}
		var found []rag.Match
		for i, text := range texts {
			if strings.Contains(strings.ToLower(text), strings.ToLower(req.Query)) {
				found = append(found, rag.Match{Document: rag.Document{ID: fmt.Sprint(i), Text: text}, Score: 1})
			}
		}
		return found, nil
	})
	found, err := list.Retrieve(context.Background(), rag.SearchRequest{Query: "cats"})
	fmt.Println(found[0].Text, err)
	fmt.Println(rag.And(rag.Equal("lang", "en"), rag.In("kind", "note", "mail")))
	// Output:
	// Cats sleep by day. <nil>
	// lang == 'en' AND kind IN ['note', 'mail']
}

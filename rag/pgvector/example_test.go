package pgvector_test

import (
	"context"
	"fmt"
	"log"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/pgvector"
)

// A collection in a database that several programs share.
func Example() {
	ctx := context.Background()
	store, err := pgvector.Open(ctx, "postgres://rag@localhost/rag", &pgvector.Options{Collection: "manuals"})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	err = store.Add(ctx, rag.Document{ID: "1", Text: "Printers need paper.", Vector: []float32{0.1, 0.9}, Metadata: map[string]any{"floor": 2}})
	if err != nil {
		log.Fatal(err)
	}
	found, err := store.Search(ctx, rag.SearchRequest{Vector: []float32{0, 1}, Filter: rag.Equal("floor", 2)})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range found {
		fmt.Println(m.Score, m.Text)
	}
}

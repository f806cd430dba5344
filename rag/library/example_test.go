package library_test

import (
	"context"
	"fmt"

	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/flat"
	"github.com/localpass/localpass/rag/library"
)

func Example() {
	ctx := context.Background()
	store, _ := flat.New(nil) // by words; with an embedder also by meaning
	lib, err := library.Open(ctx, store, plainReader{}, memory.New(), nil)
	if err != nil {
		panic(err)
	}
	defer lib.Close()

	doc, _ := lib.Add(ctx, library.File{Name: "hotel.txt", Data: []byte("Breakfast is served from seven to ten.\f The garden closes at nine.")})
	if doc, err = lib.Wait(ctx, doc.ID); err != nil {
		panic(err)
	}
	found, _ := lib.Retrieve(ctx, rag.SearchRequest{Query: "When is breakfast?"})
	fmt.Println(doc.State, found[0].Title(), "page", found[0].Metadata[rag.KeyPage])
	// Output: ready hotel.txt page 1
}

package attachment_test

import (
	"context"
	"fmt"

	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/rag/attachment"
	"github.com/localpass/localpass/rag/flat"
	"github.com/localpass/localpass/rag/library"
	"github.com/localpass/localpass/rag/reader"
)

func Example() {
	ctx := context.Background()
	store, _ := flat.New(nil)
	lib, err := library.Open(ctx, store, reader.New(nil), memory.New(), nil)
	if err != nil {
		panic(err)
	}
	defer lib.Close()
	docs, _ := attachment.New(lib, memory.New(), nil)
	defer docs.Close()

	a, _ := docs.Add(ctx, "c1", "hotel.txt", []byte("Breakfast is served from seven to ten."))
	if a, err = docs.Wait(ctx, "c1", a.ID); err != nil {
		panic(err)
	}
	given, _ := docs.Attached(ctx, "c1") // what advisor.Attachments gives to the model
	fmt.Println(a.State, a.Tier, given[0].Text)
	// Output: ready small Breakfast is served from seven to ten.
}

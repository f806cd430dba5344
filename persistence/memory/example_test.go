package memory_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/memory"
)

func Example() {
	ctx := context.Background()
	store := memory.New()
	defer store.Close()

	_, err := store.Batch(ctx,
		localpass.Op{Collection: "tools", Key: "hash", Data: json.RawMessage(`{"published": true}`)},
		localpass.Op{Collection: "tools", Key: "uuid", Data: json.RawMessage(`{"published": false}`)},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	for doc, err := range store.List(ctx, "tools", localpass.ListOptions{}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(doc.Key, string(doc.Data))
	}
	// Output:
	// hash {"published":true}
	// uuid {"published":false}
}

package sqlite_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/sqlite"
)

func Example() {
	dir, err := os.MkdirTemp("", "localpass")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	store, err := sqlite.Open(filepath.Join(dir, "localpass.db"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()

	doc, err := store.Put(ctx, "settings", "theme", localpass.Document{Data: json.RawMessage(`"dark"`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	doc.Data = json.RawMessage(`"light"`)
	if _, err := store.Put(ctx, "settings", "theme", doc); err != nil {
		fmt.Println(err)
		return
	}
	doc, err = store.Get(ctx, "settings", "theme")
	fmt.Println(string(doc.Data), err)
	// Output: "light" <nil>
}

package file_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/file"
)

func Example() {
	home, err := os.MkdirTemp("", "localpass")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(home)
	store, err := file.Open(filepath.Join(home, "data"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()

	ctx := context.Background()
	first, err := store.Put(ctx, "tools", "Hash", localpass.Document{Data: json.RawMessage(`{"published": false}`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = store.Put(ctx, "tools", "Hash", localpass.Document{Version: first.Version, Data: json.RawMessage(`{"published": true}`)})
	fmt.Println("second writer:", err)
	_, err = store.Put(ctx, "tools", "Hash", localpass.Document{Version: first.Version, Data: json.RawMessage(`{}`)})
	fmt.Println("third writer lost:", errors.Is(err, localpass.ErrConflict))

	names, _ := filepath.Glob(filepath.Join(home, "data", "tools", "*.json"))
	for _, name := range names {
		fmt.Println(filepath.Base(name))
	}
	// Output:
	// second writer: <nil>
	// third writer lost: true
	// +hash.json
}

// A log stores records durably. Concurrent writers share one flush.
func ExampleStore_Append() {
	dir, err := os.MkdirTemp("", "localpass")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	store, err := file.Open(dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()

	ctx := context.Background()
	if err := store.Append(ctx, "audit", json.RawMessage(`{"tool": "hash", "ok": true}`), json.RawMessage(`{"tool": "uuid", "ok": true}`)); err != nil {
		fmt.Println(err)
		return
	}
	for record, err := range store.Records(ctx, "audit", localpass.LogOptions{}) {
		fmt.Println(string(record.Data), err)
	}
	// Output:
	// {"tool":"hash","ok":true} <nil>
	// {"tool":"uuid","ok":true} <nil>
}

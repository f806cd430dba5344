package postgres_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/postgres"
)

// The password comes from PGPASSWORD or the password file, and is not in the address.
func Example() {
	ctx := context.Background()
	store, err := postgres.Open(ctx, os.Getenv("DATABASE_URL"), &postgres.Options{MaxConns: 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	doc, err := store.Put(ctx, "settings", "theme", localpass.Document{Data: json.RawMessage(`"dark"`)})
	fmt.Println(doc.Version, err)
}

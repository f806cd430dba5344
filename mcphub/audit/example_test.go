package audit_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/localpass/localpass/mcphub/audit"
	"github.com/localpass/localpass/persistence/file"
	"github.com/localpass/localpass/toolspec"
)

// A log in files can be verified by anybody who has a copy of them.
func ExampleVerifyFiles() {
	ctx := context.Background()
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)
	store, err := file.Open(home, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	records := audit.New(store, &audit.Options{KeepFor: 90 * 24 * time.Hour}, nil)
	err = records.Audit(ctx, &audit.Record{Time: time.Now(), Call: "1", Tool: audit.Tool{ID: "greet", Name: "greet"},
		Principal: toolspec.Principal{Subject: "ada"}, OK: true})
	if err != nil {
		log.Fatal(err)
	}
	if err := records.Close(); err != nil { // seals the log
		log.Fatal(err)
	}

	report, err := audit.VerifyFiles(ctx, []string{home}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Calls, report.Chains[0].End, report.Err())
	later, err := audit.VerifyFiles(ctx, []string{home}, &audit.VerifyOptions{Anchors: []string{report.Anchor}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(later.Err())
	// Output:
	// 1 sealed <nil>
	// <nil>
}

package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// admitParallel is the number of specs that are tested concurrently.
const admitParallel = 4

// admitPatience is how long the server waits for the tests of all specs before it
// answers. A spec that takes longer is added when it has passed: clients are notified.
var admitPatience = 5 * time.Second

// admitAll publishes every document that passes, and reports the others on stderr, one
// line each, with the reason. It returns when all documents are done or after
// admitPatience; the returned group ends when the last document is done.
func admitAll(ctx context.Context, st *studio.Studio, documents []toolspec.Document, opts *studio.TestOptions, stderr io.Writer) *sync.WaitGroup {
	var group sync.WaitGroup
	lines := make(chan string)
	slots := make(chan struct{}, admitParallel)
	for _, doc := range documents {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if why := admit(ctx, st, doc, opts); why != "" {
				lines <- why
			}
		})
	}
	var printing sync.WaitGroup
	done := make(chan struct{})
	printing.Go(func() {
		for line := range lines {
			printLine(stderr, "mcpserver: %s", line)
		}
		close(done)
	})
	go func() { // printing waits for this goroutine
		group.Wait()
		close(lines)
	}()
	select {
	case <-done:
	case <-time.After(admitPatience):
	}
	return &printing
}

// admit publishes one document, or returns why it could not be published.
func admit(ctx context.Context, st *studio.Studio, doc toolspec.Document, opts *studio.TestOptions) string {
	if err := doc.Problems.Err(); err != nil || doc.Spec == nil {
		return notServed(doc, err)
	}
	_, report, err := st.TestAndPublish(ctx, doc.Spec, opts)
	switch {
	case err == nil:
		return ""
	case report != nil && !report.OK:
		return notServed(doc, report.Err())
	}
	return notServed(doc, err)
}

func notServed(doc toolspec.Document, err error) string {
	name := "a document"
	if doc.Spec != nil {
		name = doc.Spec.Name
	}
	return oneLine(fmt.Sprintf("%s is not served: %v (%s)", name, err, doc.Source))
}

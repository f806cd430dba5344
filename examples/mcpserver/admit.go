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

// admitParallel is how many specs are tested at once.
const admitParallel = 4

// admitPatience is how long the server waits for all of them before it answers. A
// spec that takes longer joins when it has passed: clients are notified.
var admitPatience = 5 * time.Second

// admitAll publishes every document that passes, and says on stderr, one line
// each, which do not and why. It returns when all are done or its patience is
// over; the group it returns ends when the last is done.
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
	go func() { // joined through printing
		group.Wait()
		close(lines)
	}()
	select {
	case <-done:
	case <-time.After(admitPatience):
	}
	return &printing
}

// admit publishes one document and returns why it could not.
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

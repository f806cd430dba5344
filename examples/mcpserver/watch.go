package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/localpass/localpass/toolspec/studio"
)

// follow serves the specs in the files at the paths until ctx ends, and reports the
// result of each on stderr. It returns when the specs present at the start have been
// handled or its time limit is over; the group it returns ends with ctx.
func follow(ctx context.Context, st *studio.Studio, paths []string, opts *studio.TestOptions, stderr io.Writer) *sync.WaitGroup {
	var group sync.WaitGroup
	caughtUp := make(chan struct{})
	options := &studio.FollowOptions{Test: *opts, CaughtUp: func() { close(caughtUp) }}
	group.Go(func() {
		for spec, err := range st.Follow(ctx, paths, options) {
			if ctx.Err() != nil {
				return
			}
			printLine(stderr, "mcpserver: %s", became(spec, err))
		}
	})
	select {
	case <-caughtUp:
	case <-time.After(admitPatience):
	case <-ctx.Done():
	}
	return &group
}

// became reports the result for a spec in one line.
func became(spec studio.Followed, err error) string {
	switch {
	case err != nil:
		return notServed(spec.Document, err)
	case spec.Withdrawn:
		return fmt.Sprintf("%s was withdrawn: it is not in %s any more", spec.Document.Spec.Name, spec.Document.Source)
	case spec.Report.Receipt != nil && len(spec.Report.Runs) == 0:
		return fmt.Sprintf("%s is served, with the pass it has (%s)", spec.Document.Spec.Name, spec.Document.Source)
	}
	return fmt.Sprintf("%s is served, passed in %d ms (%s)", spec.Document.Spec.Name, spec.Report.Duration.Milliseconds(), spec.Document.Source)
}

package genai

import "context"

// KeyRunID is the id of a test run, as given to the caller that started it.
const KeyRunID = "localpass.run.id"

type runKey struct{}

// WithRun returns a context in which the spans of a test run carry its id, so that the
// trace can be found by that id.
func WithRun(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, runKey{}, id)
}

func runOf(ctx context.Context) string {
	id, _ := ctx.Value(runKey{}).(string)
	return id
}

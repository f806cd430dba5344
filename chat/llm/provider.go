package llm

import (
	"context"
	"iter"
)

// Provider is a place that models come from: a server, or the demonstration. All
// methods are safe for concurrent use.
type Provider interface {
	// ID is the provider's id, the [ModelInfo].Provider of its models.
	ID() string
	// Models lists what can be asked for now.
	Models(ctx context.Context) ([]ModelInfo, error)
	// Model returns a model by name. It may ask the provider what the model can do;
	// an unknown name is an [*Error] with CodeModelNotFound, where the provider says
	// so before it is asked a question.
	Model(ctx context.Context, name string) (Model, error)
}

// Puller is a [Provider] that can fetch a model which it does not have yet.
type Puller interface {
	Provider
	// Pull fetches a model and tells how far it is. Breaking off the loop stops it;
	// an error is the last element. A model that is there already is no error.
	Pull(ctx context.Context, name string) iter.Seq2[PullProgress, error]
}

// PullProgress is how far a model has been fetched, in bytes. Total is 0 while it
// is not known.
type PullProgress struct {
	Status    string `json:"status"`
	Completed int64  `json:"completed,omitempty"`
	Total     int64  `json:"total,omitempty"`
}

package llm

import (
	"context"
	"iter"
)

// Provider is a source of models: a server, or the demonstration. All methods are safe
// for concurrent use.
type Provider interface {
	// ID is the provider's id, the [ModelInfo].Provider of its models.
	ID() string
	// Models lists the models that are available now.
	Models(ctx context.Context) ([]ModelInfo, error)
	// Model returns a model by name. It may ask the provider what the model can do. For
	// an unknown name it returns an [*Error] with CodeModelNotFound if the provider
	// reports that already here; otherwise the first exchange does.
	Model(ctx context.Context, name string) (Model, error)
}

// Puller is a [Provider] that can download models that it does not have yet.
type Puller interface {
	Provider
	// Pull downloads a model and yields its progress. Leaving the loop stops the
	// download; an error is the last element. If the model is already there, that is no
	// error.
	Pull(ctx context.Context, name string) iter.Seq2[PullProgress, error]
}

// PullProgress is the progress of a download, in bytes. Total is 0 while it is unknown.
type PullProgress struct {
	Status    string `json:"status"`
	Completed int64  `json:"completed,omitempty"`
	Total     int64  `json:"total,omitempty"`
}

// ModelStore is a [Provider] that keeps its models on its server, where they can be
// measured, unloaded and deleted.
type ModelStore interface {
	Provider
	// Stored lists every model on the server, including those that cannot chat.
	Stored(ctx context.Context) ([]StoredModel, error)
	// Unload removes a model from memory; it stays on disk. A model that is not loaded is
	// no error.
	Unload(ctx context.Context, name string) error
	// Delete removes a model from the server for good. For an unknown name it returns an
	// [*Error] with CodeModelNotFound.
	Delete(ctx context.Context, name string) error
}

// StoredModel is a model on the server of a [ModelStore]. Bytes is its size on disk,
// LoadedBytes the memory that it uses now; 0: it is not loaded.
type StoredModel struct {
	Name        string `json:"name"`
	Bytes       int64  `json:"bytes,omitempty"`
	LoadedBytes int64  `json:"loadedBytes,omitempty"`
}

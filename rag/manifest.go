package rag

import (
	"fmt"
	"time"
)

// Manifest says how the vectors of a store were made. A store writes it with the first
// vectors, and compares it with the configured embedder when it is opened.
type Manifest struct {
	// Embedder is the [EmbedderInfo].ID of the embedder. Empty: unknown, which matches
	// every embedder of the same dimension.
	Embedder string `json:"embedder,omitempty"`
	// Dimension is the length of the vectors; 0: none is stored yet.
	Dimension int       `json:"dimension,omitempty"`
	Created   time.Time `json:"created,omitzero"`
}

// Accepts returns a [*MismatchError] if vectors of the described embedder cannot be
// compared with those of the manifest. What is unknown on one of the sides is accepted.
func (m Manifest) Accepts(info EmbedderInfo) error {
	id := m.Embedder != "" && info.ID != "" && m.Embedder != info.ID
	dimension := m.Dimension != 0 && info.Dimension != 0 && m.Dimension != info.Dimension
	if !id && !dimension {
		return nil
	}
	return &MismatchError{Stored: m, Configured: info}
}

// MismatchError reports that a store holds vectors of another embedder than the configured
// one. It matches [ErrEmbedderMismatch].
type MismatchError struct {
	Stored     Manifest
	Configured EmbedderInfo
}

func (e *MismatchError) Error() string {
	describe := func(id string, dimension int) string {
		if id == "" {
			id = "an unnamed embedder"
		}
		if dimension == 0 {
			return id
		}
		return fmt.Sprintf("%s (%d dimensions)", id, dimension)
	}
	return fmt.Sprintf("rag: the stored vectors are of %s, the configured embedder is %s: embed the documents again, or configure the former embedder",
		describe(e.Stored.Embedder, e.Stored.Dimension), describe(e.Configured.ID, e.Configured.Dimension))
}

// Unwrap returns [ErrEmbedderMismatch].
func (e *MismatchError) Unwrap() error { return ErrEmbedderMismatch }

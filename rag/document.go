package rag

import (
	"context"
	"fmt"
	"math"
)

// Document is a piece of text that a search can find: a whole document, or a chunk of
// one. It is a value; copy the map before you change the metadata of a document that you
// received.
type Document struct {
	// ID identifies the document in its store.
	ID   string
	Text string
	// Metadata holds facts about the document: strings, bools, numbers (int64 or float64)
	// and lists of those. The Key constants are common keys.
	Metadata map[string]any
	// Vector is the embedding of the text. nil: there is none, or it was not requested.
	Vector []float32
}

// Keys of metadata that this module reads.
const (
	KeyTitle  = "title"       // the title of the document
	KeySource = "source"      // the source of the document: a file or a URL
	KeyChunk  = "chunk_index" // the index of a chunk in its document, from 0
)

// Title returns a name for the document: its title, else its source, else its id.
func (d *Document) Title() string {
	for _, key := range []string{KeyTitle, KeySource} {
		if s, ok := d.Metadata[key].(string); ok && s != "" {
			return s
		}
	}
	return d.ID
}

// Chunk returns the index of a chunk in its document, from 0; 0 if the document is not
// split.
func (d *Document) Chunk() int {
	switch n := d.Metadata[KeyChunk].(type) {
	case int:
		return n
	case int64:
		return int(n)
	case float64:
		return int(n)
	}
	return 0
}

// Match is a document that was found.
type Match struct {
	Document
	// Score is how well the document matches. Higher is better for every measure.
	Score float64
	// Scores are the unscaled measures from which Score was computed, by name. Optional.
	Scores map[string]float64
}

// Mode is a way of searching.
type Mode string

// The modes. A retriever with only one mode uses it for all of them.
const (
	ModeDefault Mode = ""        // the retriever's default
	ModeVector  Mode = "vector"  // by meaning
	ModeLexical Mode = "lexical" // by words
	ModeHybrid  Mode = "hybrid"  // vector and lexical search combined
)

// Message is a message of a conversation.
type Message struct {
	Role string // "user" or "assistant"
	Text string
}

// SearchRequest asks for documents.
type SearchRequest struct {
	// Query is the text to look for.
	Query string
	// History is the conversation before the query, the oldest message first. Stores
	// ignore it; a retriever may use it to complete the query.
	History []Message
	// Vector is the embedding of Query, if the caller has it already.
	Vector []float32
	// TopK is the maximum number of matches to return. 0: the retriever decides; a
	// [VectorStore] returns [DefaultTopK].
	TopK int
	// Threshold is the lowest score of a match. nil: no threshold, which differs from 0
	// because some measures have negative values. In [ModeHybrid] it applies to the
	// similarity of the vectors, before the two lists are combined.
	Threshold *float64
	// Filter limits the search by the metadata of documents. The zero value does not
	// limit it.
	Filter Filter
	Mode   Mode
	// Vectors requests the vectors of the matches.
	Vectors bool
	// Offset is the number of best matches to skip; it applies after the threshold and
	// before TopK.
	Offset int
}

// Check returns an error for the first invalid part of a request.
func (r *SearchRequest) Check() error {
	switch {
	case r.TopK < 0:
		return fmt.Errorf("rag: TopK is %d: it must not be negative: %w", r.TopK, ErrInvalid)
	case r.Offset < 0:
		return fmt.Errorf("rag: Offset is %d: it must not be negative: %w", r.Offset, ErrInvalid)
	case r.Threshold != nil && math.IsNaN(*r.Threshold):
		return fmt.Errorf("rag: Threshold is not a number: %w", ErrInvalid)
	}
	return r.Filter.Check()
}

// Retriever finds documents. Obligations of an implementation:
//
//   - It is safe for concurrent use, and returns soon after ctx ends.
//   - The matches are ordered by score, best first, and by id for equal scores. Finding
//     nothing is not an error.
//   - A filter that it cannot apply is an error: a search is never wider than requested.
//   - The caller owns the matches.
type Retriever interface {
	Retrieve(ctx context.Context, req SearchRequest) ([]Match, error)
}

// RetrieverFunc adapts a function to the interface Retriever.
type RetrieverFunc func(ctx context.Context, req SearchRequest) ([]Match, error)

// Retrieve calls f.
func (f RetrieverFunc) Retrieve(ctx context.Context, req SearchRequest) ([]Match, error) {
	return f(ctx, req)
}

package rag

import (
	"context"
	"errors"
	"fmt"
)

// Document is a piece of text that can be found: a whole document, or a chunk of
// one. It is a value; copy the map before you change the metadata of one that you
// were given.
type Document struct {
	// ID names the document in its store.
	ID   string
	Text string
	// Metadata are facts about it: texts, truth values, numbers (int64 or float64)
	// and lists of those. What is known of all documents is in the Key constants.
	Metadata map[string]any
	// Vector is the text's embedding. nil: there is none, or it
	// was not asked for.
	Vector []float32
}

// Keys of metadata that this module reads.
const (
	KeyTitle  = "title"       // what people call the document
	KeySource = "source"      // where it came from: a file, an address
	KeyChunk  = "chunk_index" // the place of a chunk in its document, from 0
)

// Title is what to call the document: its title, else its source, else its id.
func (d *Document) Title() string {
	for _, key := range []string{KeyTitle, KeySource} {
		if s, ok := d.Metadata[key].(string); ok && s != "" {
			return s
		}
	}
	return d.ID
}

// Chunk is the place of a chunk in its document, from 0; 0 where the document is
// not split.
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
	// Score says how well it fits: more is better, whatever the measure is.
	Score float64
	// Scores are the measures that Score was made of, by name, as they came.
	// Optional.
	Scores map[string]float64
}

// Mode is a way of searching.
type Mode string

// The modes. A retriever that has only one way takes that for any of them.
const (
	ModeDefault Mode = ""        // as the retriever does by itself
	ModeVector  Mode = "vector"  // by meaning
	ModeLexical Mode = "lexical" // by words
	ModeHybrid  Mode = "hybrid"  // both, put together
)

// SearchRequest asks for documents.
type SearchRequest struct {
	// Query is the text to look for.
	Query string
	// Vector replaces the embedding of Query, where the caller has it already.
	Vector []float32
	// TopK is how many are wanted at most. 0 leaves it to the retriever.
	TopK int
	// Threshold is the least score of a match, itself included. nil: none. It is not
	// the same as 0, because some measures go below.
	Threshold *float64
	// Filter limits the search to documents by their metadata. The zero value does
	// not.
	Filter Filter
	Mode   Mode
	// Offset leaves out the best matches, after the threshold and before TopK.
	Offset int
}

// ErrInvalid says that a request cannot be answered as it is; the text names what
// is wrong and what it must be.
var ErrInvalid = errors.New("invalid argument")

// Check reports the first thing that is wrong with a request.
func (r *SearchRequest) Check() error {
	switch {
	case r.TopK < 0:
		return fmt.Errorf("rag: TopK is %d: it must not be negative: %w", r.TopK, ErrInvalid)
	case r.Offset < 0:
		return fmt.Errorf("rag: Offset is %d: it must not be negative: %w", r.Offset, ErrInvalid)
	}
	return r.Filter.Check()
}

// Retriever finds documents. Obligations of an implementation:
//
//   - It is safe for concurrent use, and ends soon after ctx does.
//   - The matches are ordered by score, the best first, and by id where that is the
//     same. Finding nothing is no error.
//   - A filter that it cannot apply is an error: a search is never wider than what
//     was asked for.
//   - The matches are the caller's to keep.
type Retriever interface {
	Retrieve(ctx context.Context, req SearchRequest) ([]Match, error)
}

// RetrieverFunc is a function that is a Retriever.
type RetrieverFunc func(ctx context.Context, req SearchRequest) ([]Match, error)

// Retrieve calls f.
func (f RetrieverFunc) Retrieve(ctx context.Context, req SearchRequest) ([]Match, error) {
	return f(ctx, req)
}

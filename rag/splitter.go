package rag

import (
	"context"
	"fmt"
	"maps"
	"strings"
)

// Tokenizer divides text into the tokens that a model counts. It is safe for concurrent
// use.
type Tokenizer interface {
	// Name names the encoding, such as "cl100k_base".
	Name() string
	// Tokens returns the offset in bytes at which each token ends, in ascending order;
	// the last one is len(text). A token may end inside a character.
	Tokens(text string) ([]int, error)
}

// Splitter divides text into chunks that are small enough to embed and to show to a model.
// It is safe for concurrent use. Blank text has no chunks.
type Splitter interface {
	Split(ctx context.Context, text string) ([]Chunk, error)
}

// Chunk is a part of a text.
type Chunk struct {
	// Text is the text from Start to End; line breaks may have become spaces.
	Text       string
	Start, End int // in bytes
	// Tokens is how many tokens of the whole text the chunk touches; 0: the splitter does
	// not count tokens.
	Tokens int
	// Headings are the headings above the chunk, the outermost first.
	Headings []string
	// Context is a larger text around the chunk, to give to the model in its place.
	// Empty: the chunk stands for itself.
	Context string
	// Rest says that the splitter reached its maximum number of chunks, and that this is
	// all that was left: it may be longer than the splitter's chunks.
	Rest bool
}

// Keys of the metadata that [SplitDocument] adds.
const (
	KeyParent   = "parent_document_id" // the id of the document that was split
	KeyTotal    = "total_chunks"
	KeyStart    = "start" // of the chunk in the text of the document, in bytes
	KeyEnd      = "end"
	KeyHeadings = "heading_path" // such as "Install > Linux"
	KeyContext  = "context"      // see Chunk.Context
	KeyRest     = "rest"         // true: see Chunk.Rest
)

// SplitOptions are the options of [SplitDocument]. The zero value works.
type SplitOptions struct {
	// OmitHeadings leaves the headings above a chunk out of its text; they are in the
	// metadata only, and so a search does not see them.
	OmitHeadings bool
	// Parts are the places in the text of the document, as a [Reader] found them. A chunk
	// has the Key and Value of the parts that it touches in its metadata: of each key the
	// first, and as "end_" and the key the last, if it is another number.
	Parts []Part
}

// SplitDocument splits a document into documents that have its metadata and the Key
// constants of this package. The id of a chunk is its index, a hyphen and the id of the
// document.
func SplitDocument(ctx context.Context, s Splitter, doc Document, opts *SplitOptions) ([]Document, error) {
	if doc.ID == "" {
		return nil, fmt.Errorf("rag: the document has no id: %w", ErrInvalid)
	}
	var o SplitOptions
	if opts != nil {
		o = *opts
	}
	chunks, err := s.Split(ctx, doc.Text)
	if err != nil {
		return nil, fmt.Errorf("rag: document %q could not be split: %w", doc.ID, err)
	}
	docs := make([]Document, len(chunks))
	places := byKey(o.Parts)
	for i, c := range chunks {
		metadata := make(map[string]any, len(doc.Metadata)+6)
		maps.Copy(metadata, doc.Metadata)
		maps.DeleteFunc(metadata, func(_ string, v any) bool { return v == nil })
		metadata[KeyParent] = doc.ID
		metadata[KeyChunk], metadata[KeyTotal] = int64(i), int64(len(chunks))
		metadata[KeyStart], metadata[KeyEnd] = int64(c.Start), int64(c.End)
		text := c.Text
		if path := strings.Join(c.Headings, " > "); path != "" {
			metadata[KeyHeadings] = path
			if !o.OmitHeadings {
				text = path + "\n\n" + text
			}
		}
		if c.Context != "" {
			metadata[KeyContext] = c.Context
		}
		if c.Rest {
			metadata[KeyRest] = true
		}
		addPlaces(metadata, places, c)
		docs[i] = Document{ID: fmt.Sprintf("%d-%s", i, doc.ID), Text: text, Metadata: metadata}
	}
	return docs, nil
}

// WithContext returns a retriever whose matches have the text of [KeyContext] where a
// document has one: a search finds a small chunk, and the model reads what is around it.
// Of the matches with the same context and parent only the best remains, so there may be
// fewer than TopK.
func WithContext(r Retriever) Retriever {
	return RetrieverFunc(func(ctx context.Context, req SearchRequest) ([]Match, error) {
		found, err := r.Retrieve(ctx, req)
		if err != nil {
			return nil, err
		}
		type origin struct{ parent, text string }
		seen := map[origin]bool{}
		kept := found[:0]
		for _, m := range found {
			if text, ok := m.Metadata[KeyContext].(string); ok && text != "" {
				parent, _ := m.Metadata[KeyParent].(string)
				if o := (origin{parent, text}); seen[o] {
					continue
				} else {
					seen[o] = true
				}
				m.Text = text
			}
			kept = append(kept, m)
		}
		return kept, nil
	})
}

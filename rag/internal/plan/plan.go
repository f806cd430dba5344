// Package plan turns a search request into what a store does for it, in the same way for
// every store.
package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/localpass/localpass/rag"
)

// Plan is a checked search.
type Plan struct {
	// Mode is ModeVector, ModeLexical or ModeHybrid; "" means to return what the filter
	// selects, by id.
	Mode   rag.Mode
	Vector []float32 // of the length 1, in ModeVector and ModeHybrid
	TopK   int
	Offset int
}

// Limit returns how many of the best matches are needed.
func (p *Plan) Limit() int {
	const most = 1 << 29 // so that the sum fits into 32 bits
	return min(p.TopK, most) + min(p.Offset, most)
}

// Cut returns the requested matches of the best ones.
func (p *Plan) Cut(matches []rag.Match) []rag.Match {
	matches = matches[min(p.Offset, len(matches)):]
	return matches[:min(p.TopK, len(matches))]
}

// Store describes a store to Make.
type Store struct {
	Embedder  rag.Embedder // nil: none
	Dimension int          // of its vectors; 0: it has none
	Lexical   bool         // it has the modes lexical and hybrid
}

// DefaultMode returns the mode that rag.ModeDefault means, for a request with or without a
// vector.
func (s Store) DefaultMode(vector bool) rag.Mode {
	if vector || s.Embedder != nil || !s.Lexical {
		return rag.ModeVector
	}
	return rag.ModeLexical
}

// Make checks a request, and embeds its query if that is necessary.
func Make(ctx context.Context, req *rag.SearchRequest, s Store) (Plan, error) {
	if err := ctx.Err(); err != nil {
		return Plan{}, err
	}
	if err := req.Check(); err != nil {
		return Plan{}, err
	}
	p := Plan{Mode: req.Mode, TopK: req.TopK, Offset: req.Offset}
	if p.TopK == 0 {
		p.TopK = rag.DefaultTopK
	}
	blank := strings.TrimSpace(req.Query) == ""
	if blank && req.Vector == nil {
		if req.Filter.IsZero() {
			return p, fmt.Errorf("rag: the request has neither a query nor a filter: %w", rag.ErrInvalid)
		}
		p.Mode = ""
		return p, nil
	}
	if p.Mode == rag.ModeDefault {
		p.Mode = s.DefaultMode(req.Vector != nil)
	}
	switch p.Mode {
	case rag.ModeVector:
	case rag.ModeLexical, rag.ModeHybrid:
		if !s.Lexical {
			return p, fmt.Errorf("rag: this store does not search in the mode %q: %w", p.Mode, errors.ErrUnsupported)
		}
		if blank {
			return p, fmt.Errorf("rag: the mode %q needs a query: %w", p.Mode, rag.ErrInvalid)
		}
	default:
		return p, fmt.Errorf("rag: there is no mode %q: %w", p.Mode, rag.ErrInvalid)
	}
	if err := checkThreshold(p.Mode, req.Threshold); err != nil || p.Mode == rag.ModeLexical {
		return p, err
	}
	var err error
	switch {
	case req.Vector != nil:
		p.Vector, err = slices.Clone(req.Vector), rag.CheckVector(req.Vector, s.Dimension)
	case s.Embedder == nil:
		err = fmt.Errorf("rag: a search in the mode %q: %w", p.Mode, rag.ErrNoVector)
	case s.Dimension == 0:
		return p, nil // there is nothing to compare with
	default:
		var v []float32
		v, err = rag.EmbedQuery(ctx, s.Embedder, req.Query, s.Dimension)
		p.Vector = slices.Clone(v)
	}
	if err != nil {
		return p, err
	}
	rag.Normalize(p.Vector)
	return p, nil
}

func checkThreshold(mode rag.Mode, threshold *float64) error {
	switch {
	case threshold == nil:
	case mode == rag.ModeLexical && *threshold < 0:
		return fmt.Errorf("rag: Threshold is %v: a lexical score is never negative: %w", *threshold, rag.ErrInvalid)
	case mode != rag.ModeLexical && (*threshold < -1 || *threshold > 1):
		return fmt.Errorf("rag: Threshold is %v: a similarity is from -1 to 1: %w", *threshold, rag.ErrInvalid)
	}
	return nil
}

// Documents prepares documents for a store: it copies and checks them, and embeds those
// without a vector if the store has an embedder. known, if not nil, returns the vector that
// the store has for a document with this id and this text. All vectors have the length 1
// afterwards.
func Documents(ctx context.Context, docs []rag.Document, s Store, known func(id, text string) []float32) ([]rag.Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	docs, err := rag.CloneDocuments(docs)
	if err != nil {
		return nil, err
	}
	var texts []string
	var missing []*rag.Document
	dimension := s.Dimension
	for i := range docs {
		d := &docs[i]
		if d.Vector == nil && known != nil {
			d.Vector = known(d.ID, d.Text)
		}
		if d.Vector == nil {
			texts, missing = append(texts, d.Text), append(missing, d)
			continue
		}
		if err := rag.CheckVector(d.Vector, dimension); err != nil {
			return nil, fmt.Errorf("rag: document %q: %w", d.ID, err)
		}
		dimension = len(d.Vector)
		rag.Normalize(d.Vector)
	}
	if s.Embedder == nil {
		if len(missing) > 0 && !s.Lexical {
			return nil, fmt.Errorf("rag: document %q: %w", missing[0].ID, rag.ErrNoVector)
		}
		return docs, nil
	}
	for _, d := range missing {
		if strings.TrimSpace(d.Text) == "" {
			return nil, fmt.Errorf("rag: document %q has no text to embed: %w", d.ID, rag.ErrInvalid)
		}
	}
	const batch = 64 // texts in one call: an embedder divides them further if it has to
	for from := 0; from < len(texts); from += batch {
		to := min(from+batch, len(texts))
		vectors, err := rag.EmbedTexts(ctx, s.Embedder, texts[from:to], dimension)
		if err != nil {
			return nil, err
		}
		for i, v := range vectors {
			dimension = len(v)
			v = slices.Clone(v)
			rag.Normalize(v)
			missing[from+i].Vector = v
		}
	}
	return docs, nil
}

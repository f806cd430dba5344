package splitter

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/localpass/localpass/rag"
)

// ParentChild returns a splitter that divides a text with parent, and each of its chunks
// with child: the small chunks are found more precisely, and their Context is the chunk of
// parent, to give to the model. See [rag.WithContext]. parent must return slices of the
// text, which excludes [TokenOptions].ReplaceLineBreaks.
//
// A store keeps the context with every chunk, so that a text takes as much space again for
// each child of a parent.
func ParentChild(parent, child rag.Splitter) (rag.Splitter, error) {
	if parent == nil || child == nil {
		return nil, fmt.Errorf("splitter: ParentChild needs two splitters: %w", rag.ErrInvalid)
	}
	return parentChild{parent, child}, nil
}

type parentChild struct{ parent, child rag.Splitter }

func (s parentChild) Split(ctx context.Context, text string) ([]rag.Chunk, error) {
	parents, err := s.parent.Split(ctx, text)
	if err != nil {
		return nil, err
	}
	var chunks []rag.Chunk
	for _, p := range parents {
		if p.Start < 0 || p.End > len(text) || p.Start > p.End || text[p.Start:p.End] != p.Text {
			return nil, fmt.Errorf("splitter: a chunk of the parent splitter is no slice of the text: %w", rag.ErrInvalid)
		}
		children, err := s.child.Split(ctx, p.Text)
		if err != nil {
			return nil, err
		}
		for _, c := range children {
			c.Start += p.Start
			c.End += p.Start
			c.Headings = slices.Concat(p.Headings, c.Headings)
			c.Rest = c.Rest || p.Rest
			if c.Text != p.Text {
				c.Context = strings.Clone(p.Text)
			}
			chunks = append(chunks, c)
		}
	}
	return chunks, nil
}

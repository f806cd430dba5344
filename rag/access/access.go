package access

import (
	"context"
	"errors"
	"fmt"

	"github.com/localpass/localpass/rag"
)

// KeyLabels is the key of metadata with the labels of a document: a text, or a list of
// texts.
const KeyLabels = "access_labels"

// Labels returns the filter for documents that carry at least one of some labels. A
// document without labels is selected by none, and without labels nothing is selected.
func Labels(held ...string) rag.Filter {
	if len(held) == 0 {
		return nothing
	}
	values := make([]any, len(held))
	for i, label := range held {
		values[i] = label
	}
	return rag.In(KeyLabels, values...)
}

// nothing is a valid filter that selects no document.
var nothing = rag.And(rag.Filter{Op: rag.OpIsNull, Key: KeyLabels}, rag.Filter{Op: rag.OpIsNotNull, Key: KeyLabels})

// Restrict returns a retriever that finds only what a filter selects, which is determined
// for each search, by who is asking. What the retriever returns is checked once more: a
// match that the filter does not select is an error.
func Restrict(r rag.Retriever, where func(ctx context.Context) (rag.Filter, error)) (rag.Retriever, error) {
	if r == nil || where == nil {
		return nil, fmt.Errorf("access: Restrict needs a retriever and a function: %w", rag.ErrInvalid)
	}
	return rag.RetrieverFunc(func(ctx context.Context, req rag.SearchRequest) ([]rag.Match, error) {
		limit, err := where(ctx)
		if err != nil {
			return nil, fmt.Errorf("access: %w", err)
		}
		if limit.IsZero() {
			return nil, fmt.Errorf("access: the filter is empty, which would select everything: %w", rag.ErrInvalid)
		}
		if err := errors.Join(limit.Check(), req.Check()); err != nil {
			return nil, err
		}
		if err := limited(&req, limit); err != nil {
			return nil, err
		}
		found, err := r.Retrieve(ctx, req)
		if err != nil {
			return nil, err
		}
		for i := range found {
			if !limit.Matches(found[i].Metadata) {
				return nil, errors.New("access: the retriever returned a document that the filter does not select")
			}
		}
		return found, nil
	}), nil
}

// limited adds a filter to a request. A request for nothing stays one: a filter of its own
// would turn it into a list.
func limited(req *rag.SearchRequest, limit rag.Filter) error {
	if blank(req) && req.Filter.IsZero() {
		return fmt.Errorf("access: the request has neither a query nor a filter: %w", rag.ErrInvalid)
	}
	req.Filter = rag.And(limit, req.Filter)
	return nil
}

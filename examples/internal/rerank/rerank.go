// Package rerank chooses what judges the passages of a search, by the configuration.
package rerank

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/localpass/localpass/examples/internal/config"
	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/rank"
	"github.com/localpass/localpass/rag/rank/crossencoder"
	"github.com/localpass/localpass/toolspec/secret"
)

// Ask asks the chosen model with a prompt. Without a model, the error is [ErrNoModel].
type Ask func(ctx context.Context, prompt string) (string, error)

// ErrNoModel reports that no model can judge documents, such as in the demonstration.
var ErrNoModel = errors.New("there is no model that can judge documents")

// Retriever returns the search with the order of retrieval.rerank: search itself if that is off.
// ask is nil in a program without models. If the judge fails, the order of the search stays, and
// the logger says why. lookup finds the key of a server.
func Retriever(c *config.Config, search rag.Retriever, ask Ask, lookup secret.Lookup, logger *slog.Logger) (rag.Retriever, error) {
	r := c.Retrieval
	var judge rank.Reranker
	var err error
	switch r.Rerank {
	case config.RerankOff:
		return search, nil
	case config.RerankModel:
		if ask == nil {
			return nil, fmt.Errorf("%s: this program has no model: name the address of a rerank server, or off", c.Origin("retrieval.rerank").Place)
		}
		judge, err = rank.LLM(func(ctx context.Context, instructions, data string) (string, error) {
			return ask(ctx, instructions+"\n\n"+data)
		}, nil)
	default:
		key, bad := c.Secret("retrieval.rerankKey", r.RerankKey, lookup)
		if bad != nil {
			return nil, bad
		}
		judge, err = crossencoder.New(r.Rerank, &crossencoder.Options{Model: r.RerankModel, Key: key})
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Origin("retrieval.rerank").Place, err)
	}
	return rank.Rerank(search, judge, &rank.RerankOptions{OnError: func(_ context.Context, err error) {
		if logger != nil && !errors.Is(err, ErrNoModel) {
			logger.Warn("what was found keeps the order of the search, as its judge failed", "error", err)
		}
	}})
}

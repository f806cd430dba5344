package ollama

import (
	"context"
	"fmt"
	"strings"

	"github.com/localpass/localpass/chat/llm"
	"github.com/ollama/ollama/api"
)

var _ llm.ModelStore = (*Provider)(nil)

// Stored lists every model on the server with its size, and with the memory that it uses
// if it is loaded. Models that only make embeddings are included.
func (p *Provider) Stored(ctx context.Context) ([]llm.StoredModel, error) {
	list, err := p.api.List(ctx)
	if err != nil {
		return nil, p.convertError(ctx, err)
	}
	loaded := map[string]int64{}
	if running, err := p.api.ListRunning(ctx); err == nil { // an older server does not report it
		for i := range running.Models {
			loaded[running.Models[i].Name] = running.Models[i].Size
		}
	}
	out := make([]llm.StoredModel, len(list.Models))
	for i := range list.Models {
		name := list.Models[i].Name
		out[i] = llm.StoredModel{Name: name, Bytes: list.Models[i].Size, LoadedBytes: loaded[name]}
	}
	return out, nil
}

// Unload removes a model from the memory of the server. It stays on disk, and is loaded
// again by the next question.
func (p *Provider) Unload(ctx context.Context, name string) error {
	if err := named(name); err != nil {
		return err
	}
	err := p.api.Generate(ctx, &api.GenerateRequest{Model: fullName(name), KeepAlive: &api.Duration{}}, func(api.GenerateResponse) error { return nil })
	if err != nil {
		return p.convertError(ctx, err)
	}
	return nil
}

// Delete removes a model from the disk of the server.
func (p *Provider) Delete(ctx context.Context, name string) error {
	if err := named(name); err != nil {
		return err
	}
	if err := p.api.Delete(ctx, &api.DeleteRequest{Model: fullName(name)}); err != nil {
		return p.convertError(ctx, err)
	}
	return nil
}

func named(name string) error {
	if strings.TrimSpace(name) == "" {
		return fmt.Errorf("chat/ollama: the name of a model is missing: %w", llm.ErrInvalid)
	}
	return nil
}

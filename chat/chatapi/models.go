package chatapi

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/httpapi"
)

// listWithin is the time limit for a provider to list its models.
const listWithin = 10 * time.Second

// model finds a model for a conversation by name, or by provider/name; nil means the
// client's own model.
func (a *API) model(ctx context.Context, conv *conversation.Conversation, name string) (llm.Model, llm.ModelInfo, error) {
	own := a.client.Model()
	provider := cmp.Or(conv.Provider, own.Provider)
	if before, after, ok := strings.Cut(name, "/"); ok && (a.provider(before) != nil || before == own.Provider) {
		provider, name = before, after
	}
	if provider == own.Provider && name == own.Name {
		return nil, own, nil
	}
	p := a.provider(provider)
	if p == nil {
		return nil, llm.ModelInfo{}, &llm.Error{Code: llm.CodeModelNotFound, Message: "there is no such model here: see GET /api/models"}
	}
	m, err := p.Model(ctx, name)
	if err != nil {
		return nil, llm.ModelInfo{}, err
	}
	return m, m.Info(), nil
}

// turnModel sets the model of a turn: the one named in the request, the conversation's,
// or that of its last turn.
func (a *API) turnModel(ctx context.Context, conv *conversation.Conversation, name string, opts *chat.TurnOptions) error {
	if name == "" && opts.Options != nil {
		name = opts.Options.Model
	}
	name = cmp.Or(name, conv.Options.Model)
	if name == "" {
		var err error
		opts.Model, err = a.modelOfTurn(ctx, conv)
		return err
	}
	m, info, err := a.model(ctx, conv, name)
	if err != nil {
		return err
	}
	var own llm.Options
	if opts.Options != nil {
		own = *opts.Options
	}
	own.Model = info.Name // takes precedence over the conversation's model
	opts.Model, opts.Options = m, &own
	return nil
}

// modelOfTurn returns the model of a conversation's last turn; nil for the client's own
// model, and if the model is no longer known.
func (a *API) modelOfTurn(ctx context.Context, conv *conversation.Conversation) (llm.Model, error) {
	own := a.client.Model()
	if conv.Turns == 0 {
		return nil, nil
	}
	turn, err := a.store.Turn(ctx, conv.ID, conv.Turns)
	if err != nil || turn.Provider == "" || turn.Provider == own.Provider && turn.Model == own.Name {
		if errors.Is(err, llm.ErrNotFound) {
			err = nil
		}
		return nil, err
	}
	p := a.provider(turn.Provider)
	if p == nil {
		return nil, nil // the client reports what is wrong
	}
	return p.Model(ctx, turn.Model)
}

// listModels lists the models of all providers, which are asked concurrently. A provider
// that fails does not hide the models of the others.
func (a *API) listModels(w http.ResponseWriter, r *http.Request) error {
	if _, err := a.principal(r); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), listWithin)
	defer cancel()
	providers := a.providers.Load().list
	lists, failed := make([][]llm.ModelInfo, len(providers)), make([]error, len(providers))
	stored := make([][]llm.StoredModel, len(providers))
	var all sync.WaitGroup
	for i, p := range providers {
		all.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					failed[i] = &chat.PanicError{Name: "provider " + p.ID(), Value: v}
				}
			}()
			if lists[i], failed[i] = p.Models(ctx); failed[i] != nil {
				return
			}
			if store, ok := p.(llm.ModelStore); ok {
				stored[i], failed[i] = store.Stored(ctx)
			}
		})
	}
	all.Wait()
	own := a.client.Model()
	out := apiModels{Items: []apiModel{}, Providers: []apiProvider{}}
	listed := false
	add := func(m *llm.ModelInfo) {
		is := m.Provider == own.Provider && m.Name == own.Name
		listed = listed || is
		out.Items = append(out.Items, apiModel{Provider: m.Provider, Name: m.Name, Default: is, ContextTokens: m.ContextTokens, Capabilities: m.Capabilities})
	}
	for i, p := range providers {
		_, pulls := p.(llm.Puller)
		_, stores := p.(llm.ModelStore)
		item := apiProvider{ID: p.ID(), CanPull: pulls, CanDelete: stores, Stored: stored[i]}
		if err := failed[i]; err != nil {
			item.Code, item.Problem = apiFailureOf(err)
			a.opts.Logger.Warn("chatapi: the models of a provider cannot be listed", "provider", p.ID(), "error", err)
		}
		out.Providers = append(out.Providers, item)
		for j := range lists[i] {
			add(&lists[i][j])
		}
	}
	if !listed {
		add(&own)
	}
	return httpapi.Reply(w, http.StatusOK, out)
}

// apiFailureOf returns what a client may learn about a provider's failure.
func apiFailureOf(err error) (llm.Code, string) {
	var known *llm.Error
	switch {
	case errors.As(err, &known):
		return known.Code, cmp.Or(known.Message, string(known.Code))
	case errors.Is(err, context.DeadlineExceeded):
		return llm.CodeProviderTimeout, "the provider did not answer in time"
	}
	return llm.CodeInternal, "the provider failed"
}

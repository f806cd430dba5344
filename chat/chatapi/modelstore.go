package chatapi

import (
	"context"
	"iter"
	"net/http"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/httpapi"
)

// The events of a download.
const (
	pullProgress = "progress"
	pullDone     = "done"
	pullError    = "error"
)

// apiPullEvent is the progress of downloading a model: the data of the events progress,
// done and error.
type apiPullEvent struct {
	llm.PullProgress
	// Code and Message say, in the event error, why it could not be downloaded.
	Code    llm.Code `json:"code,omitempty"`
	Message string   `json:"message,omitempty"`
}

// pullModel downloads a model and reports the progress.
func (a *API) pullModel(w http.ResponseWriter, r *http.Request) error {
	if _, err := a.principal(r); err != nil {
		return err
	}
	var body apiPull
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	if body.Name == "" || len(body.Name) > maxTitle {
		return httpapi.InvalidArgument.New("name the model, in at most %d bytes", maxTitle)
	}
	puller, err := a.puller(body.Provider)
	if err != nil {
		return err
	}
	release, err := a.life.OpenStream()
	if err != nil {
		return err
	}
	defer release()
	return httpapi.Stream(w, r, "", a.life.Draining(), func(ctx context.Context, _ uint64) iter.Seq2[httpapi.StreamEvent, error] {
		return func(yield func(httpapi.StreamEvent, error) bool) {
			last := llm.PullProgress{}
			for progress, err := range puller.Pull(ctx, body.Name) {
				if err != nil {
					a.opts.Logger.Warn("chatapi: a model cannot be fetched", "provider", puller.ID(), "model", body.Name, "error", err)
					code, text := apiFailureOf(err)
					yield(httpapi.StreamEvent{Kind: pullError, Data: apiPullEvent{PullProgress: last, Code: code, Message: text}}, nil)
					return
				}
				last = progress
				if !yield(httpapi.StreamEvent{Kind: pullProgress, Data: apiPullEvent{PullProgress: progress}}, nil) {
					return
				}
			}
			yield(httpapi.StreamEvent{Kind: pullDone, Data: apiPullEvent{PullProgress: last}}, nil)
		}
	})
}

// puller returns the provider with an id that can download models, or the only such
// provider.
func (a *API) puller(id string) (llm.Puller, error) {
	var found llm.Puller
	for _, p := range a.providers.Load().list {
		puller, ok := p.(llm.Puller)
		switch {
		case p.ID() == id && ok:
			return puller, nil
		case p.ID() == id:
			return nil, httpapi.InvalidArgument.New("the provider %q fetches no models", id)
		case id == "" && ok && found != nil:
			return nil, httpapi.InvalidArgument.New("several providers fetch models: name one")
		case id == "" && ok:
			found = puller
		}
	}
	if found == nil {
		return nil, httpapi.NotFound.New("there is no such provider")
	}
	return found, nil
}

// unloadModel removes a model from the memory of its server.
func (a *API) unloadModel(w http.ResponseWriter, r *http.Request) error {
	return a.changeStored(w, r, llm.ModelStore.Unload)
}

// deleteModel removes a model from its server.
func (a *API) deleteModel(w http.ResponseWriter, r *http.Request) error {
	return a.changeStored(w, r, llm.ModelStore.Delete)
}

func (a *API) changeStored(w http.ResponseWriter, r *http.Request, change func(llm.ModelStore, context.Context, string) error) error {
	if _, err := a.principal(r); err != nil {
		return err
	}
	var body apiStoredModel
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	if body.Name == "" || len(body.Name) > maxTitle {
		return httpapi.InvalidArgument.New("name the model, in at most %d bytes", maxTitle)
	}
	store, ok := a.provider(body.Provider).(llm.ModelStore)
	if !ok {
		return httpapi.NotFound.New("there is no provider %.40q that keeps its models", body.Provider)
	}
	ctx, cancel := context.WithTimeout(r.Context(), listWithin)
	defer cancel()
	if err := change(store, ctx, body.Name); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

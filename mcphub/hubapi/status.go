package hubapi

import (
	"context"
	"iter"
	"net/http"
	"slices"

	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/mcphub/servers"
)

// stream replies with events, unless the maximum number of streams is already open.
func (a *API) stream(w http.ResponseWriter, r *http.Request, events func(ctx context.Context, after uint64) iter.Seq2[httpapi.StreamEvent, error]) error {
	release, err := a.life.OpenStream()
	if err != nil {
		return err
	}
	defer release()
	return httpapi.Stream(w, r, a.epoch, a.life.Done(), events)
}

func (a *API) followServers(w http.ResponseWriter, r *http.Request) error {
	return a.stream(w, r, func(ctx context.Context, after uint64) iter.Seq2[httpapi.StreamEvent, error] {
		return a.statusEvents(ctx, after, func(*servers.Event) (pass, last bool) { return true, false })
	})
}

func (a *API) followServer(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	if _, err := a.conns.Get(id); err != nil {
		return err
	}
	return a.stream(w, r, func(ctx context.Context, after uint64) iter.Seq2[httpapi.StreamEvent, error] {
		return a.statusEvents(ctx, after, func(e *servers.Event) (pass, last bool) {
			if e.Kind != servers.EventSnapshot {
				return e.Status.ID == id, e.Status.ID == id && e.Kind == servers.EventRemoved
			}
			e.Servers = slices.DeleteFunc(slices.Clone(e.Servers), func(s servers.Status) bool { return s.ID != id })
			return true, len(e.Servers) == 0 // it was deleted in an event that was left out
		})
	})
}

// statusEvents returns the events of the connections that look selects.
func (a *API) statusEvents(ctx context.Context, after uint64, look func(*servers.Event) (pass, last bool)) iter.Seq2[httpapi.StreamEvent, error] {
	return func(yield func(httpapi.StreamEvent, error) bool) {
		for e, err := range a.conns.Events(ctx, &servers.EventOptions{After: after}) {
			if err != nil {
				yield(httpapi.StreamEvent{}, err)
				return
			}
			pass, last := look(&e)
			if pass && !yield(httpapi.StreamEvent{Seq: e.Seq, Kind: string(e.Kind), Data: e}, nil) || last {
				return
			}
		}
	}
}

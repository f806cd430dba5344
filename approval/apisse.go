package approval

import (
	"errors"
	"net/http"

	"github.com/localpass/localpass/internal/httpapi"
)

// stream follows the requests.
func (a *API) stream(w http.ResponseWriter, r *http.Request) error {
	leave, err := a.streams.Enter(a.opts.MaxStreams)
	if err != nil {
		return err
	}
	defer leave()
	// Before the answer begins: who then reads the list misses nothing.
	if err := a.follow(); err != nil {
		return err
	}
	return a.events.Follow(w, r, a.ctx.Done())
}

// follow begins to look at the broker, at the first who wants to know, and goes
// on until Close: a client that comes back goes on where it was.
func (a *API) follow() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return httpapi.ShuttingDown.New("the API is closed")
	}
	if a.follows {
		return nil
	}
	sub, release := a.gate.broker.follow.subscribe()
	if err := a.gate.broker.follow.baseline(a.ctx); err != nil {
		release()
		return err
	}
	a.follows = true
	a.work.Go(func() {
		defer release()
		before := make(map[string]told)
		for {
			select {
			case <-a.ctx.Done():
				return
			case <-a.gate.broker.ctx.Done():
				a.events.Close()
				return
			case <-sub.signal:
			}
			for _, id := range sub.take() {
				a.tell(id, before)
			}
		}
	})
	return nil
}

// told is what was sent of a request last: the broker may say twice that it
// changed.
type told struct {
	version int64
	status  Status
}

// tell sends how a request now is.
func (a *API) tell(id string, before map[string]told) {
	rec, err := a.gate.broker.Get(a.ctx, id)
	now := told{rec.Version, rec.Status}
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrInvalid) || a.ctx.Err() != nil || err == nil && before[id] == now {
		return
	}
	if len(before) >= keptEvents { // at worst something is said twice
		clear(before)
	}
	before[id] = now
	kind, data := "approval."+string(rec.Status), any(nil)
	if err != nil {
		// It cannot be read now: who follows reads the list, which says so.
		kind, data = "resync", struct{}{}
		a.log("approval: read a request for the stream", err)
	} else {
		item := a.item(&rec)
		data = item
		a.share(APIEvent{Topic: "approvals", Type: kind, Data: item})
	}
	if err := a.events.Send(kind, data); err != nil {
		a.log("approval: send an event", err)
	}
}

// share hands an event to the program, whose panic must not end the stream.
func (a *API) share(e APIEvent) {
	if a.opts.Events == nil {
		return
	}
	a.gate.hook("Events", func() { a.opts.Events(e) })
}

func (a *API) log(text string, err error) {
	if a.opts.Log != nil {
		a.opts.Log.Error(text, "error", err)
	}
}

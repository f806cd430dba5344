package approvalapi

import (
	"errors"
	"fmt"
	"iter"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/httpapi"
)

// stream sends the changes of the requests.
func (a *API) stream(w http.ResponseWriter, r *http.Request) error {
	release, err := a.life.OpenStream()
	if err != nil {
		return err
	}
	defer release()
	// Before the answer starts, so that a client that reads the list next misses nothing.
	if err := a.followBroker(); err != nil {
		return err
	}
	return a.events.Follow(w, r, a.life.Done())
}

// watchAgain is how long the API waits before it follows a broker again after the store
// failed.
const watchAgain = time.Second

// followBroker starts to follow the broker with the first stream, and continues until Close:
// a client that reconnects continues where it was.
func (a *API) followBroker() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.follows {
		return nil
	}
	changes := a.gate.Broker().Watch(a.life.Context())
	if a.follows = a.life.Go(func() { a.relay(changes) }); !a.follows {
		return httpapi.ShuttingDown.New("the API is closed")
	}
	return nil
}

// relay sends changes as events. After an error of the store, clients are asked to reload
// the list, because the changes missed in the meantime are unknown.
func (a *API) relay(changes iter.Seq2[approval.Record, error]) {
	before := make(map[string]sent)
	for {
		for rec, err := range changes {
			switch {
			case err == nil:
				a.sendRequest(&rec, before)
			case errors.Is(err, approval.ErrClosed):
				a.events.Close()
				return
			case a.life.Context().Err() != nil:
				return
			default:
				a.log("approval: follow the requests", err)
			}
		}
		select {
		case <-a.life.Done():
			return
		case <-time.After(watchAgain):
		}
		changes = a.gate.Broker().Watch(a.life.Context())
		if err := a.events.Send("resync", struct{}{}); err != nil {
			a.log("approval: send an event", err)
		}
	}
}

// sent is the last sent state of a request: the broker may yield one change twice.
type sent struct {
	version int64
	status  approval.Status
}

// sendRequest sends the current state of a request.
func (a *API) sendRequest(rec *approval.Record, before map[string]sent) {
	now := sent{rec.Version, rec.Status}
	if before[rec.Request.ID] == now {
		return
	}
	if len(before) >= keptEvents { // at worst something is sent twice
		clear(before)
	}
	before[rec.Request.ID] = now
	if rec.Request.ByHand && rec.Status == approval.StatusPending { // no person is asked
		return
	}
	kind, item := "approval."+string(rec.Status), a.item(rec)
	a.share(Event{Topic: "approvals", Type: kind, Data: item})
	if err := a.events.Send(kind, item); err != nil {
		a.log("approval: send an event", err)
	}
}

// share passes an event to the program, whose panic must not end the stream.
func (a *API) share(e Event) {
	if a.opts.Events == nil {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			a.log("approval: Options.Events", fmt.Errorf("panic: %v\n%s", v, debug.Stack()))
		}
	}()
	a.opts.Events(e)
}

func (a *API) log(text string, err error) {
	a.opts.Logger.Error(text, "error", err)
}

package httpapi

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// StreamEvent is one event of [Stream].
type StreamEvent struct {
	// Seq is its number, which increases. 0 means that it has no number and no id.
	Seq uint64
	// Kind is a word such as "status_update".
	Kind string
	// Data is written as JSON; a json.RawMessage is written unchanged and must be one
	// line.
	Data any
}

// Stream answers with events from another source; for events that are kept in this
// package see [Events.Follow]. events is called with the number of the last event that
// the reader has seen, or 0 if it has seen none of this epoch. The epoch distinguishes
// this run of the program from others and must not contain a dot or a line break; without
// an epoch an id is just the number. The stream ends with the events, with the request,
// or when done is closed; an error among the events also ends it, and is not sent to the
// reader.
//
// A slow reader only delays its own events.
func Stream(w http.ResponseWriter, r *http.Request, epoch string, done <-chan struct{},
	events func(ctx context.Context, after uint64) iter.Seq2[StreamEvent, error]) error {
	ctx, cancel := context.WithCancel(r.Context())
	next, ended := make(chan StreamEvent), make(chan struct{})
	go func() {
		defer close(ended)
		for e, err := range events(ctx, lastSeen(r, epoch)) {
			if err != nil {
				return
			}
			select {
			case next <- e:
			case <-ctx.Done():
				return
			}
		}
	}()
	defer func() { cancel(); <-ended }()
	out := startStream(w)
	defer out.rest()
	out.flush()
	beat := time.NewTicker(Heartbeat)
	defer beat.Stop()
	for out.err == nil {
		select {
		case e := <-next:
			data, raw := e.Data.(json.RawMessage)
			if !raw {
				text, err := marshal(e.Data)
				if err != nil {
					return err
				}
				data = text[:len(text)-1]
			}
			switch {
			case e.Seq == 0:
				out.text("event: %s\ndata: %s\n\n", e.Kind, data)
			case epoch == "":
				out.text("id: %d\nevent: %s\ndata: %s\n\n", e.Seq, e.Kind, data)
			default:
				out.text("id: %s.%d\nevent: %s\ndata: %s\n\n", epoch, e.Seq, e.Kind, data)
			}
		case <-beat.C:
			out.text(": beat\n\n")
		case <-ended:
			return nil
		case <-ctx.Done():
			return nil
		case <-done:
			return nil
		}
		out.flush()
	}
	return nil // the reader is gone
}

// lastSeen returns the number of the last event that a reconnecting reader has seen; 0 if
// it has seen none.
func lastSeen(r *http.Request, epoch string) uint64 {
	of, number, ok := strings.Cut(lastEvent(r), ".")
	if epoch == "" {
		of, number, ok = "", lastEvent(r), true
	}
	n, err := strconv.ParseUint(number, 10, 64)
	if !ok || of != epoch || err != nil {
		return 0
	}
	return n
}

func lastEvent(r *http.Request) string {
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		return id
	}
	return r.URL.Query().Get("after")
}

// startStream starts a stream.
func startStream(w http.ResponseWriter) *stream {
	h := w.Header()
	h.Set("Content-Type", eventMedia)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	out := &stream{w: w, control: http.NewResponseController(w)}
	out.text("retry: %d\n\n", retryAfter.Milliseconds())
	return out
}

package approvalapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/approval/approvalapi"
	"github.com/localpass/localpass/approval/internal/approvaltest"
	"github.com/localpass/localpass/internal/httpapi/apitest"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/persistence/file"
)

// stream opens the stream of events.
func (w *apiWorld) stream(headers ...string) *apitest.Stream {
	w.T.Helper()
	s := w.Open("/api/approvals/stream", headers...)
	s.Schema = w.Spec.EventsOf("GET", "/api/approvals/stream")
	return s
}

// itemIn returns the request of an event.
func itemIn(t *testing.T, e apitest.Event) (item approval.View) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(e.Text), &item))
	return item
}

// until reads to an event of a kind about a request.
func until(t *testing.T, s *apitest.Stream, kind, id string) apitest.Event {
	t.Helper()
	for {
		if e := s.Until(kind); e.Data["id"] == id {
			return e
		}
	}
}

func TestAPIStream(t *testing.T) {
	leak.Check(t)
	w := newAPIWorld(t, nil, nil)
	before := w.asks(nil) // there is no reader yet
	s := w.stream()
	first := w.asks(nil)
	e := until(t, s, "approval.pending", first.Request.ID)
	assert.Equal(t, "writeNote", itemIn(t, e).Tool)
	assert.Equal(t, "L3 Moderate", itemIn(t, e).Risk)
	require.Equal(t, 200, w.Do("POST", "/api/responses/approval/"+first.Request.ID, `{"approved":true}`).Status)
	decided := until(t, s, "approval.decided", first.Request.ID)
	assert.Equal(t, approval.Approved, itemIn(t, decided).Outcome)
	assert.Len(t, itemIn(t, decided).Decisions, 1)
	s.Close()

	// A client that reconnects gets exactly the events that it missed.
	require.Equal(t, 200, w.Do("POST", "/api/responses/approval/"+before.Request.ID, `{"approved":false}`).Status)
	s = w.stream("Last-Event-ID: " + decided.ID)
	e, ok := s.Next()
	require.True(t, ok)
	assert.Equal(t, "approval.decided", e.Kind)
	assert.Equal(t, before.Request.ID, itemIn(t, e).ID)
	s.Close()

	// A client of an earlier run must read the list again.
	e, ok = w.stream("Last-Event-ID: other.7").Next()
	require.True(t, ok)
	assert.Equal(t, "resync", e.Kind)
}

// A decision of another program on the same home is sent.
func TestAPIStreamOfAnotherProgram(t *testing.T) {
	leak.Check(t)
	home := t.TempDir()
	store, err := file.Open(home, nil)
	require.NoError(t, err)
	other, err := file.Open(home, nil)
	require.NoError(t, err)
	t.Cleanup(func() { // after the servers have ended
		require.NoError(t, store.Close())
		require.NoError(t, other.Close())
	})
	here := newAPIWorld(t, &approval.Options{Store: store}, nil)
	there := newAPIWorld(t, &approval.Options{Store: other}, nil)
	s := here.stream()
	rec := there.asks(nil)
	until(t, s, "approval.pending", rec.Request.ID)
	require.Equal(t, 200, there.Do("POST", "/api/responses/approval/"+rec.Request.ID, `{"approved":true}`).Status)
	until(t, s, "approval.decided", rec.Request.ID)
	assert.Equal(t, 409, here.Do("POST", "/api/responses/approval/"+rec.Request.ID, `{"approved":false}`).Status)
}

func TestAPIStreamLimits(t *testing.T) {
	leak.Check(t)
	w := newAPIWorld(t, nil, &approvalapi.Options{MaxStreams: 2})
	first := w.stream()
	second := w.stream()
	w.Do("GET", "/api/approvals/stream", "").Problem(429, "stream_limit")
	second.Close()
	require.Eventually(t, func() bool { // the server notices that the client has disconnected
		ctx, cancel := context.WithCancel(approvaltest.Within(t))
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.URL+"/api/approvals/stream", nil)
		require.NoError(t, err)
		resp, err := http.DefaultTransport.RoundTrip(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		return resp.StatusCode == 200
	}, time.Minute, 10*time.Millisecond)

	require.NoError(t, w.api.Close())
	_, open := first.Next()
	assert.False(t, open, "a stream outlives the API")
	w.Do("GET", "/api/approvals/stream", "").Problem(503, "shutting_down")
	require.NoError(t, w.api.Close(), "twice")
}

// Streams end with the gate, in any order of Close.
func TestAPIStreamEndsWithTheGate(t *testing.T) {
	leak.Check(t)
	w := newAPIWorld(t, nil, nil)
	s := w.stream()
	require.NoError(t, w.gate.Close())
	_, open := s.Next()
	assert.False(t, open)
}

// A program gets the events too, and a panic of its function has no effect.
func TestAPIEvents(t *testing.T) {
	leak.Check(t)
	events := make(chan approvalapi.Event, 10)
	w := newAPIWorld(t, nil, &approvalapi.Options{Events: func(e approvalapi.Event) {
		events <- e
		panic("in the program")
	}})
	for range 2 {
		rec := w.asks(nil)
		select {
		case e := <-events:
			assert.Equal(t, "approvals", e.Topic)
			assert.Equal(t, "approval.pending", e.Type)
			assert.Equal(t, rec.Request.ID, e.Data.ID)
		case <-approvaltest.Within(t).Done():
			t.Fatal("no event")
		}
	}
}

// A request that the command of its caller decides is no question: clients get its outcome alone.
func TestAPIStreamOfACallByHand(t *testing.T) {
	leak.Check(t)
	w := newAPIWorld(t, nil, nil)
	s := w.stream()
	own := w.asks(func(r *approval.Request) { r.ByHand = true })
	other := w.asks(nil)
	e, ok := s.Next()
	require.True(t, ok)
	assert.Equal(t, []any{"approval.pending", other.Request.ID}, []any{e.Kind, e.Data["id"]})
	_, err := w.gate.Broker().Decide(t.Context(), approval.Decision{Request: own.Request.ID, Outcome: approval.Approved, Via: "inspector"})
	require.NoError(t, err)
	until(t, s, "approval.decided", own.Request.ID)
}

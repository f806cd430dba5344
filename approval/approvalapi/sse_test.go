package approvalapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/approval/approvalapi"
	"github.com/localpass/localpass/approval/internal/approvaltest"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/persistence/file"
)

// streamEvent is one event as a client reads it.
type streamEvent struct {
	id, kind string
	item     approval.View
}

// eventStream is an open stream.
type eventStream struct {
	t      *testing.T
	resp   *http.Response
	lines  *bufio.Scanner
	cancel context.CancelFunc
}

func (w *apiWorld) stream(headers ...string) *eventStream {
	w.t.Helper()
	ctx, cancel := context.WithCancel(approvaltest.Within(w.t))
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.URL+"/api/approvals/stream", nil)
	require.NoError(w.t, err)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(w.t, err)
	require.Equal(w.t, 200, resp.StatusCode)
	require.Equal(w.t, "text/event-stream", resp.Header.Get("Content-Type"))
	s := &eventStream{t: w.t, resp: resp, lines: bufio.NewScanner(resp.Body), cancel: cancel}
	w.t.Cleanup(s.close)
	return s
}

func (s *eventStream) close() {
	s.cancel()
	_ = s.resp.Body.Close()
}

// next returns the next event; ok is false at the end of the stream.
func (s *eventStream) next() (e streamEvent, ok bool) {
	s.t.Helper()
	for s.lines.Scan() {
		name, value, _ := strings.Cut(s.lines.Text(), ": ")
		switch name {
		case "id":
			e.id = value
		case "event":
			e.kind = value
		case "data":
			require.NoError(s.t, json.Unmarshal([]byte(value), &e.item), value)
			return e, true
		}
	}
	return e, false
}

// until reads to the event of a kind about a request.
func (s *eventStream) until(kind, id string) streamEvent {
	s.t.Helper()
	for {
		e, ok := s.next()
		require.True(s.t, ok, "the stream ended before %s of %s", kind, id)
		if e.kind == kind && e.item.ID == id {
			return e
		}
	}
}

func TestAPIStream(t *testing.T) {
	leak.Check(t)
	w := newAPIWorld(t, nil, nil)
	before := w.asks(nil) // nobody follows yet: it is in the list
	s := w.stream()
	first := w.asks(nil)
	e := s.until("approval.pending", first.Request.ID)
	assert.Equal(t, "writeNote", e.item.Tool)
	assert.Equal(t, "L3 Moderate", e.item.Risk)
	require.Equal(t, 200, w.do("POST", "/api/responses/approval/"+first.Request.ID, `{"approved":true}`).status)
	decided := s.until("approval.decided", first.Request.ID)
	assert.Equal(t, approval.Approved, decided.item.Outcome)
	assert.Len(t, decided.item.Decisions, 1)
	s.close()

	// A client that comes back gets what it missed, and no more.
	require.Equal(t, 200, w.do("POST", "/api/responses/approval/"+before.Request.ID, `{"approved":false}`).status)
	s = w.stream("Last-Event-ID: " + decided.id)
	e, ok := s.next()
	require.True(t, ok)
	assert.Equal(t, "approval.decided", e.kind)
	assert.Equal(t, before.Request.ID, e.item.ID)
	s.close()

	// One that was with another run must read the list anew.
	e, ok = w.stream("Last-Event-ID: other.7").next()
	require.True(t, ok)
	assert.Equal(t, "resync", e.kind)
}

// The answer of another program on the same home comes through.
func TestAPIStreamOfAnotherProgram(t *testing.T) {
	leak.Check(t)
	home := t.TempDir()
	store, err := file.Open(home, nil)
	require.NoError(t, err)
	other, err := file.Open(home, nil)
	require.NoError(t, err)
	t.Cleanup(func() { // after the worlds
		require.NoError(t, store.Close())
		require.NoError(t, other.Close())
	})
	here := newAPIWorld(t, &approval.Options{Store: store}, nil)
	there := newAPIWorld(t, &approval.Options{Store: other}, nil)
	s := here.stream()
	rec := there.asks(nil)
	s.until("approval.pending", rec.Request.ID)
	require.Equal(t, 200, there.do("POST", "/api/responses/approval/"+rec.Request.ID, `{"approved":true}`).status)
	s.until("approval.decided", rec.Request.ID)
	assert.Equal(t, 409, here.do("POST", "/api/responses/approval/"+rec.Request.ID, `{"approved":false}`).status)
}

func TestAPIStreamLimits(t *testing.T) {
	leak.Check(t)
	w := newAPIWorld(t, nil, &approvalapi.Options{MaxStreams: 2})
	first := w.stream()
	second := w.stream()
	w.do("GET", "/api/approvals/stream", "").problem(t, 429, "stream_limit")
	second.close()
	require.Eventually(t, func() bool { // the server notices that the client has gone
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
	_, open := first.next()
	assert.False(t, open, "a stream outlives the API")
	w.do("GET", "/api/approvals/stream", "").problem(t, 503, "shutting_down")
	require.NoError(t, w.api.Close(), "twice")
}

// Streams end with the gate, whoever closes first.
func TestAPIStreamEndsWithTheGate(t *testing.T) {
	leak.Check(t)
	w := newAPIWorld(t, nil, nil)
	s := w.stream()
	require.NoError(t, w.gate.Close())
	_, open := s.next()
	assert.False(t, open)
}

// A program gets the events for a stream of its own; what it does with them
// cannot break anything.
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

package httpapi_test

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/internal/leak"
)

type tick struct {
	N int `json:"n"`
}

// follow serves a run on a route and returns the server.
func follow(t *testing.T, events *httpapi.Events, done <-chan struct{}) *world {
	return serve(t, nil, httpapi.Table{Tag: "t", Routes: []httpapi.Route{{
		Method: "GET", Path: "/api/events", ID: "events", Summary: "Follows.", Params: httpapi.StreamParams(),
		Answers: []httpapi.Answer{{Status: 200, Content: httpapi.EventStream[tick]()}},
		Handle: func(w http.ResponseWriter, r *http.Request) error {
			return events.Follow(w, r, done)
		},
	}}})
}

func send(t *testing.T, events *httpapi.Events, from, to int) {
	for n := from; n <= to; n++ {
		require.NoError(t, events.Send("tick", tick{n}))
	}
}

func TestFollow(t *testing.T) {
	leak.Check(t)
	events := httpapi.NewEvents("e", 3)
	send(t, events, 1, 2)
	w := follow(t, events, nil)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.URL+"/api/events", nil)
	require.NoError(t, err)
	resp, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	assert.Equal(t, "text/event-stream", resp.Header.Get("Content-Type"))
	assert.Equal(t, "no", resp.Header.Get("X-Accel-Buffering"))
	lines := bufio.NewScanner(resp.Body)
	next := func() string {
		require.True(t, lines.Scan())
		return lines.Text()
	}
	for _, want := range []string{"retry: 1000", "", "id: e.1", "event: tick", `data: {"n":1}`, "", "id: e.2", "event: tick", `data: {"n":2}`, ""} {
		assert.Equal(t, want, next())
	}
	send(t, events, 3, 3) // live
	assert.Equal(t, "id: e.3", next())
	events.Close()
	require.NoError(t, events.Send("tick", tick{4}), "an event after the end is none")
	var rest []string
	for lines.Scan() {
		rest = append(rest, lines.Text())
	}
	assert.Equal(t, []string{"event: tick", `data: {"n":3}`, ""}, rest, "the stream ends with its run")
}

func TestResume(t *testing.T) {
	events := httpapi.NewEvents("e", 3)
	send(t, events, 1, 5) // 1 and 2 are gone
	events.Close()
	w := follow(t, events, nil)
	const three, four, five = "id: e.3\nevent: tick\ndata: {\"n\":3}\n\n", "id: e.4\nevent: tick\ndata: {\"n\":4}\n\n", "id: e.5\nevent: tick\ndata: {\"n\":5}\n\n"
	const resync = "event: resync\ndata: {}\n\n"
	for id, want := range map[string]string{
		"":     resync + three + four + five,
		"e.0":  resync + three + four + five,
		"e.1":  resync + three + four + five,
		"e.2":  three + four + five,
		"e.4":  five,
		"e.5":  "",
		"e.6":  resync + three + four + five,
		"x.4":  resync + three + four + five,
		"e.-1": resync + three + four + five,
		"e":    resync + three + four + five,
		"e.4x": resync + three + four + five,
	} {
		got := w.do("GET", "/api/events", "", "Last-Event-ID: "+id).body
		assert.Equal(t, "retry: 1000\n\n"+want, got, "Last-Event-ID %q", id)
		if id != "" {
			assert.Equal(t, got, w.do("GET", "/api/events?after="+id, "").body, "after=%s", id)
		}
	}
	assert.Error(t, httpapi.NewEvents("e", 1).Send("odd", math.NaN()))
}

func TestStreamEndsWithTheRequestAndTheServer(t *testing.T) {
	leak.Check(t)
	events := httpapi.NewEvents("e", 1)
	done := make(chan struct{})
	served := make(chan struct{}, 2)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.NoError(t, events.Follow(w, r, done))
		served <- struct{}{}
	})
	ctx, cancel := context.WithCancel(t.Context())
	go handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/", nil))
	cancel()
	<-served
	go handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", "/", nil))
	close(done)
	<-served
}

func TestHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events := httpapi.NewEvents("e", 1)
		rec := httptest.NewRecorder()
		var wg sync.WaitGroup
		wg.Go(func() { assert.NoError(t, events.Follow(rec, httptest.NewRequest("GET", "/", nil), nil)) })
		time.Sleep(2*httpapi.Heartbeat + time.Second) // of the bubble: it takes no time
		events.Close()
		wg.Wait()
		assert.Equal(t, 2, strings.Count(rec.Body.String(), ": beat\n\n"))
	})
}

// A reader that takes nothing is dropped, and what it held with it.
type stuck struct {
	http.ResponseWriter
	deadline time.Time
}

func (s *stuck) SetWriteDeadline(t time.Time) error { s.deadline = t; return nil }
func (s *stuck) FlushError() error                  { return fmt.Errorf("write: i/o timeout at %v", s.deadline) }

func TestStuckReaderIsDropped(t *testing.T) {
	events := httpapi.NewEvents("e", 1)
	w := &stuck{ResponseWriter: httptest.NewRecorder()}
	require.NoError(t, events.Follow(w, httptest.NewRequest("GET", "/", nil), nil))
	assert.True(t, w.deadline.IsZero(), "the connection is left without a deadline")
}

func TestManyFollowers(t *testing.T) {
	leak.Check(t)
	events := httpapi.NewEvents("e", 10_000)
	w := follow(t, events, nil)
	const followers, count = 8, 200
	var wg sync.WaitGroup
	for range followers {
		wg.Go(func() {
			body := w.do("GET", "/api/events", "").body
			assert.Equal(t, count, strings.Count(body, "event: tick"))
			at := 0
			for n := 1; n <= count; n++ { // in order, none twice
				i := strings.Index(body[at:], fmt.Sprintf("id: e.%d\n", n))
				assert.GreaterOrEqual(t, i, 0)
				at += max(i, 0)
			}
		})
	}
	send(t, events, 1, count)
	events.Close()
	wg.Wait()
}

package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/internal/leak"
)

// A stream of events that something else keeps begins where the reader was, and
// ends with the events, the request and the API.
func TestStream(t *testing.T) {
	leak.Check(t)
	done := make(chan struct{})
	w := serve(t, nil, httpapi.Table{Tag: "t", Routes: []httpapi.Route{{
		Method: "GET", Path: "/api/events", ID: "events", Summary: "Follows.", Params: httpapi.StreamParams(),
		Answers: []httpapi.Answer{{Status: 200, Content: httpapi.EventStream[tick]()}},
		Handle: func(w http.ResponseWriter, r *http.Request) error {
			return httpapi.Stream(w, r, "e", done, func(ctx context.Context, after uint64) iter.Seq2[httpapi.StreamEvent, error] {
				return func(yield func(httpapi.StreamEvent, error) bool) {
					for n := after + 1; n <= 3; n++ {
						if !yield(httpapi.StreamEvent{Seq: n, Kind: "tick", Data: tick{int(n)}}, nil) {
							return
						}
					}
					switch r.Header.Get("X-How") { // how the events end
					case "error":
						yield(httpapi.StreamEvent{}, errors.New("secret"))
					case "bad":
						yield(httpapi.StreamEvent{Data: func() {}}, nil)
						<-ctx.Done()
					case "wait":
						<-ctx.Done()
					}
				}
			})
		},
	}}})
	open := func(query, last, how string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.URL+"/api/events"+query, nil)
		require.NoError(t, err)
		req.Header.Set("X-How", how)
		if last != "" {
			req.Header.Set("Last-Event-ID", last)
		}
		resp, err := http.DefaultTransport.RoundTrip(req)
		require.NoError(t, err)
		t.Cleanup(func() { _ = resp.Body.Close() })
		require.Equal(t, 200, resp.StatusCode)
		assert.Equal(t, "text/event-stream", resp.Header.Get("Content-Type"))
		return resp
	}
	const retry, two, three = "retry: 1000\n\n", "id: e.2\nevent: tick\ndata: {\"n\":2}\n\n", "id: e.3\nevent: tick\ndata: {\"n\":3}\n\n"
	const one = "id: e.1\nevent: tick\ndata: {\"n\":1}\n\n"
	for _, test := range []struct{ query, last, want string }{
		{"", "", one + two + three}, {"", "e.1", two + three}, {"?after=e.2", "", three}, {"", "e.3", ""},
		{"", "other.2", one + two + three}, {"", "e", one + two + three}, {"", "e.x", one + two + three},
	} {
		body, err := io.ReadAll(open(test.query, test.last, "").Body)
		require.NoError(t, err)
		assert.Equal(t, retry+test.want, string(body))
	}
	body, err := io.ReadAll(open("", "e.2", "error").Body)
	require.NoError(t, err)
	assert.Equal(t, retry+three, string(body), "the reason is nobody's business")
	_, err = io.ReadAll(open("", "", "bad").Body)
	require.Error(t, err, "what is no JSON cuts the stream")
	resp := open("", "", "wait")
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() && !strings.Contains(lines.Text(), `{"n":3}`) {
		continue
	}
	close(done)
	for lines.Scan() {
		assert.Empty(t, lines.Text())
	}
	require.NoError(t, lines.Err())
}

// Without an epoch ids are plain numbers, an event without a number has no id, and
// raw JSON is sent as it is.
func TestStreamOfPlainNumbers(t *testing.T) {
	leak.Check(t)
	w := serve(t, nil, httpapi.Table{Tag: "t", Routes: []httpapi.Route{{
		Method: "GET", Path: "/api/events", ID: "events", Summary: "Follows.", Params: httpapi.StreamParams(),
		Answers: []httpapi.Answer{{Status: 200, Content: httpapi.EventStream[tick]()}},
		Handle: func(w http.ResponseWriter, r *http.Request) error {
			return httpapi.Stream(w, r, "", nil, func(_ context.Context, after uint64) iter.Seq2[httpapi.StreamEvent, error] {
				return func(yield func(httpapi.StreamEvent, error) bool) {
					_ = yield(httpapi.StreamEvent{Seq: after + 1, Kind: "tick", Data: json.RawMessage(`{"n": 1}`)}, nil) &&
						yield(httpapi.StreamEvent{Kind: "tick", Data: tick{2}}, nil)
				}
			})
		},
	}}})
	for query, want := range map[string]string{"": "1", "?after=7": "8", "?after=e.7": "1"} {
		resp, err := http.Get(w.URL + "/api/events" + query)
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, "retry: 1000\n\nid: "+want+"\nevent: tick\ndata: {\"n\": 1}\n\nevent: tick\ndata: {\"n\":2}\n\n", string(body))
	}
}

package observe_test

import (
	"bufio"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/observe"
)

func get(t *testing.T, url string) (int, string, http.Header) {
	t.Helper()
	res, err := http.Get(url)
	require.NoError(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(body), res.Header
}

func TestAPI(t *testing.T) {
	leak.Check(t)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	c := collector(t, nil)
	var told atomic.Int64
	api, err := observe.NewAPI(c, &observe.APIOptions{Log: slog.New(slog.DiscardHandler), MaxStreams: 1, Events: func(e observe.APIEvent) {
		told.Add(1)
		if e.Topic != "observe" || e.Type != "trace" {
			t.Errorf("an event of %s %s", e.Topic, e.Type)
		}
		panic("of the program")
	}})
	require.NoError(t, err)
	defer api.Close()
	mux := http.NewServeMux()
	require.NoError(t, api.Mount(mux))
	srv := httptest.NewServer(mux)
	defer srv.Close()
	assert.NotEmpty(t, api.Table().Routes)
	assert.Contains(t, string(api.OpenAPI()), "/api/observe/traces/{id}")
	at := srv.URL + "/api/observe/"

	stream, err := http.Get(at + "stream")
	require.NoError(t, err)
	defer stream.Body.Close()
	status, body, _ := get(t, at+"stream")
	assert.Equal(t, http.StatusTooManyRequests, status, body)

	turn(t.Context(), c.Telemetry(), "1", "openai", "gpt")
	require.NoError(t, c.Flush(t.Context()))
	lines := bufio.NewScanner(stream.Body)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "data:") {
	}
	assert.Contains(t, lines.Text(), `"traceId"`)
	require.Eventually(t, func() bool { return told.Load() > 0 }, time.Minute, time.Millisecond)

	status, body, _ = get(t, at+"traces?win=30m&model=gpt")
	require.Equal(t, http.StatusOK, status, body)
	var page observe.Page
	require.NoError(t, json.Unmarshal([]byte(body), &page))
	require.Len(t, page.Items, 1)
	assert.Equal(t, observe.CostUnpriced, page.Items[0].Cost)

	status, body, _ = get(t, at+"traces/"+page.Items[0].ID)
	require.Equal(t, http.StatusOK, status, body)
	var whole observe.Trace
	require.NoError(t, json.Unmarshal([]byte(body), &whole))
	assert.Len(t, whole.Spans, 7)
	status, body, header := get(t, at+"traces/t_1?format=otlp")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, "resourceSpans")
	assert.Contains(t, header.Get("Content-Disposition"), "trace-"+whole.ID)

	for path, want := range map[string]int{"traces?win=2h": 400, "traces/t_9": 404, "traces/t_1?format=zip": 400} {
		status, body, _ = get(t, at+path)
		assert.Equal(t, want, status, path+" "+body)
	}
	own := httptest.NewServer(api)
	defer own.Close()
	status, _, _ = get(t, own.URL+"/api/openapi.json")
	assert.Equal(t, http.StatusOK, status)
	require.NoError(t, api.Close())
	require.NoError(t, api.Close())
}

func TestNewAPI(t *testing.T) {
	_, err := observe.NewAPI(nil, nil)
	assert.ErrorContains(t, err, "no collector")
	c := collector(t, nil)
	_, err = observe.NewAPI(c, &observe.APIOptions{Origins: []string{"::"}})
	assert.ErrorContains(t, err, "observe: the API")
	for range observe.MaxSubscribers {
		_, err := c.Subscribe(t.Context(), 1)
		require.NoError(t, err)
	}
	_, err = observe.NewAPI(c, nil)
	assert.ErrorContains(t, err, "already")
}

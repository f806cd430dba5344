package observeapi_test

import (
	"bufio"
	"context"
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

	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/observe"
	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/observe/observeapi"
)

func collector(t *testing.T) *observe.Collector {
	t.Helper()
	c, err := observe.New(nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	return c
}

// turn runs a chat turn with one model call.
func turn(ctx context.Context, tel *genai.Telemetry) {
	ctx, root := tel.StartTurn(ctx, genai.Turn{Agent: "helper", ID: "t_1", Conversation: "c_1", Provider: "openai", Model: "gpt"})
	within, call := tel.StartModel(ctx, genai.ModelCall{Provider: "openai", Model: "gpt", Conversation: "c_1", Round: 1})
	call.Usage(within, genai.Usage{Input: 100, Output: 20})
	call.End(within, "", nil)
	root.Set(genai.KeyOutcome, "ok")
	root.End(ctx, "", nil)
}

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
	c := collector(t)
	var told atomic.Int64
	api, err := observeapi.New(c, &observeapi.Options{Logger: slog.New(slog.DiscardHandler), MaxStreams: 1, Events: func(e observeapi.Event) {
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
	assert.NotEmpty(t, httpapi.TableOf(api).Routes)
	assert.Contains(t, string(api.OpenAPI()), "/api/observe/traces/{id}")
	at := srv.URL + "/api/observe/"

	stream, err := http.Get(at + "stream")
	require.NoError(t, err)
	defer stream.Body.Close()
	status, body, _ := get(t, at+"stream")
	assert.Equal(t, http.StatusTooManyRequests, status, body)

	turn(t.Context(), c.Telemetry())
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
	assert.Len(t, whole.Spans, 2)
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

func TestNew(t *testing.T) {
	_, err := observeapi.New(nil, nil)
	assert.ErrorContains(t, err, "no collector")
	c := collector(t)
	_, err = observeapi.New(c, &observeapi.Options{AllowedOrigins: []string{"::"}})
	assert.ErrorContains(t, err, "observeapi: ")
	for range observe.MaxSubscribers {
		_, err := c.Subscribe(t.Context(), 1)
		require.NoError(t, err)
	}
	_, err = observeapi.New(c, nil)
	assert.ErrorContains(t, err, "already")
}

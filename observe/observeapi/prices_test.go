package observeapi_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/observe/observeapi"
	"github.com/localpass/localpass/observe/pricing"
	"github.com/localpass/localpass/persistence/memory"
)

func TestPrices(t *testing.T) {
	c, store := collector(t), memory.New()
	turn(t.Context(), c.Telemetry()) // openai, gpt, 100 in, 20 out
	require.NoError(t, c.Flush(t.Context()))
	serve := func() string {
		api, err := observeapi.New(c, &observeapi.Options{Logger: slog.New(slog.DiscardHandler), Prices: store})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, api.Close()) })
		srv := httptest.NewServer(api)
		t.Cleanup(srv.Close)
		return srv.URL + "/api/observe/pricing"
	}
	at := serve()
	send := func(method, url, body string, headers ...string) (int, observeapi.Prices, string, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		for i := 0; i+1 < len(headers); i += 2 {
			req.Header.Set(headers[i], headers[i+1])
		}
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		var got observeapi.Prices
		_ = json.Unmarshal(text, &got)
		return res.StatusCode, got, res.Header.Get("ETag"), string(text)
	}

	status, got, tag, text := send(http.MethodGet, at, "")
	require.Equal(t, http.StatusOK, status, text)
	assert.Contains(t, text, `"prices":[]`)
	require.Len(t, got.Models, 1)
	assert.Equal(t, "unpriced", got.Models[0].Cost)

	const body = `{"prices":[{"match":"gpt","provider":"openai","input":"2.5","output":10,"validFrom":"2020-01-01","source":"a page"}]}`
	status, got, _, text = send(http.MethodPost, at+"/preview", body)
	require.Equal(t, http.StatusOK, status, text)
	assert.EqualValues(t, 450, *got.Models[0].CostMicroUSD)
	assert.Nil(t, c.Prices(), "a preview stores nothing")

	status, _, _, text = send(http.MethodPut, at, body)
	assert.Equal(t, http.StatusPreconditionRequired, status, text)
	status, got, tag, text = send(http.MethodPut, at, body, "If-Match", tag)
	require.Equal(t, http.StatusOK, status, text)
	assert.NotEmpty(t, tag)
	assert.Contains(t, text, `"validFrom":"2020-01-01"`)
	assert.Equal(t, "priced", got.Models[0].Cost)
	_, page, _ := get(t, strings.TrimSuffix(at, "pricing")+"traces?win=all")
	assert.Contains(t, page, `"costMicroUSD":450`)

	for _, c := range []struct {
		body, tag, want string
		status          int
	}{
		{body, `"v99"`, "changed in between", http.StatusPreconditionFailed},
		{`{"prices":[{"match":"*","input":1,"output":1,"source":"s"}]}`, tag, "price 1: match \\\"*\\\" needs a provider", http.StatusUnprocessableEntity},
		{`{"prices":[{"match":"m","input":-1,"output":1,"source":"s"}]}`, tag, "price", http.StatusBadRequest},
		{`{"prices":[{"match":"m","inputs":1,"output":1,"source":"s"}]}`, tag, "inputs", http.StatusBadRequest},
		{`{`, tag, "", http.StatusBadRequest},
	} {
		status, _, _, text = send(http.MethodPut, at, c.body, "If-Match", c.tag)
		assert.Equal(t, c.status, status, text)
		assert.Contains(t, text, c.want)
	}
	status, _, _, text = send(http.MethodPost, at+"/preview", `{`)
	assert.Equal(t, http.StatusBadRequest, status, text)
	status, _, _, text = send(http.MethodPut, at, `{"prices":[]}`, "If-Match", "*")
	assert.Equal(t, http.StatusOK, status, text)
	status, _, _, text = send(http.MethodPut, at, body, "If-Match", "*")
	require.Equal(t, http.StatusOK, status, text)

	// Another program with the same store has the same prices; damaged ones are reported.
	c.SetPrices(nil)
	serve()
	assert.NotNil(t, c.Prices())
	_, err := store.Put(t.Context(), pricing.Collection, pricing.Key, localpass.Document{Version: localpass.AnyVersion, Data: json.RawMessage(`{"prices":5}`)})
	require.NoError(t, err)
	at = serve()
	status, _, _, _ = send(http.MethodGet, at, "")
	assert.Equal(t, http.StatusInternalServerError, status)
	_, _, err = pricing.Load(t.Context(), store)
	assert.ErrorContains(t, err, "prices/table, are damaged")
	require.NoError(t, store.Close())
	_, _, err = pricing.Load(t.Context(), store)
	assert.ErrorIs(t, err, localpass.ErrClosed)
	_, err = pricing.Save(t.Context(), store, nil, localpass.AnyVersion)
	assert.ErrorIs(t, err, localpass.ErrClosed)
}

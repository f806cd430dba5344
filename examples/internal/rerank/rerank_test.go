package rerank_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/internal/config"
	"github.com/localpass/localpass/examples/internal/rerank"
	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/toolspec/secret"
)

// three finds three passages in a fixed order.
var three = rag.RetrieverFunc(func(context.Context, rag.SearchRequest) ([]rag.Match, error) {
	var found []rag.Match
	for i := range 3 {
		found = append(found, rag.Match{Document: rag.Document{ID: fmt.Sprint(i), Text: fmt.Sprintf("passage %d", i)}, Score: 1 - float64(i)/10})
	}
	return found, nil
})

func load(t *testing.T, args ...string) *config.Config {
	t.Helper()
	c, err := config.Load(config.Clichat, append([]string{"-home", t.TempDir()}, args...), secret.Map(nil))
	require.NoError(t, err)
	return c
}

// order returns the order of a search, and what was logged.
func order(t *testing.T, c *config.Config, ask rerank.Ask) (ids, logged string) {
	t.Helper()
	var log bytes.Buffer
	search, err := rerank.Retriever(c, three, ask, secret.Map(map[string]string{"RANK_KEY": "sesame"}), slog.New(slog.NewTextHandler(&log, nil)))
	require.NoError(t, err)
	found, err := search.Retrieve(t.Context(), rag.SearchRequest{Query: "which?", TopK: 3})
	require.NoError(t, err)
	for _, m := range found {
		ids += m.Document.ID
	}
	return ids, log.String()
}

func TestRetriever(t *testing.T) {
	ids, _ := order(t, load(t), nil)
	assert.Equal(t, "012", ids, "off is the default")

	model := load(t, "-set", "retrieval.rerank=model")
	ids, _ = order(t, model, func(_ context.Context, prompt string) (string, error) {
		assert.Contains(t, prompt, "passage 2")
		return "[3, 1, 2]", nil
	})
	assert.Equal(t, "201", ids)
	ids, logged := order(t, model, func(context.Context, string) (string, error) { return "", errors.New("it is away") })
	assert.Equal(t, "012", ids)
	assert.Contains(t, logged, "it is away")
	ids, logged = order(t, model, func(context.Context, string) (string, error) { return "", rerank.ErrNoModel })
	assert.Equal(t, "012", ids)
	assert.Empty(t, logged)
	_, err := rerank.Retriever(model, three, nil, secret.Map(nil), nil)
	require.ErrorContains(t, err, "-set: this program has no model")
}

func TestServer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "Bearer sesame", r.Header.Get("Authorization"))
		var in struct {
			Model     string
			Documents []string
		}
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&in))
		assert.Equal(t, "m", in.Model)
		assert.Len(t, in.Documents, 3)
		fmt.Fprint(w, `{"results": [{"index": 1, "relevance_score": 0.9}, {"index": 2, "relevance_score": 0.8}, {"index": 0, "relevance_score": 0.1}]}`)
	}))
	defer server.Close()
	args := []string{"-set", "retrieval.rerank=" + server.URL + "/v1/rerank", "-set", "retrieval.rerankModel=m", "-set", "retrieval.rerankKey=${RANK_KEY}"}
	ids, logged := order(t, load(t, args...), nil)
	assert.Equal(t, "120", ids)
	assert.Empty(t, logged)
	_, err := rerank.Retriever(load(t, args...), three, nil, secret.Map(nil), nil)
	require.ErrorContains(t, err, "RANK_KEY")
	server.Close()
	ids, logged = order(t, load(t, args...), nil)
	assert.Equal(t, "012", ids)
	assert.Contains(t, logged, "its judge failed")
	assert.NotContains(t, logged, "sesame")
}

// A key never goes over plain HTTP to another machine, and an error does not show an address.
func TestRefusedSettings(t *testing.T) {
	for want, set := range map[string][]string{
		"use https":               {"retrieval.rerank=HTTP://rank.example/v1", "retrieval.rerankKey=${RANK_KEY}"},
		"off, model, or the addr": {"retrieval.rerank=yes"},
		"without a user":          {"retrieval.rerank=https://user@rank.example/v1"},
	} {
		args := []string{"-home", t.TempDir()}
		for _, s := range set {
			args = append(args, "-set", s)
		}
		_, err := config.Load(config.Clichat, args, secret.Map(nil))
		require.ErrorContains(t, err, want)
	}
}

package ollama_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/embedding"
	"github.com/localpass/localpass/rag/flat"
	"github.com/localpass/localpass/rag/ollama"
)

func TestEmbed(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req map[string]any
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&req))
		assert.Equal(t, "/api/embed", r.URL.Path)
		assert.Equal(t, "here", r.Header.Get("X-Proxy"))
		assert.Equal(t, []any{"all-minilm", 2.0, false, "5m0s"}, []any{req["model"], req["dimensions"], req["truncate"], req["keep_alive"]})
		var vectors []string
		for _, text := range req["input"].([]any) {
			vectors = append(vectors, fmt.Sprintf("[%d,1]", len(text.(string))))
		}
		fmt.Fprintf(w, `{"embeddings":[%s]}`, strings.Join(vectors, ","))
	}))
	defer s.Close()
	e, err := ollama.New(&ollama.Options{BaseURL: s.URL, Model: "all-minilm", Dimensions: 2, KeepAlive: 5 * time.Minute, Header: http.Header{"X-Proxy": {"here"}}, HTTPClient: s.Client()})
	require.NoError(t, err)
	assert.Equal(t, rag.EmbedderInfo{ID: "ollama/all-minilm", Dimension: 2}, rag.DescribeEmbedder(e))
	vectors, err := rag.EmbedTexts(t.Context(), e, []string{"a", "bb", "ccc"}, 2)
	require.NoError(t, err)
	assert.Equal(t, [][]float32{{1, 1}, {2, 1}, {3, 1}}, vectors)
}

func TestErrors(t *testing.T) {
	for name, c := range map[string]struct {
		status     int
		body, want string
	}{
		"no such model":        {404, `{"error":"model \"x\" not found, try pulling it first"}`, "try pulling it first"},
		"an error unexplained": {400, ``, "400: Bad Request"},
		"no vectors":           {200, `{"embeddings":[]}`, "0 vectors for 1 texts"},
		"a zero vector":        {200, `{"embeddings":[[0,0]]}`, "all values of the vector are 0"},
		"no JSON":              {200, `<html>`, "ollama: "},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
			}))
			defer s.Close()
			e, err := ollama.New(&ollama.Options{BaseURL: s.URL, Batch: embedding.BatchOptions{Retries: -1}})
			require.NoError(t, err)
			_, err = rag.EmbedTexts(t.Context(), e, []string{"a"}, 0)
			require.ErrorIs(t, err, rag.ErrEmbedder)
			assert.ErrorContains(t, err, c.want)
		})
	}
	for name, o := range map[string]ollama.Options{"no address": {BaseURL: "localhost"}, "negative dimensions": {Dimensions: -1}} {
		_, err := ollama.New(&o)
		require.ErrorIs(t, err, rag.ErrInvalid, name)
	}
	e, err := ollama.New(nil)
	require.NoError(t, err)
	assert.InDelta(t, 0.36, *rag.DescribeEmbedder(e).Threshold, 1e-9)
}

// The test needs a real server with the tiny models: .ci/ollama run -- go test ./rag/ollama -run Live
func TestLiveEmbed(t *testing.T) {
	base := os.Getenv("LOCALPASS_OLLAMA")
	if base == "" {
		t.Skip("LOCALPASS_OLLAMA does not name a server with the tiny models: run the test by .ci/ollama run")
	}
	e, err := ollama.New(&ollama.Options{BaseURL: base, Model: "tiny-embed", Batch: embedding.BatchOptions{Size: 2}})
	require.NoError(t, err)
	store, err := flat.New(&flat.Options{Embedder: e})
	require.NoError(t, err)
	require.NoError(t, store.Add(t.Context(), rag.Document{ID: "hotel", Text: "the hotel, where is it"}, rag.Document{ID: "car", Text: "a red car"}, rag.Document{ID: "tree", Text: "an old tree in the garden"}))
	found, err := store.Search(t.Context(), rag.SearchRequest{Query: "where is the hotel"})
	require.NoError(t, err)
	assert.Equal(t, "hotel", found[0].ID)
	assert.Greater(t, found[0].Score, 0.8)
	stats, err := store.Stats(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "ollama/tiny-embed", stats.Manifest.Embedder)

	_, err = e.Embed(t.Context(), []string{strings.Repeat("far too long a text ", 1000)})
	require.Error(t, err, "a text is never cut silently")
	gone, err := ollama.New(&ollama.Options{BaseURL: base, Model: "no-such-model"})
	require.NoError(t, err)
	_, err = gone.Embed(t.Context(), []string{"a"})
	require.ErrorContains(t, err, "404")
}

func ExampleNew() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"embeddings":[[0.6,0.8]]}`)
	}))
	defer server.Close()

	embedder, err := ollama.New(&ollama.Options{BaseURL: server.URL})
	if err != nil {
		panic(err)
	}
	vectors, err := rag.EmbedTexts(context.Background(), embedder, []string{"the hotel is full"}, 0)
	fmt.Println(rag.DescribeEmbedder(embedder).ID, vectors, err)
	// Output: ollama/qwen3-embedding:0.6b [[0.6 0.8]] <nil>
}

package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/embedding"
	"github.com/localpass/localpass/rag/openai"
)

// tripper answers requests without a network.
type tripper func(*http.Request) (int, string)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) {
	rec := httptest.NewRecorder()
	status, body := f(r)
	rec.WriteHeader(status)
	_, _ = io.WriteString(rec, body)
	return rec.Result(), nil
}

type request struct {
	Input      []string
	Model      string
	Dimensions int
}

// answer embeds each text as its length, with the vectors in the opposite order.
func answer(t *testing.T, r *http.Request) (request, string) {
	var req request
	assert.NoError(t, json.NewDecoder(r.Body).Decode(&req))
	data := ""
	for i := len(req.Input) - 1; i >= 0; i-- {
		data += fmt.Sprintf(`{"index":%d,"embedding":[%d,1]},`, i, len(req.Input[i]))
	}
	return req, `{"data":[` + data[:len(data)-1] + `]}`
}

func TestEmbed(t *testing.T) {
	e, err := openai.New(&openai.Options{Key: "sk-secret", Organization: "org", Project: "ours", Dimensions: 2, HTTPClient: &http.Client{Transport: tripper(func(r *http.Request) (int, string) {
		req, body := answer(t, r)
		assert.Equal(t, "https://api.openai.com/v1/embeddings", r.URL.String())
		assert.Equal(t, []string{"Bearer sk-secret", "org", "ours"}, []string{r.Header.Get("Authorization"), r.Header.Get("OpenAI-Organization"), r.Header.Get("OpenAI-Project")})
		assert.Equal(t, openai.DefaultModel, req.Model)
		assert.Equal(t, 2, req.Dimensions)
		return 200, body
	})}, Batch: embedding.BatchOptions{Size: 2}})
	require.NoError(t, err)
	assert.Equal(t, rag.EmbedderInfo{ID: "openai/text-embedding-3-small", Dimension: 2, MaxTokens: 8191}, rag.DescribeEmbedder(e))
	vectors, err := rag.EmbedTexts(t.Context(), e, []string{"a", "bb", "ccc"}, 2)
	require.NoError(t, err)
	assert.Equal(t, [][]float32{{1, 1}, {2, 1}, {3, 1}}, vectors)
}

func TestUnusableAnswers(t *testing.T) {
	for name, body := range map[string]string{
		"a zero vector":     `{"data":[{"index":0,"embedding":[0,0]}]}`,
		"no vector":         `{"data":[]}`,
		"two vectors":       `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1]}]}`,
		"one index twice":   `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`,
		"an index too high": `{"data":[{"index":7,"embedding":[1]}]}`,
		"no JSON":           `<html>`,
	} {
		t.Run(name, func(t *testing.T) {
			e, err := openai.New(&openai.Options{HTTPClient: &http.Client{Transport: tripper(func(*http.Request) (int, string) { return 200, body })}, Batch: embedding.BatchOptions{Retries: -1}})
			require.NoError(t, err)
			_, err = rag.EmbedTexts(t.Context(), e, []string{"a"}, 0)
			require.ErrorIs(t, err, rag.ErrEmbedder)
		})
	}
}

func TestRepeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		statuses := []int{429, 500, 503}
		e, err := openai.New(&openai.Options{HTTPClient: &http.Client{Transport: tripper(func(r *http.Request) (int, string) {
			if n := int(calls.Add(1)); n <= len(statuses) {
				return statuses[n-1], `{"error":{"message":"busy"}}`
			}
			_, body := answer(t, r)
			return 200, body
		})}})
		require.NoError(t, err)
		began := time.Now()
		v, err := rag.EmbedQuery(context.Background(), e, "four", 2)
		require.NoError(t, err)
		assert.Equal(t, []float32{4, 1}, v)
		assert.Equal(t, 3500*time.Millisecond, time.Since(began))
	})
	var calls atomic.Int32
	e, err := openai.New(&openai.Options{Provider: "compatible", Key: "sk-secret", HTTPClient: &http.Client{Transport: tripper(func(*http.Request) (int, string) {
		calls.Add(1)
		return 401, `{"error":{"message":"no: sk-secret"}}`
	})}})
	require.NoError(t, err)
	_, err = e.Embed(t.Context(), []string{"a"})
	require.ErrorContains(t, err, "compatible: the server answered 401: no: ***")
	assert.EqualValues(t, 1, calls.Load(), "a refusal is not repeated")
}

func TestOptionsThatCannotBe(t *testing.T) {
	for name, o := range map[string]openai.Options{
		"no address":          {BaseURL: "localhost"},
		"negative dimensions": {Dimensions: -1},
		"a negative batch":    {Batch: embedding.BatchOptions{Size: -1}},
	} {
		_, err := openai.New(&o)
		require.ErrorIs(t, err, rag.ErrInvalid, name)
	}
	e, err := openai.New(nil)
	require.NoError(t, err)
	assert.Equal(t, 1536, rag.DescribeEmbedder(e).Dimension)
	e, err = openai.New(&openai.Options{Provider: "compatible", Model: "BAAI/bge-m3", Project: "p"})
	require.NoError(t, err)
	info := rag.DescribeEmbedder(e)
	assert.Equal(t, "compatible/BAAI/bge-m3", info.ID)
	assert.InDelta(t, 0.51, *info.Threshold, 1e-9)
}

func ExampleNew() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"data":[{"index":0,"embedding":[0.6,0.8]}]}`)
	}))
	defer server.Close()

	embedder, err := openai.New(&openai.Options{BaseURL: server.URL + "/v1", Provider: "compatible", Model: "nomic-embed-text"})
	if err != nil {
		panic(err)
	}
	vectors, err := rag.EmbedTexts(context.Background(), embedder, []string{"the hotel is full"}, 0)
	fmt.Println(rag.DescribeEmbedder(embedder).ID, vectors, err)
	// Output: compatible/nomic-embed-text [[0.6 0.8]] <nil>
}

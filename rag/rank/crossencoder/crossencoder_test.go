package crossencoder_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/rank"
	"github.com/localpass/localpass/rag/rank/crossencoder"
)

// serve answers every request, and keeps the last one.
func serve(t testing.TB, status int, answer string) (address string, last func() (body, authorization string)) {
	var body, authorization string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		body, authorization = string(b), r.Header.Get("Authorization")
		w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1/rerank", func() (string, string) { return body, authorization }
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	want := []rank.Rank{{Index: 1, Score: 0.9}, {Index: 0, Score: -2}}
	for name, answer := range map[string]string{
		"Cohere, Jina, vLLM": `{"id":"x","results":[{"index":1,"relevance_score":0.9},{"index":0,"relevance_score":-2,"document":{"text":"a"}}]}`,
		"Voyage":             `{"object":"list","data":[{"index":1,"relevance_score":0.9},{"index":0,"relevance_score":-2}]}`,
		"TEI":                `[{"index":1,"score":0.9},{"index":0,"score":-2}]`,
	} {
		address, last := serve(t, 200, answer)
		r, err := crossencoder.New(address, &crossencoder.Options{Model: "m", Key: "sesame"})
		require.NoError(t, err)
		ranks, err := r.Rerank(context.Background(), "q", []string{"a", "b"}, 2)
		require.NoError(t, err, name)
		assert.Equal(t, want, ranks, name)
		body, authorization := last()
		assert.JSONEq(t, `{"model":"m","query":"q","documents":["a","b"],"top_n":2}`, body)
		assert.Equal(t, "Bearer sesame", authorization)
	}
	address, last := serve(t, 200, `[]`)
	r, err := crossencoder.New(address, &crossencoder.Options{Texts: true})
	require.NoError(t, err)
	_, err = r.Rerank(context.Background(), "q", []string{"a"}, 1)
	require.NoError(t, err)
	body, authorization := last()
	assert.JSONEq(t, `{"query":"q","texts":["a"]}`, body)
	assert.Empty(t, authorization)
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status       int
		answer, want string
	}{
		{401, `{"message":"the key sesame is wrong"}`, "401"},
		{302, "", "302"},
		{200, "<html>", "not a list"},
		{200, `{"results":[{"relevance_score":1}]}`, "no index"},
		{200, `{"results":[{"index":0}]}`, "no score"},
		{200, strings.Repeat(" ", 5<<20), "more than"},
	} {
		address, _ := serve(t, c.status, c.answer)
		r, err := crossencoder.New(address, &crossencoder.Options{Key: "sesame"})
		require.NoError(t, err)
		_, err = r.Rerank(context.Background(), "q", []string{"a"}, 1)
		require.ErrorContains(t, err, c.want)
		assert.NotContains(t, err.Error(), "sesame")
	}
	r, err := crossencoder.New("http://127.0.0.1:1/?key=sesame", nil)
	require.NoError(t, err)
	_, err = r.Rerank(context.Background(), "q", nil, 1)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "sesame")
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = r.Rerank(ended, "q", nil, 1)
	require.ErrorIs(t, err, context.Canceled)
	for _, address := range []string{"", "ftp://x/", "http://", "localhost:80", "http://x\n"} {
		_, err := crossencoder.New(address, nil)
		assert.ErrorIs(t, err, rag.ErrInvalid, address)
	}
}

func ExampleNew() {
	r, err := crossencoder.New("http://127.0.0.1:8080/v1/rerank", &crossencoder.Options{Model: "bge-reranker-v2-m3"})
	fmt.Println(r != nil, err)
	// Output: true <nil>
}

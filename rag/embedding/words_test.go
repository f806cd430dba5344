package embedding_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/embedding"
)

func TestWords(t *testing.T) {
	e := embedding.Words()
	info := rag.DescribeEmbedder(e)
	assert.Equal(t, rag.EmbedderInfo{ID: "lexical/words-1024", Dimension: 1024}, info)
	v, err := rag.EmbedTexts(t.Context(), e, []string{"Where is the hotel?", "the hotels of the town", "a red car", "…", ""}, info.Dimension)
	require.NoError(t, err)
	near := func(a, b int) (sum float64) {
		for i := range v[a] {
			sum += float64(v[a][i]) * float64(v[b][i])
		}
		return sum
	}
	assert.InDelta(t, 1, near(0, 0), 1e-5)
	assert.Greater(t, near(0, 1), near(0, 2)+0.3)
	assert.Equal(t, v[3], v[4])
	again, err := e.Embed(t.Context(), []string{"Where is the hotel?"})
	require.NoError(t, err)
	assert.InDeltaSlice(t, v[0], again[0], 1e-6)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = e.Embed(ended, []string{"a"})
	require.ErrorIs(t, err, context.Canceled)
}

func TestThreshold(t *testing.T) {
	for model, want := range map[string]float64{"qwen3-embedding:0.6b": 0.36, "BAAI/bge-m3": 0.51, "mxbai-embed-large:latest": 0.44} {
		require.NotNil(t, embedding.Threshold(model), model)
		assert.InDelta(t, want, *embedding.Threshold(model), 1e-9)
	}
	assert.Nil(t, embedding.Threshold("text-embedding-3-small"))
	assert.Nil(t, embedding.Threshold(""))
}

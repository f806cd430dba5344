package embedding

import (
	"context"
	"hash/fnv"
	"math"

	"github.com/localpass/localpass/internal/lexical"
	"github.com/localpass/localpass/rag"
)

// wordsDimension is the length of the vectors of Words. Of longer ones, 4,096 finds a
// little more and costs four times as much.
const wordsDimension = 1024

// Words returns an embedder that needs no model: it compares words, not meaning. It is for
// stores that search by vectors alone; the search by words of rag/flat finds more at a
// hundredth of the cost. Its scores do not separate answers from other documents, so it
// recommends no threshold. All texts without words have the same vector.
func Words() rag.Embedder { return words{} }

type words struct{}

func (words) EmbedderInfo() rag.EmbedderInfo {
	return rag.EmbedderInfo{ID: "lexical/words-1024", Dimension: wordsDimension}
}

func (words) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		vectors[i] = hashed(text)
	}
	return vectors, nil
}

// hashed adds up the features of a text: each of its words, and with half the weight each
// sequence of four letters in them, with a sign and at a place that its hash gives.
func hashed(text string) []float32 {
	counts := map[string]float64{}
	for _, w := range lexical.Words(text) {
		counts["="+w]++
		for r := []rune("^" + w + "$"); len(r) >= 4; r = r[1:] {
			counts[string(r[:4])]++
		}
	}
	v := make([]float32, wordsDimension)
	for feature, n := range counts {
		weight := 0.5
		if feature[0] == '=' {
			weight = 1
		}
		h := fnv.New64a()
		h.Write([]byte(feature))
		sum := h.Sum64()
		sign := 1 - 2*float64(sum>>63)
		v[sum%wordsDimension] += float32(sign * weight * (1 + math.Log(n)))
	}
	if rag.Norm(v) == 0 { // no words, or all cancelled out
		v[wordsDimension-1] = 1
	}
	rag.Normalize(v)
	return v
}

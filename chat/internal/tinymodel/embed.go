package tinymodel

import (
	"math/rand/v2"
	"slices"
)

const (
	embedWidth = 128
	embedHeads = 4
	embedInner = 64
	embedLimit = 512 // context size in tokens
)

// Embed returns the GGUF file of an embedding model. The embedding of a text is the mean
// of a random vector for each of its pairs of letters, so texts with the same words are
// near each other.
func Embed() []byte {
	tokens := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]"}
	kinds := []int32{tokenControl, tokenUnknown, tokenControl, tokenControl}
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	for _, start := range []string{"\u2581", ""} { // at the beginning of a word, and inside a word
		for _, a := range letters {
			tokens = append(tokens, start+string(a))
			for _, b := range letters {
				tokens = append(tokens, start+string(a)+string(b))
			}
		}
	}
	n := len(tokens)
	kinds = append(kinds, slices.Repeat([]int32{tokenNormal}, n-len(kinds))...)
	g := &gguf{}
	g.set("general.architecture", "bert")
	g.set("general.name", "localpass tiny embedding")
	g.set("general.file_type", uint32(1))
	g.set("bert.context_length", uint32(embedLimit))
	g.set("bert.embedding_length", uint32(embedWidth))
	g.set("bert.block_count", uint32(1))
	g.set("bert.feed_forward_length", uint32(embedInner))
	g.set("bert.attention.head_count", uint32(embedHeads))
	g.set("bert.attention.head_count_kv", uint32(embedHeads))
	g.set("bert.attention.layer_norm_epsilon", float32(1e-12))
	g.set("bert.attention.causal", false)
	g.set("bert.pooling_type", uint32(1)) // mean pooling
	g.set("tokenizer.ggml.model", "bert")
	g.set("tokenizer.ggml.tokens", tokens)
	g.set("tokenizer.ggml.scores", make([]float32, n))
	g.set("tokenizer.ggml.token_type", kinds)
	g.set("tokenizer.ggml.token_type_count", uint32(2))
	g.set("tokenizer.ggml.padding_token_id", uint32(0))
	g.set("tokenizer.ggml.unknown_token_id", uint32(1))
	g.set("tokenizer.ggml.cls_token_id", uint32(2))
	g.set("tokenizer.ggml.bos_token_id", uint32(2))
	g.set("tokenizer.ggml.seperator_token_id", uint32(3)) //nolint:misspell // the format spells it so
	g.set("tokenizer.ggml.eos_token_id", uint32(3))

	random := rand.New(rand.NewPCG(7, 11)) // a fixed seed, for the same model each time
	g.halves("token_embd.weight", []int{embedWidth, n}, func(set func(int, int, uint16)) {
		for row := range n {
			for column := range embedWidth {
				// 1.0 or -1.0; the tokens that frame a text contribute nothing.
				if v := uint16(halfOne | random.IntN(2)<<15); row > 3 {
					set(column, row, v)
				}
			}
		}
	})
	g.floats("position_embd.weight", 0, embedWidth, embedLimit)
	g.floats("token_types.weight", 0, embedWidth, 2)
	norm := func(name string) {
		g.floats(name+".weight", 1, embedWidth)
		g.floats(name+".bias", 0, embedWidth)
	}
	linear := func(name string, from, to int) {
		g.halves(name+".weight", []int{from, to}, nil)
		g.floats(name+".bias", 0, to)
	}
	norm("token_embd_norm")
	for _, name := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
		linear("blk.0."+name, embedWidth, embedWidth)
	}
	norm("blk.0.attn_output_norm")
	linear("blk.0.ffn_up", embedWidth, embedInner)
	linear("blk.0.ffn_down", embedInner, embedWidth)
	norm("blk.0.layer_output_norm")
	return g.bytes()
}

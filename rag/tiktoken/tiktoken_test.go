package tiktoken_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/tiktoken"
)

func Example() {
	tokenizer, err := tiktoken.New("")
	if err != nil {
		fmt.Println(err)
		return
	}
	ends, err := tokenizer.Tokens("Retrieval that can be trusted.")
	fmt.Println(tokenizer.Name(), len(ends), err)
	// Output: cl100k_base 8 <nil>
}

// Counts that are known for these texts: those of the encodings' maker.
func TestCounts(t *testing.T) {
	t.Parallel()
	for encoding, counts := range map[string][]int{
		tiktoken.CL100K: {0, 2, 6, 1, 9}, tiktoken.O200K: {0, 2, 6, 1, 8}, tiktoken.P50K: {0, 2, 5, 1, 14}, tiktoken.R50K: {0, 2, 5, 1, 14},
	} {
		tokenizer, err := tiktoken.New(encoding)
		require.NoError(t, err)
		assert.Equal(t, encoding, tokenizer.Name())
		for i, text := range []string{"", "hello world", "antidisestablishmentarianism", "\x7f", "お誕生日おめでとう"} {
			ends, err := tokenizer.Tokens(text)
			require.NoError(t, err)
			assert.Len(t, ends, counts[i], "%s %q", encoding, text)
		}
	}
	_, err := tiktoken.New("cl100k")
	assert.ErrorContains(t, err, `no encoding "cl100k"`)
	assert.ErrorIs(t, err, rag.ErrInvalid)
}

// A long text is encoded in parts: the tokens are those of the whole.
func TestSegments(t *testing.T) {
	t.Parallel()
	tokenizer, err := tiktoken.New("")
	require.NoError(t, err)
	const line = "Some words, and 1234567 numbers...\n"
	one, err := tokenizer.Tokens(line)
	require.NoError(t, err)
	many, err := tokenizer.Tokens(strings.Repeat(line, 5000))
	require.NoError(t, err)
	require.Len(t, many, 5000*len(one))
	for i, end := range many {
		require.Equal(t, one[i%len(one)]+i/len(one)*len(line), end)
	}
	unbroken, err := tokenizer.Tokens(strings.Repeat("word ", 30_000))
	require.NoError(t, err)
	assert.Equal(t, 150_000, unbroken[len(unbroken)-1])
}

func FuzzTokens(f *testing.F) {
	tokenizer, err := tiktoken.New("")
	require.NoError(f, err)
	for _, text := range []string{"It's 5 o'clock.\n\n  x", "日本語🎉", "\x7f\x7fa", "\xff", "<|endoftext|>"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ends, err := tokenizer.Tokens(text)
		if (err == nil) != utf8.ValidString(text) {
			t.Fatalf("%q gives %v", text, err)
		}
		last := 0
		for _, end := range ends {
			if end <= last {
				t.Fatalf("%q ends at %v", text, ends)
			}
			last = end
		}
		if err == nil && last != len(text) {
			t.Fatalf("%q ends at %v", text, ends)
		}
	})
}

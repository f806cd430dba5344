package attachment

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Sections are summarised in their order, and a document cannot close the marks around it.
func TestSummarize(t *testing.T) {
	var prompts []string
	var seen [][2]int
	texts := make([]string, 13)
	for i := range texts {
		texts[i] = strings.Repeat("x", i+1) + "!"
	}
	got, err := summarize(t.Context(), texts, func(_ context.Context, prompt string) (string, error) {
		prompts = append(prompts, prompt)
		return " answer " + strings.Repeat("y", 10_000), nil
	}, func(made, total int) { seen = append(seen, [2]int{made, total}) })
	require.NoError(t, err)
	assert.Len(t, got, summaryChars)
	assert.Equal(t, [][2]int{{0, 4}, {1, 4}, {2, 4}, {3, 4}}, seen)
	assert.Contains(t, prompts[0], "\nx!\n\nxx!\n")
	assert.Contains(t, prompts[2], "xxxxxxxxxxxxx!")
	assert.Contains(t, prompts[3], "overview of a document")
	assert.NotEqual(t, prompts[0][strings.Index(prompts[0], "<text-"):][:20], prompts[1][strings.Index(prompts[1], "<text-"):][:20])
}

func TestExtractive(t *testing.T) {
	got, err := extractive(t.Context(), []string{"Bread is made of flour and water. Hello. The bread of this town is famous. Bread needs an oven.", "Bread needs an oven."})
	require.NoError(t, err)
	assert.Equal(t, "Bread is made of flour and water. Hello. The bread of this town is famous. Bread needs an oven.", got, "a short text is its own overview, without what it repeats")
	var b strings.Builder
	for range 20 {
		b.WriteString("The bread of the town is famous, and so is its oven" + strings.Repeat(".", 1) + " ")
	}
	b.WriteString("Yes. ")
	for _, w := range []string{"north", "south", "east", "west", "upper", "lower", "old", "new"} {
		b.WriteString("The bread of the " + w + " town is baked in an oven. ")
	}
	got, err = extractive(t.Context(), []string{b.String()})
	require.NoError(t, err)
	assert.NotContains(t, got, "Yes")
	assert.Equal(t, 8, strings.Count(got, "."))
	got, err = extractive(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, got)
}

func FuzzExtractive(f *testing.F) {
	f.Add("One. Two! Three?")
	f.Add("\x00\xff Dr. A. B. Smith's house")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "") // a library stores nothing else
		one, err := extractive(t.Context(), []string{text})
		require.NoError(t, err)
		again, err := extractive(t.Context(), []string{text})
		require.NoError(t, err)
		assert.Equal(t, one, again, "the same text gives the same overview")
	})
}

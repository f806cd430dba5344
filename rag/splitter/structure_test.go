package splitter_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/splitter"
)

func Example() {
	byTokens, err := splitter.Markdown(splitter.Approximate(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	doc := rag.Document{ID: "guide", Text: "# Install\n\n## Linux\n\nRun the package.\n\n## Windows\n\nOpen the installer.\n"}
	chunks, err := rag.SplitDocument(context.Background(), byTokens, doc, nil)
	for _, c := range chunks {
		fmt.Printf("%s: %q at %d\n", c.ID, c.Text, c.Metadata[rag.KeyStart])
	}
	fmt.Println(err)
	// Output:
	// 0-guide: "Install > Linux\n\nRun the package." at 21
	// 1-guide: "Install > Windows\n\nOpen the installer." at 51
	// <nil>
}

func TestSentence(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		opts splitter.SentenceOptions
		want []string
	}{
		"each":          {"One is here. Two is there! Three?", splitter.SentenceOptions{Size: 5}, []string{"One is here.", "Two is there!", "Three?"}},
		"packed":        {"One is here. Two is there! Three?", splitter.SentenceOptions{Size: 9}, []string{"One is here. Two is there!", "Three?"}},
		"an overlap":    {"A b c. D e f. G h i. J k l.", splitter.SentenceOptions{Size: 8, Overlap: 1}, []string{"A b c. D e f.", "D e f. G h i.", "G h i. J k l."}},
		"abbreviations": {"Dr. Smith met J. Doe, e.g. at 3.5 km. Then I. Then we.", splitter.SentenceOptions{Size: 18}, []string{"Dr. Smith met J. Doe, e.g. at 3.5 km.", "Then I. Then we."}},
		"line breaks":   {"A sentence that\nis broken. Another\n\nA title\n\nText.", splitter.SentenceOptions{Size: 7}, []string{"A sentence that\nis broken.", "Another\n\nA title\n\nText."}},
		"too long":      {"one two three four five six seven", splitter.SentenceOptions{Size: 3}, []string{"one two three", "four five six", "seven"}},
		"Japanese":      {"これは文です。次の文です。", splitter.SentenceOptions{Size: 8}, []string{"これは文です。", "次の文です。"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := splitter.Sentence(cl100k(t), &c.opts)
			require.NoError(t, err)
			assert.Equal(t, c.want, texts(split(t, s, c.text)))
		})
	}
	s, err := splitter.Sentence(splitter.Approximate(), &splitter.SentenceOptions{Window: 1})
	require.NoError(t, err)
	chunks := split(t, s, "A b. C d. E f. G h.")
	assert.Equal(t, []string{"A b.", "C d.", "E f.", "G h."}, texts(chunks))
	assert.Equal(t, "A b. C d.", chunks[0].Context)
	assert.Equal(t, "A b. C d. E f.", chunks[1].Context)
	assert.Equal(t, "E f. G h.", chunks[3].Context)
	for _, o := range []splitter.SentenceOptions{{Size: -1}, {Overlap: -1}, {Window: -1}, {Window: 1, Overlap: 1}} {
		_, err := splitter.Sentence(splitter.Approximate(), &o)
		assert.ErrorIs(t, err, rag.ErrInvalid)
	}
	_, err = splitter.Sentence(nil, nil)
	assert.ErrorIs(t, err, rag.ErrInvalid)
	assert.Empty(t, split(t, s, " \n"))
}

const guide = `Preamble.

# Guide *one*

Text of the guide.

## Install

First paragraph
of two lines.

Second paragraph.

` + "```sh\n# not a heading\nmake\n```" + `

- item
  more

  # an inner heading

Title two
=========

| a | b |
|---|---|
| 1 | 2 |

### Deep

> quoted

## Empty

[ref]: http://example.com
`

func TestMarkdown(t *testing.T) {
	t.Parallel()
	show := func(o splitter.MarkdownOptions) (lines []string) {
		s, err := splitter.Markdown(splitter.Approximate(), &o)
		require.NoError(t, err)
		for _, c := range split(t, s, guide) {
			lines = append(lines, strings.Join(c.Headings, ">")+": "+strings.ReplaceAll(c.Text, "\n", "|"))
		}
		return lines
	}
	assert.Equal(t, []string{
		": Preamble.",
		"Guide one: Text of the guide.",
		"Guide one>Install: First paragraph|of two lines.||Second paragraph.||```sh|# not a heading|make|```||- item|  more||  # an inner heading",
		"Title two: | a | b |||---|---||| 1 | 2 |",
		"Title two>Deep: > quoted",
		"Title two>Empty: [ref]: http://example.com",
	}, show(splitter.MarkdownOptions{}))
	assert.Equal(t, []string{
		": Preamble.",
		"Guide one: Text of the guide.",
		"Guide one>Install: First paragraph|of two lines.||Second paragraph.",
		"Guide one>Install: - item|  more||  # an inner heading",
	}, show(splitter.MarkdownOptions{Code: splitter.CodeDrop})[:4])
	assert.Equal(t, []string{
		"Guide one>Install: First paragraph|of two lines.||Second paragraph.",
		"Guide one>Install: ```sh|# not a heading|make|```",
		"Guide one>Install: - item|  more||  # an inner heading",
	}, show(splitter.MarkdownOptions{Size: 12, Code: splitter.CodeSeparate})[2:5])
	for _, o := range []splitter.MarkdownOptions{{Size: -1}, {Code: "keep"}} {
		_, err := splitter.Markdown(splitter.Approximate(), &o)
		assert.ErrorIs(t, err, rag.ErrInvalid)
	}
}

// A table that is too long is divided between its rows, and the parts without the head
// have it in their context.
func TestMarkdownTable(t *testing.T) {
	t.Parallel()
	const head = "| name | size |\n|------|------|\n"
	table := head + strings.Repeat("| word | 12345 |\n", 20)
	s, err := splitter.Markdown(splitter.Approximate(), &splitter.MarkdownOptions{Size: 40})
	require.NoError(t, err)
	chunks := split(t, s, "# T\n\n"+table+"\nAfter.\n")
	require.Greater(t, len(chunks), 3)
	rows := 0
	for i, c := range chunks[:len(chunks)-1] {
		assert.LessOrEqual(t, c.Tokens, 40)
		assert.Equal(t, []string{"T"}, c.Headings)
		rows += strings.Count(c.Text, "word")
		if i > 0 {
			assert.Equal(t, head+c.Text, c.Context)
		}
	}
	assert.Equal(t, 20, rows)
	assert.Equal(t, "After.", chunks[len(chunks)-1].Text)
}

func TestParentChild(t *testing.T) {
	t.Parallel()
	parent, err := splitter.Markdown(splitter.Approximate(), nil)
	require.NoError(t, err)
	child, err := splitter.Sentence(splitter.Approximate(), &splitter.SentenceOptions{Size: 4})
	require.NoError(t, err)
	s, err := splitter.ParentChild(parent, child)
	require.NoError(t, err)
	chunks := split(t, s, "# A\n\nOne is here. Two is there.\n\n# B\n\nThree.\n")
	assert.Equal(t, []string{"One is here.", "Two is there.", "Three."}, texts(chunks))
	assert.Equal(t, "One is here. Two is there.", chunks[1].Context)
	assert.Equal(t, []string{"A"}, chunks[1].Headings)
	assert.Empty(t, chunks[2].Context, "a chunk that is all of its parent stands for itself")

	_, err = splitter.ParentChild(parent, nil)
	assert.ErrorIs(t, err, rag.ErrInvalid)
	o := splitter.TokenOptions{Size: 100, MaxChunks: 9, ReplaceLineBreaks: true}
	flat, err := splitter.Token(splitter.Approximate(), &o)
	require.NoError(t, err)
	s, err = splitter.ParentChild(flat, child)
	require.NoError(t, err)
	_, err = s.Split(context.Background(), "a\nb")
	assert.ErrorContains(t, err, "no slice")
}

// Whatever the text is: every character that is not white space is in a chunk or in a
// heading, chunks are slices in order, and their sizes hold.
func FuzzStructure(f *testing.F) {
	f.Add(guide, 10)
	f.Add("| a |\n|---|\n| b |\n\n\n> > ```\n> x", 2)
	f.Add("Dr. A. B.\r\n\r\n e.g. 🎉。\n\x00", 1)
	f.Fuzz(func(t *testing.T, text string, size int) {
		o := splitter.TokenOptions{Size: size}
		sentence, err := splitter.Sentence(splitter.Approximate(), &splitter.SentenceOptions{Size: size})
		if err != nil || size == 0 {
			return
		}
		chunks, err := sentence.Split(context.Background(), text)
		if err != nil {
			return
		}
		checkCover(t, text, chunks, o)
		markdown, err := splitter.Markdown(splitter.Approximate(), &splitter.MarkdownOptions{Size: size})
		if err != nil {
			t.Fatal(err)
		}
		chunks, err = markdown.Split(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for _, c := range chunks {
			if c.Start < at || text[c.Start:c.End] != c.Text || c.Text == "" {
				t.Fatalf("%q: chunk %q at %d after %d", text, c.Text, c.Start, at)
			}
			at = c.End
		}
	})
}

// The cost of the splitter beside one pass of its tokenizer.
func BenchmarkToken(b *testing.B) {
	text := strings.Repeat(labyrinth+"\n", 1000)
	for _, tokenizer := range []rag.Tokenizer{cl100k(b), splitter.Approximate()} {
		b.Run(tokenizer.Name()+"/tokenizer", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := tokenizer.Tokens(text); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(tokenizer.Name()+"/splitter", func(b *testing.B) {
			s, err := splitter.Token(tokenizer, nil)
			require.NoError(b, err)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := s.Split(context.Background(), text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

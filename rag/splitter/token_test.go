package splitter_test

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/splitter"
	"github.com/localpass/localpass/rag/tiktoken"
)

func cl100k(t testing.TB) rag.Tokenizer {
	t.Helper()
	tokenizer, err := tiktoken.New("")
	require.NoError(t, err)
	return tokenizer
}

func split(t testing.TB, s rag.Splitter, text string) []rag.Chunk {
	t.Helper()
	chunks, err := s.Split(context.Background(), text)
	require.NoError(t, err)
	for _, c := range chunks {
		require.True(t, utf8.ValidString(c.Text), "%q", c.Text)
		require.Equal(t, text[c.Start:c.End], c.Text)
		require.Positive(t, c.Tokens)
	}
	return chunks
}

func texts(chunks []rag.Chunk) (texts []string) {
	for _, c := range chunks {
		texts = append(texts, c.Text)
	}
	return texts
}

const (
	numbers   = "one two three four five six seven eight nine ten eleven twelve"
	writing   = "In the end, writing arises when man realizes that memory is not enough."
	labyrinth = "The most oppressive thing about the labyrinth is that you are constantly being forced to choose. " +
		"It isn't the lack of an exit, but the abundance of exits that is so disorienting."
	sentences = "First sentence opens the text. Second sentence follows it. Third sentence is here. Fourth sentence continues the text. Fifth sentence completes this test."
)

// The examples whose results are known, with the encoding cl100k_base.
func TestTokenExamples(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text                                       string
		size, overlap, minChars, minLength, chunks int
		marks                                      string
		want                                       []string
	}{
		"A fits":        {writing, 800, 0, 350, 5, 0, "", []string{writing}},
		"B a plain cut": {writing, 10, 0, 5, 3, 50, "", []string{"In the end, writing arises when man realizes that", "memory is not enough."}},
		"C a rest is too short": {labyrinth, 10, 0, 5, 3, 50, "", []string{
			"The most oppressive thing about the labyrinth is that you", "are constantly being forced to choose.",
			"It isn't the lack of an exit, but", "the abundance of exits that is so disorienting"}},
		"D no marks":   {numbers, 5, 0, 1000, 0, 0, "", []string{"one two three four five", "six seven eight nine ten", "eleven twelve"}},
		"E an overlap": {numbers, 5, 2, 1000, 0, 0, "", []string{"one two three four five", "four five six seven eight", "seven eight nine ten eleven", "ten eleven twelve"}},
		"F a rest":     {numbers, 5, 2, 1000, 0, 2, "", []string{"one two three four five", "four five six seven eight", "seven eight nine ten eleven twelve"}},
		"G dropped chunks count": {"one two three four five six seven eight nine ten", 2, 0, 1000, 15, 3, "",
			[]string{"seven eight nine ten"}},
		"H an overlap from the mark": {sentences, 27, 3, 20, 5, 0, "", []string{
			"First sentence opens the text. Second sentence follows it. Third sentence is here. Fourth sentence continues the text.", "the text. Fifth sentence completes this test."}},
		"I what fits is not cut": {"one two three four five six seven eight nine ten eleven. twelve thirteen", 10, 0, 5, 0, 0, "",
			[]string{"one two three four five six seven eight nine ten", "eleven. twelve thirteen"}},
		"J other marks": {"red green blue; one two. black white gray; three four. pink brown gold; five six.", 10, 2, 5, 0, 0, ";",
			[]string{"red green blue;", "blue; one two. black white gray;", "gray; three four. pink brown gold;", "gold; five six."}},
		"K marks of two scripts": {"This is the first class！It holds the business logic。这是最后一句话。", 10, 0, 5, 3, 0, "。？！",
			[]string{"This is the first class！", "It holds the business logic。", "这是最后一句话。"}},
		"L one token at a time": {"a b c", 1, 0, 0, 0, 0, "", []string{"a", "b", "c"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := splitter.TokenOptions{Size: c.size, Overlap: c.overlap, MinChars: c.minChars, MinLength: c.minLength, MaxChunks: c.chunks, Marks: c.marks}
			if o.MaxChunks == 0 {
				o.MaxChunks = 10_000
			}
			s, err := splitter.Token(cl100k(t), &o)
			require.NoError(t, err)
			chunks := split(t, s, c.text)
			assert.Equal(t, c.want, texts(chunks))
			for i, chunk := range chunks {
				rest := i == len(chunks)-1 && (name[0] == 'F' || name[0] == 'G')
				assert.Equal(t, rest, chunk.Rest)
				assert.True(t, rest || chunk.Tokens <= c.size)
			}
		})
	}
}

func TestTokenOptions(t *testing.T) {
	t.Parallel()
	a := splitter.Approximate()
	for want, o := range map[string]splitter.TokenOptions{
		"Size is 0":      {},
		"Size is -1":     {Size: -1},
		"Overlap is 5":   {Size: 5, Overlap: 5, MaxChunks: 1},
		"Overlap is -1":  {Size: 5, Overlap: -1, MaxChunks: 1},
		"MinChars":       {Size: 5, MinChars: -1, MaxChunks: 1},
		"MinLength":      {Size: 5, MinLength: -1, MaxChunks: 1},
		"MaxChunks is 0": {Size: 5},
	} {
		_, err := splitter.Token(a, &o)
		require.ErrorIs(t, err, rag.ErrInvalid)
		assert.ErrorContains(t, err, want)
	}
	_, err := splitter.Token(nil, nil)
	assert.ErrorIs(t, err, rag.ErrInvalid)

	s, err := splitter.Token(a, nil)
	require.NoError(t, err)
	for _, blank := range []string{"", " \n\t "} {
		assert.Empty(t, split(t, s, blank))
	}
	_, err = s.Split(context.Background(), "\xff")
	assert.ErrorIs(t, err, rag.ErrInvalid)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = s.Split(ended, "text")
	assert.ErrorIs(t, err, context.Canceled)

	o := splitter.TokenOptions{Size: 2, MaxChunks: 2, FailOnRest: true}
	s, err = splitter.Token(a, &o)
	require.NoError(t, err)
	_, err = s.Split(context.Background(), numbers)
	assert.ErrorContains(t, err, "more than 2 chunks")

	o = splitter.TokenOptions{Size: 100, MaxChunks: 2, ReplaceLineBreaks: true}
	s, err = splitter.Token(a, &o)
	require.NoError(t, err)
	chunks, err := s.Split(context.Background(), " a\r\nb\nc ")
	require.NoError(t, err)
	assert.Equal(t, []rag.Chunk{{Text: "a  b c", Start: 1, End: 7, Tokens: chunks[0].Tokens}}, chunks)
}

// White space alone makes no chunk and does not count as one, and a token that goes beyond
// the mark loses nothing: the quotation mark after the full stop is one token with it.
func TestTokenBorders(t *testing.T) {
	t.Parallel()
	o := splitter.TokenOptions{Size: 3, MaxChunks: 2}
	s, err := splitter.Token(cl100k(t), &o)
	require.NoError(t, err)
	chunks := split(t, s, "one two three"+strings.Repeat(" \n \t", 40)+"four")
	assert.Equal(t, []string{"one two three", "four"}, texts(chunks))
	assert.False(t, chunks[1].Rest)

	o = splitter.TokenOptions{Size: 6, MaxChunks: 99}
	s, err = splitter.Token(cl100k(t), &o)
	require.NoError(t, err)
	assert.Equal(t, []string{`He said "no."`[:12], `" Then he went.`[:1] + ` Then he went.`}, texts(split(t, s, `He said "no." Then he went.`)))
}

// A window may end inside a character, which is then whole in one of the chunks. The
// sentence ends of Chinese and Japanese count where most letters are not Latin.
func TestTokenCharacters(t *testing.T) {
	t.Parallel()
	const text = "日本語のテキスト🎉です。これは二番目の文です👩‍👩‍👧‍👦！最後に🎌、三番目の文があります？"
	for size := 1; size < 24; size++ {
		for overlap := 0; overlap < size; overlap += 3 {
			o := splitter.TokenOptions{Size: size, Overlap: overlap, MaxChunks: 10_000}
			s, err := splitter.Token(cl100k(t), &o)
			require.NoError(t, err)
			checkCover(t, text, split(t, s, text), o)
		}
	}
	o := splitter.TokenOptions{Size: 30, MaxChunks: 99}
	s, err := splitter.Token(cl100k(t), &o)
	require.NoError(t, err)
	assert.Equal(t, "日本語のテキスト🎉です。", split(t, s, text)[0].Text)
}

// checkCover holds chunks without dropped ones against the promises.
func checkCover(t testing.TB, text string, chunks []rag.Chunk, o splitter.TokenOptions) {
	t.Helper()
	at := 0
	for i, c := range chunks {
		if gap := text[min(at, c.Start):c.Start]; strings.TrimSpace(gap) != "" {
			t.Fatalf("%+v loses %q before chunk %d", o, gap, i)
		}
		if !utf8.ValidString(c.Text) || text[c.Start:c.End] != c.Text {
			t.Fatalf("%+v: chunk %d is %q, the text has %q there", o, i, c.Text, text[c.Start:c.End])
		}
		if c.End <= at {
			t.Fatalf("%+v: chunk %d adds nothing", o, i)
		}
		_, first := utf8.DecodeRuneInString(c.Text)
		if !c.Rest && c.Tokens > o.Size && first != len(c.Text) { // one character may have more tokens
			t.Fatalf("%+v: chunk %d has %d tokens: %q", o, i, c.Tokens, c.Text)
		}
		at = c.End
	}
	if strings.TrimSpace(text[at:]) != "" {
		t.Fatalf("%+v loses the end %q", o, text[at:])
	}
}

func FuzzToken(f *testing.F) {
	f.Add(labyrinth, 10, 3, 5, 20)
	f.Add("日本語🎉。x\r\n\r\n \"a.\" ", 2, 1, 0, 3)
	f.Fuzz(func(t *testing.T, text string, size, overlap, minChars, most int) {
		o := splitter.TokenOptions{Size: size, Overlap: overlap, MinChars: minChars, MaxChunks: most}
		for _, tokenizer := range []rag.Tokenizer{splitter.Approximate(), cl100k(t)} {
			s, err := splitter.Token(tokenizer, &o)
			if err != nil {
				return
			}
			chunks, err := s.Split(context.Background(), text)
			if !utf8.ValidString(text) {
				if err == nil {
					t.Fatal("invalid text was split")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			checkCover(t, text, chunks, o)
		}
	})
}

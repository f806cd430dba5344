package splitter

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/localpass/localpass/rag"
)

// TokenOptions are the options of [Token]. Zero values mean zero, not a default: begin
// with [DefaultTokenOptions].
type TokenOptions struct {
	// Size is the number of tokens in a chunk. Default 800.
	Size int
	// Overlap is how many tokens before the end of a chunk the next one begins. It must be
	// smaller than Size. Default 0.
	Overlap int
	// MinChars is how many runes a chunk must have in front of the punctuation mark at
	// which it is cut. Default 350.
	MinChars int
	// MinLength is the number of runes, white space at the ends left out, that a chunk must
	// exceed; shorter ones are dropped. Default 5.
	MinLength int
	// MaxChunks is the maximum number of chunks, the dropped ones included. What is left
	// after them becomes one more chunk with [rag.Chunk].Rest, or an error with
	// FailOnRest. Default 10,000.
	MaxChunks  int
	FailOnRest bool
	// ReplaceLineBreaks replaces every line break character of a chunk by a space.
	ReplaceLineBreaks bool
	// Marks are the characters after which a chunk may end. Empty: full stop, question
	// mark, exclamation mark and line break, and also those of Chinese and Japanese if
	// most letters of the text are not Latin.
	Marks string
}

// DefaultTokenOptions returns the defaults.
func DefaultTokenOptions() TokenOptions {
	return TokenOptions{Size: 800, MinChars: 350, MinLength: 5, MaxChunks: 10_000}
}

const (
	latinMarks = ".?!\n"
	wideMarks  = latinMarks + "。？！…"
)

// Token returns a splitter that takes Size tokens at a time, and ends a chunk after its
// last punctuation mark if that leaves more than MinChars runes. The last chunk is not cut
// so. nil means the defaults.
//
// Chunks are slices of the text, never decoded tokens: every character that is not white
// space is in a chunk or in a dropped one, and no character is divided. A text that is not
// valid UTF-8 is an error.
func Token(tokenizer rag.Tokenizer, opts *TokenOptions) (rag.Splitter, error) {
	if tokenizer == nil {
		return nil, fmt.Errorf("splitter: there is no tokenizer: Approximate returns one: %w", rag.ErrInvalid)
	}
	o := DefaultTokenOptions()
	if opts != nil {
		o = *opts
	}
	switch {
	case o.Size <= 0:
		return nil, fmt.Errorf("splitter: Size is %d: it must be positive: %w", o.Size, rag.ErrInvalid)
	case o.Overlap < 0 || o.Overlap >= o.Size:
		return nil, fmt.Errorf("splitter: Overlap is %d: it must be from 0 to below the Size of %d: %w", o.Overlap, o.Size, rag.ErrInvalid)
	case o.MinChars < 0 || o.MinLength < 0:
		return nil, fmt.Errorf("splitter: MinChars and MinLength must not be negative: %w", rag.ErrInvalid)
	case o.MaxChunks <= 0:
		return nil, fmt.Errorf("splitter: MaxChunks is %d: it must be positive: %w", o.MaxChunks, rag.ErrInvalid)
	}
	return &tokenSplitter{tokenizer, o}, nil
}

type tokenSplitter struct {
	tokenizer rag.Tokenizer
	opts      TokenOptions
}

func (s *tokenSplitter) Split(ctx context.Context, text string) ([]rag.Chunk, error) {
	tokens, err := tokenize(ctx, s.tokenizer, text)
	if err != nil || tokens == nil {
		return nil, err
	}
	return s.split(ctx, tokens, 0, len(text))
}

// split divides the part of a text from at to end.
func (s *tokenSplitter) split(ctx context.Context, tokens *tokenized, at, end int) ([]rag.Chunk, error) {
	marks := s.opts.Marks
	if marks == "" {
		marks = marksOf(tokens.text[at:end])
	}
	var chunks []rag.Chunk
	keep := func(from, to int, rest bool) {
		if c, ok := s.chunk(tokens, from, to); ok {
			c.Rest = rest
			chunks = append(chunks, c)
		}
	}
	covered := at // the end of the previous chunk: a chunk must go beyond it
	for windows := 0; at < end; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if windows == s.opts.MaxChunks {
			if s.opts.FailOnRest && strings.TrimSpace(tokens.text[covered:end]) != "" {
				return nil, fmt.Errorf("splitter: the text has more than %d chunks: %w", s.opts.MaxChunks, rag.ErrInvalid)
			}
			if strings.TrimSpace(tokens.text[covered:end]) != "" {
				keep(at, end, true)
			}
			break
		}
		cut := min(tokens.after(at, s.opts.Size), end)
		if cut < end {
			window := tokens.text[at:cut]
			if i := strings.LastIndexAny(window, marks); i >= 0 && utf8.RuneCountInString(window[:i]) > s.opts.MinChars {
				_, width := utf8.DecodeRuneInString(window[i:])
				if at+i+width > covered {
					cut = at + i + width
				}
			}
		}
		if cut <= covered || strings.TrimSpace(tokens.text[covered:cut]) == "" {
			at = max(covered, cut) // nothing new, which is not counted
			continue
		}
		keep(at, cut, false)
		windows++
		if cut == end {
			break
		}
		at, covered = s.next(tokens, at, cut), cut
	}
	return chunks, nil
}

// next returns where the window after the one from at to cut begins.
func (s *tokenSplitter) next(tokens *tokenized, at, cut int) int {
	if s.opts.Overlap == 0 {
		return cut
	}
	trimmed := at + len(strings.TrimRightFunc(tokens.text[at:cut], unicode.IsSpace))
	i := max(tokens.startingFrom(trimmed)-s.opts.Overlap, tokens.holding(at)+1)
	next := tokens.start(i)
	for next > at && next < len(tokens.text) && !utf8.RuneStart(tokens.text[next]) {
		next--
	}
	if next <= at || next > cut {
		return cut
	}
	return next
}

// chunk makes a chunk of a part of the text, unless it is too short.
func (s *tokenSplitter) chunk(tokens *tokenized, from, to int) (rag.Chunk, bool) {
	c := tokens.chunk(from, to)
	if utf8.RuneCountInString(c.Text) <= s.opts.MinLength {
		return c, false
	}
	if s.opts.ReplaceLineBreaks {
		c.Text = lineBreaks.Replace(c.Text)
	}
	return c, true
}

var lineBreaks = strings.NewReplacer("\r", " ", "\n", " ")

// marksOf returns the punctuation marks for a text: those of Chinese and Japanese are
// added if fewer than half of its letters are Latin.
func marksOf(text string) string {
	letters, latin := 0, 0
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf:
			if r|0x20 >= 'a' && r|0x20 <= 'z' {
				letters++
				latin++
			}
		case unicode.IsLetter(r):
			letters++
			if unicode.Is(unicode.Latin, r) {
				latin++
			}
		}
	}
	if latin*2 < letters {
		return wideMarks
	}
	return latinMarks
}

// tokenized is a text with the ends of its tokens.
type tokenized struct {
	text string
	ends []int
}

// tokenize returns nil for a blank text.
func tokenize(ctx context.Context, tokenizer rag.Tokenizer, text string) (*tokenized, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("splitter: the text is not valid UTF-8: %w", rag.ErrInvalid)
	}
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	ends, err := tokenizer.Tokens(text)
	if err != nil {
		return nil, fmt.Errorf("splitter: %w", err)
	}
	last := 0
	for _, end := range ends {
		if end <= last || end > len(text) {
			return nil, fmt.Errorf("splitter: the tokenizer %s returns offsets that do not ascend: %w", tokenizer.Name(), rag.ErrInvalid)
		}
		last = end
	}
	if last != len(text) {
		return nil, fmt.Errorf("splitter: the tokens of %s end at %d of %d bytes: %w", tokenizer.Name(), last, len(text), rag.ErrInvalid)
	}
	return &tokenized{text, ends}, nil
}

// holding returns the index of the token that holds the byte at an offset.
func (t *tokenized) holding(at int) int { return sort.SearchInts(t.ends, at+1) }

// startingFrom returns the index of the first token that starts at an offset or after it.
func (t *tokenized) startingFrom(at int) int {
	if at == 0 {
		return 0
	}
	return min(sort.SearchInts(t.ends, at)+1, len(t.ends))
}

func (t *tokenized) start(i int) int {
	if i <= 0 {
		return 0
	}
	return t.ends[min(i, len(t.ends))-1]
}

// after returns where n tokens end that begin at an offset, moved back to the border of a
// character, or forward if that would leave nothing.
func (t *tokenized) after(at, n int) int {
	first := t.holding(at)
	last := min(first+n, len(t.ends)) - 1
	for i := last; i >= first; i-- {
		if end := t.ends[i]; end == len(t.text) || utf8.RuneStart(t.text[end]) {
			return end
		}
	}
	end := t.ends[last]
	for end < len(t.text) && !utf8.RuneStart(t.text[end]) {
		end++
	}
	return end
}

// count returns how many tokens a part of the text touches without the white space at its
// ends.
func (t *tokenized) count(from, to int) int {
	part := strings.TrimLeftFunc(t.text[from:to], unicode.IsSpace)
	from = to - len(part)
	to = from + len(strings.TrimRightFunc(part, unicode.IsSpace))
	if from >= to {
		return 0
	}
	return t.holding(to-1) - t.holding(from) + 1
}

// chunk returns a part of the text without white space at its ends.
func (t *tokenized) chunk(from, to int) rag.Chunk {
	c := rag.Chunk{Tokens: t.count(from, to)}
	part := t.text[from:to]
	c.Text = strings.TrimSpace(part)
	c.Start = from + strings.Index(part, c.Text)
	c.End = c.Start + len(c.Text)
	return c
}

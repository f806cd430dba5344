package splitter

import (
	"context"
	"fmt"
	"math"
	"strings"
	"unicode"

	"github.com/clipperhouse/uax29/v2/sentences"

	"github.com/localpass/localpass/rag"
)

// SentenceOptions are the options of [Sentence]. The zero value works.
type SentenceOptions struct {
	// Size is the largest number of tokens of a chunk. Default 200. A longer sentence is
	// divided like a text of [Token].
	Size int
	// Overlap is how many sentences of a chunk the next one repeats, if they fit. Default
	// 0.
	Overlap int
	// Window makes every sentence a chunk, whose Context is the sentence with so many
	// sentences before and after it; Overlap must be 0. Default 0: chunks are as many
	// sentences as fit into Size.
	Window int
}

// Sentence returns a splitter that never divides a sentence that fits. Sentences end where
// Unicode's rules (UAX #29) say, and at blank lines, but not after an abbreviation such as
// "Dr." or "e.g.", nor after an initial.
func Sentence(tokenizer rag.Tokenizer, opts *SentenceOptions) (rag.Splitter, error) {
	var o SentenceOptions
	if opts != nil {
		o = *opts
	}
	if o.Size == 0 {
		o.Size = 200
	}
	switch {
	case o.Size < 0 || o.Overlap < 0 || o.Window < 0:
		return nil, fmt.Errorf("splitter: Size, Overlap and Window must not be negative: %w", rag.ErrInvalid)
	case o.Window > 0 && o.Overlap > 0:
		return nil, fmt.Errorf("splitter: Overlap is for chunks of several sentences: it must be 0 with a Window: %w", rag.ErrInvalid)
	}
	within, err := tokensWithin(tokenizer, o.Size)
	if err != nil {
		return nil, err
	}
	return &sentenceSplitter{within, o}, nil
}

// tokensWithin returns the splitter of what is too long for another one: it drops nothing.
func tokensWithin(tokenizer rag.Tokenizer, size int) (*tokenSplitter, error) {
	s, err := Token(tokenizer, &TokenOptions{Size: size, MaxChunks: math.MaxInt})
	if err != nil {
		return nil, err
	}
	return s.(*tokenSplitter), nil
}

type sentenceSplitter struct {
	within *tokenSplitter
	opts   SentenceOptions
}

// span is a part of a text.
type span struct{ from, to int }

func (s *sentenceSplitter) Split(ctx context.Context, text string) ([]rag.Chunk, error) {
	tokens, err := tokenize(ctx, s.within.tokenizer, text)
	if err != nil || tokens == nil {
		return nil, err
	}
	spans := sentencesOf(text)
	var chunks []rag.Chunk
	if s.opts.Window > 0 {
		for i, one := range spans {
			from, to := spans[max(0, i-s.opts.Window)].from, spans[min(len(spans)-1, i+s.opts.Window)].to
			parts, err := s.fit(ctx, tokens, one)
			if err != nil {
				return nil, err
			}
			for _, c := range parts {
				c.Context = strings.TrimSpace(text[from:to])
				chunks = append(chunks, c)
			}
		}
		return chunks, nil
	}
	for i := 0; i < len(spans); {
		whole, next := spans[i], i+1
		for next < len(spans) && tokens.count(whole.from, spans[next].to) <= s.opts.Size {
			whole.to = spans[next].to
			next++
		}
		parts, err := s.fit(ctx, tokens, whole)
		if err != nil {
			return nil, err
		}
		chunks = append(chunks, parts...)
		if next == len(spans) {
			break
		}
		i = s.overlap(tokens, spans, i, next)
	}
	return chunks, nil
}

// overlap returns the first sentence of the chunk after the one from i to before next.
func (s *sentenceSplitter) overlap(tokens *tokenized, spans []span, i, next int) int {
	for from := max(i+1, next-s.opts.Overlap); from < next; from++ {
		if tokens.count(spans[from].from, spans[next].to) <= s.opts.Size {
			return from
		}
	}
	return next
}

func (s *sentenceSplitter) fit(ctx context.Context, tokens *tokenized, part span) ([]rag.Chunk, error) {
	if tokens.count(part.from, part.to) > s.opts.Size {
		return s.within.split(ctx, tokens, part.from, part.to)
	}
	return []rag.Chunk{tokens.chunk(part.from, part.to)}, ctx.Err()
}

// sentencesOf divides a text into sentences that are not blank.
func sentencesOf(text string) []span {
	var spans []span
	at := 0
	add := func(to int) {
		if strings.TrimSpace(text[at:to]) != "" {
			spans = append(spans, span{at, to})
		}
		at = to
	}
	// A line break ends a sentence by the rules of Unicode; in most texts only a blank
	// line does.
	joined := strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, text)
	for i := 0; i < len(text); {
		end := len(text)
		if blank := blankLine(text[i:]); blank > 0 {
			end = i + blank
		}
		for it := sentences.FromString(joined[i:end]); it.Next(); {
			if to := i + it.End(); to == end || !abbreviated(joined[at:to]) {
				add(to)
			}
		}
		add(end)
		i = end
	}
	return spans
}

// blankLine returns where the text after the first blank line begins, or 0.
func blankLine(text string) int {
	for i := 0; i < len(text); {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			return 0
		}
		i += n + 1
		rest := strings.TrimLeft(text[i:], " \t\r")
		if strings.HasPrefix(rest, "\n") {
			return len(text) - len(strings.TrimLeft(rest, " \t\r\n"))
		}
	}
	return 0
}

var abbreviations = map[string]bool{
	"dr": true, "mr": true, "mrs": true, "ms": true, "prof": true, "st": true, "vs": true, "no": true, "nr": true, "fig": true, "vol": true,
	"pp": true, "e.g": true, "i.e": true, "cf": true, "al": true, "approx": true, "ca": true, "z.b": true, "bzw": true, "d.h": true, "inc": true,
}

// abbreviated reports whether a sentence ends with an abbreviation or an initial, so that
// it goes on.
func abbreviated(sentence string) bool {
	sentence, ok := strings.CutSuffix(strings.TrimRightFunc(sentence, unicode.IsSpace), ".")
	if !ok {
		return false
	}
	word := sentence[strings.LastIndexFunc(sentence, func(r rune) bool { return unicode.IsSpace(r) || r == '(' || r == '"' })+1:]
	if len(word) == 1 && word[0] >= 'A' && word[0] <= 'Z' && word != "I" {
		return true
	}
	return abbreviations[strings.ToLower(word)]
}

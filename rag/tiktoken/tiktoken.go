// Package tiktoken counts tokens exactly as OpenAI's models do, with the vocabularies
// built into the program, which become 12 MB larger. A program that can do with an
// estimate uses the approximate tokenizer of package rag/splitter instead.
//
// It adapts github.com/tiktoken-go/tokenizer. pkoukk/tiktoken-go gives the same counts,
// but takes twice as long, and downloads its vocabularies at run time.
package tiktoken

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"

	"github.com/localpass/localpass/rag"
)

// The encodings. An embedding model of OpenAI uses CL100K.
const (
	CL100K = "cl100k_base"
	O200K  = "o200k_base"
	P50K   = "p50k_base"
	R50K   = "r50k_base"
)

// New returns the tokenizer of an encoding. Empty means [CL100K]. The first use of an
// encoding takes 0.1 s to 0.2 s.
func New(encoding string) (rag.Tokenizer, error) {
	switch encoding {
	case "":
		encoding = CL100K
	case CL100K, O200K, P50K, R50K:
	default:
		return nil, fmt.Errorf("tiktoken: there is no encoding %q: it must be %s, %s, %s or %s: %w", encoding, CL100K, O200K, P50K, R50K, rag.ErrInvalid)
	}
	codec, err := tokenizer.Get(tokenizer.Encoding(encoding))
	if err != nil {
		return nil, fmt.Errorf("tiktoken: %w", err)
	}
	return &encoder{encoding, codec}, nil
}

type encoder struct {
	name  string
	codec tokenizer.Codec
}

func (e *encoder) Name() string { return e.name }

// segmentBytes is how much text is encoded at a time: the library copies the text as
// runes, which is four times as large.
const segmentBytes = 64 << 10

// Tokens returns where the tokens of a text end. The text must be valid UTF-8.
func (e *encoder) Tokens(text string) ([]int, error) {
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("tiktoken: the text is not valid UTF-8: %w", rag.ErrInvalid)
	}
	ends := make([]int, 0, len(text)/4+1)
	at := 0
	for at < len(text) {
		n := segment(text[at:])
		_, tokens, err := e.codec.Encode(text[at : at+n])
		if err != nil {
			return nil, fmt.Errorf("tiktoken: %w", err)
		}
		end := at
		at += n
		for _, token := range tokens {
			// The library leaves out a few bytes that have a token, such as DEL.
			for end < at && !strings.HasPrefix(text[end:at], token) {
				end++
				ends = append(ends, end)
			}
			if end += len(token); end <= at {
				ends = append(ends, end)
			}
		}
		for end < at {
			end++
			ends = append(ends, end)
		}
	}
	return ends, nil
}

// segment returns the length of the part of a text to encode next. It ends between a line
// break and a letter or digit, where a token ends in every encoding.
func segment(text string) int {
	for from := segmentBytes; from < len(text); {
		i := strings.IndexByte(text[from:], '\n')
		if i < 0 || from+i+1 == len(text) {
			break
		}
		from += i + 1
		if c := text[from]; c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return from
		}
	}
	return len(text)
}

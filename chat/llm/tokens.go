package llm

import (
	"unicode"

	"github.com/localpass/localpass/toolspec"
)

// Weights of the estimate: what a message, a tool and a picture cost beside their
// text.
const (
	tokensPerMessage = 4
	tokensPerTool    = 8
	tokensPerImage   = 1100
	// tokensPerDocument is what the marks around a document cost.
	tokensPerDocument = 60
)

// EstimateText estimates the tokens of a text: four bytes to a token in scripts
// that models split into words, one and a half characters in Chinese, Japanese
// and Korean, two otherwise. It is an estimate: keep a margin.
func EstimateText(s string) int {
	ascii, dense, other := 0, 0, 0
	for _, r := range s {
		switch {
		case r < 0x80:
			ascii++
		case unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana):
			dense++
		default:
			other++
		}
	}
	return (3*ascii + 8*dense + 6*other + 11) / 12
}

// EstimateTokens estimates what a message costs, its pictures and calls
// included.
func EstimateTokens(m *Message) int {
	n := tokensPerMessage
	for _, p := range m.Parts {
		n += EstimatePart(p)
	}
	return n
}

// EstimatePart estimates what one part of a message costs; a [Card] and a part of
// an unknown kind are sent to no model and cost nothing.
func EstimatePart(p Part) int {
	switch p := p.(type) {
	case Text:
		return EstimateText(p.Text)
	case Reasoning:
		return EstimateText(p.Text)
	case Refusal:
		return EstimateText(p.Text)
	case Image:
		return tokensPerImage
	case Document:
		return tokensPerDocument + EstimateText(p.Name) + EstimateText(p.Text)
	case ToolCall:
		return tokensPerTool + EstimateText(p.Name) + EstimateText(string(p.Arguments))
	case ToolResult:
		return tokensPerTool + EstimateText(p.Text())
	}
	return 0
}

// EstimateTool estimates what the definition of an offered tool costs.
func EstimateTool(def *toolspec.Definition) int {
	return tokensPerTool + EstimateText(def.Name) + EstimateText(def.Description) + EstimateText(string(def.InputSchema))
}

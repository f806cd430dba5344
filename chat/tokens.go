package chat

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
		switch p := p.(type) {
		case Text:
			n += EstimateText(p.Text)
		case Reasoning:
			n += EstimateText(p.Text)
		case Refusal:
			n += EstimateText(p.Text)
		case Image:
			n += tokensPerImage
		case Document:
			n += estimateDocument(&p)
		case ToolCall:
			n += tokensPerTool + EstimateText(p.Name) + EstimateText(string(p.Arguments))
		case ToolResult:
			n += tokensPerTool + EstimateText(p.Text())
		}
	}
	return n
}

func estimateTool(def *toolspec.Definition) int {
	return tokensPerTool + EstimateText(def.Name) + EstimateText(def.Description) + EstimateText(string(def.InputSchema))
}

package conversation

import (
	"fmt"
	"strings"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/clip"
)

// ToolHistory says what a model sees of the tool rounds of earlier turns.
type ToolHistory string

// The values.
const (
	// ToolSummaries shows one line per call: the name, whether it succeeded, and the
	// first 200 characters of the result. Without it, small models repeat calls that they
	// cannot see.
	ToolSummaries ToolHistory = ""
	ToolFull      ToolHistory = "full"
	ToolNothing   ToolHistory = "none"
)

// summaryMaxChars is the maximum length, in runes, of a result in the line of its call.
const summaryMaxChars = 200

// Apply returns the messages of an ended turn, oldest first, with its tool rounds shown
// according to h. It does not change turn; unchanged messages are shared.
func (h ToolHistory) Apply(turn []llm.Message) []llm.Message {
	if h == ToolFull {
		return turn
	}
	out := make([]llm.Message, 0, len(turn))
	for i := range turn {
		m := turn[i]
		switch {
		case m.Role == llm.RoleTool:
		case m.Role == llm.RoleAssistant && len(m.ToolCalls()) > 0:
			text := m.Text()
			if h != ToolNothing {
				text = strings.TrimLeft(text+"\n"+h.summary(&m, resultsAfter(turn[i+1:])), "\n")
			}
			if text == "" {
				continue
			}
			m.Parts = []llm.Part{llm.Text{Text: text}}
			m.Provider = nil
			out = append(out, m)
		default:
			out = append(out, m)
		}
	}
	return out
}

func resultsAfter(rest []llm.Message) []llm.ToolResult {
	if len(rest) > 0 && rest[0].Role == llm.RoleTool {
		return rest[0].Results()
	}
	return nil
}

// summary returns one line for each call.
func (h ToolHistory) summary(m *llm.Message, results []llm.ToolResult) string {
	var b strings.Builder
	for _, c := range m.ToolCalls() {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		outcome, text := "no result", ""
		for i := range results {
			if r := &results[i]; r.CallID == c.ID {
				outcome, text = "ok", r.Text()
				if r.IsError {
					outcome = "failed"
				}
			}
		}
		fmt.Fprintf(&b, "[earlier tool call: %s, %s", c.Name, outcome)
		if text != "" {
			b.WriteString(": " + clip.OneLine(text, summaryMaxChars))
		}
		b.WriteByte(']')
	}
	return b.String()
}

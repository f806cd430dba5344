package chat

import (
	"cmp"
	"fmt"
	"github.com/localpass/localpass/internal/clip"
	"slices"
	"strings"
)

// Apply returns the part of a history that goes along with a question: the system
// messages, then the newest whole turns that fit both limits. A turn begins at a
// message of a person; it is never cut in two, so a call keeps its result. The
// last turn is there whole even when it alone is over a limit. Summaries of what
// lies before are kept while they are the oldest that fits.
//
// The tool rounds of earlier turns are shown as Tools says. messages is not
// changed.
func (w Window) Apply(messages []Message) []Message {
	limit, count := cmp.Or(w.Messages, defaultWindow), w.Count
	if count == nil {
		count = EstimateTokens
	}
	var out []Message
	used, tokens := 0, 0
	for i := range messages {
		if messages[i].Role == RoleSystem {
			out = append(out, messages[i])
			used++
			tokens += count(&messages[i])
		}
	}
	turns := turnsOf(messages)
	first := len(turns)
	var kept [][]Message
	for first > 0 {
		turn := turns[first-1]
		if first < len(turns) {
			turn = w.Tools.apply(turn)
		}
		size := 0
		for i := range turn {
			size += count(&turn[i])
		}
		if first < len(turns) && (used+len(turn) > limit || w.Tokens > 0 && tokens+size > w.Tokens) {
			break
		}
		used, tokens = used+len(turn), tokens+size
		kept = append(kept, turn)
		first--
	}
	slices.Reverse(kept)
	for _, turn := range kept {
		out = append(out, turn...)
	}
	return out
}

// turnsOf splits a history, without its system messages, into turns. What stands
// before the first message of a person is a turn of its own.
func turnsOf(messages []Message) [][]Message {
	var turns [][]Message
	for i := range messages {
		switch m := messages[i]; {
		case m.Role == RoleSystem:
		case m.Role == RoleUser, m.Role == RoleSummary, len(turns) == 0:
			turns = append(turns, []Message{m})
		default:
			turns[len(turns)-1] = append(turns[len(turns)-1], m)
		}
	}
	return turns
}

// apply rewrites the tool rounds of a turn that is over.
func (h ToolHistory) apply(turn []Message) []Message {
	if h == ToolFull {
		return turn
	}
	out := make([]Message, 0, len(turn))
	for i := range turn {
		m := turn[i]
		switch {
		case m.Role == RoleTool:
		case m.Role == RoleAssistant && len(m.ToolCalls()) > 0:
			text := m.Text()
			if h != ToolNothing {
				text = strings.TrimLeft(text+"\n"+h.summary(&m, resultsAfter(turn[i+1:])), "\n")
			}
			if text == "" {
				continue
			}
			m.Parts = []Part{Text{Text: text}}
			m.Provider = nil
			out = append(out, m)
		default:
			out = append(out, m)
		}
	}
	return out
}

func resultsAfter(rest []Message) []ToolResult {
	if len(rest) > 0 && rest[0].Role == RoleTool {
		return rest[0].Results()
	}
	return nil
}

// summary is a line for each call.
func (h ToolHistory) summary(m *Message, results []ToolResult) string {
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

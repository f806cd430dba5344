package chat

import (
	"slices"

	"github.com/localpass/localpass/chat/llm"
)

// joinAssistants returns messages in which no assistant message follows another, because
// some servers refuse that, and models treat the second as a new answer. Two such
// messages, for example the note about an earlier tool round and the answer after it,
// become one with the parts of both. A list without such a pair is returned unchanged.
func joinAssistants(messages []llm.Message) []llm.Message {
	follows := func(list []llm.Message, m *llm.Message) bool {
		n := len(list) - 1
		return n >= 0 && m.Role == llm.RoleAssistant && list[n].Role == llm.RoleAssistant && len(list[n].ToolCalls()) == 0
	}
	var out []llm.Message
	for i := range messages {
		m := messages[i]
		if !follows(messages[:i], &m) {
			if out != nil {
				out = append(out, m)
			}
			continue
		}
		if out == nil {
			out = slices.Clone(messages[:i])
		}
		last := &out[len(out)-1]
		parts := slices.Clone(last.Parts)
		rest := m.Parts
		if before, ok := lastText(parts); ok && len(rest) > 0 {
			if text, ok := rest[0].(llm.Text); ok {
				parts[len(parts)-1] = llm.Text{Text: before + "\n\n" + text.Text}
				rest = rest[1:]
			}
		}
		m.Parts = append(parts, rest...)
		if len(m.ToolCalls()) == 0 { // provider state belongs to only one of the two messages
			m.Provider, m.ItemID = nil, ""
		}
		*last = m
	}
	if out == nil {
		return messages
	}
	return out
}

func lastText(parts []llm.Part) (string, bool) {
	if len(parts) == 0 {
		return "", false
	}
	text, ok := parts[len(parts)-1].(llm.Text)
	return text.Text, ok
}

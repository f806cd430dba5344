package chat

import (
	"cmp"
	"slices"

	"github.com/localpass/localpass/chat/llm"
)

// Apply returns the part of a history to send with a question: the system messages, then
// the newest whole turns that fit both limits. A turn begins at a user message and is
// never split, so a call keeps its result. The last turn is always included completely,
// even if it alone exceeds a limit. Summaries of earlier turns are kept if they are the
// oldest messages that fit.
//
// The tool rounds of earlier turns are shown as Tools says. messages is not
// changed.
func (w Window) Apply(messages []llm.Message) []llm.Message {
	limit, count := cmp.Or(w.Messages, defaultWindow), w.Count
	if count == nil {
		count = llm.EstimateTokens
	}
	var out []llm.Message
	used, tokens := 0, 0
	for i := range messages {
		if messages[i].Role == llm.RoleSystem {
			out = append(out, messages[i])
			used++
			tokens += count(&messages[i])
		}
	}
	turns := turnsOf(messages)
	first := len(turns)
	var kept [][]llm.Message
	for first > 0 {
		turn := turns[first-1]
		if first < len(turns) {
			turn = w.Tools.Apply(turn)
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

// turnsOf splits a history, without its system messages, into turns. The messages before
// the first user message form a separate turn.
func turnsOf(messages []llm.Message) [][]llm.Message {
	var turns [][]llm.Message
	for i := range messages {
		switch m := messages[i]; {
		case m.Role == llm.RoleSystem:
		case m.Role == llm.RoleUser, m.Role == llm.RoleSummary, len(turns) == 0:
			turns = append(turns, []llm.Message{m})
		default:
			turns[len(turns)-1] = append(turns[len(turns)-1], m)
		}
	}
	return turns
}

package demo

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/clip"
)

// turn is what a request says, as far as the rules go.
type turn struct {
	question string // with the answers to what was asked back
	last     string // the last message alone
	reply    string // the last of those answers
	asked    string // the tool that they are for
	context  string // text that came along with the question
	labelled bool   // the answer already names its author
	calls    []llm.ToolCall
	results  []llm.ToolResult
}

// called reports whether a tool was called in this turn.
func (t *turn) called(name string) bool {
	return slices.ContainsFunc(t.calls, func(c llm.ToolCall) bool { return c.Name == name })
}

// mostAsked is how many questions that were asked back are followed.
const mostAsked = 8

func readTurn(req *llm.ModelRequest) *turn {
	t := &turn{}
	at := len(req.Messages) - 1
	for ; at >= 0; at-- {
		if m := &req.Messages[at]; m.Role == llm.RoleUser && m.Round == 0 {
			break
		}
	}
	for i := range req.Messages {
		m := &req.Messages[i]
		t.labelled = t.labelled || m.Role == llm.RoleAssistant && strings.Contains(m.Text(), label)
		if i > at {
			t.calls = append(t.calls, m.ToolCalls()...)
			t.results = append(t.results, unmarked(m.Results())...)
		}
	}
	if at < 0 {
		return t
	}
	t.question, t.context = lastText(&req.Messages[at])
	t.last = t.question
	for n := 0; n < mostAsked && at > 1; n++ {
		before, earlier := &req.Messages[at-1], &req.Messages[at-2]
		if before.Role != llm.RoleAssistant || earlier.Role != llm.RoleUser {
			break
		}
		name := askedFor(before.Text(), req)
		if name == "" || t.asked != "" && name != t.asked {
			break
		}
		if t.asked == "" {
			t.asked, t.reply = name, strings.Trim(t.question, " \t\n.!\"")
		}
		question, _ := lastText(earlier)
		t.question = question + " — " + t.question
		at -= 2
	}
	return t
}

// lastText is the last text of a message, which is the person's own, and what precedes
// it.
func lastText(m *llm.Message) (last, before string) {
	for _, p := range m.Parts {
		if text, ok := p.(llm.Text); ok {
			before += last
			last = text.Text
		}
	}
	return strings.ToValidUTF8(last, "\ufffd"), before
}

// objects are what tools of this turn gave, as far as it is JSON.
func (t *turn) objects() (all []map[string]any) {
	for i := range t.results {
		r := &t.results[i]
		if r.IsError {
			continue
		}
		if m, ok := value(r.Structured).(map[string]any); ok {
			all = append(all, m)
			continue
		}
		all = append(all, objectsIn(clip.Bytes(r.Text(), maxEvidence))...)
	}
	return all
}

// text is what tools of this turn gave, as text.
func (t *turn) resultText() string {
	var b strings.Builder
	for i := range t.results {
		if !t.results[i].IsError {
			b.WriteString(" — " + clip.Bytes(t.results[i].Text(), 1024))
		}
	}
	return b.String()
}

// step is what the model does.
type step struct {
	thoughts []string
	text     string
	calls    []call
}

type call struct {
	name      string
	arguments json.RawMessage
}

// unmarked is results without the lines that say from which server they come: those
// are for models that may take what they read for orders, which this one cannot.
func unmarked(results []llm.ToolResult) []llm.ToolResult {
	for i := range results {
		r := &results[i]
		for len(r.Content) > 1 && (strings.HasPrefix(r.Content[0].Text, "[What follows comes from the server ") || strings.HasPrefix(r.Content[0].Text, "[Caution: it ")) {
			r.Content = r.Content[1:]
		}
	}
	return results
}

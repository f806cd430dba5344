package chat

import (
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/poison"
	"github.com/localpass/localpass/toolspec"
)

// serverOf is the server that a tool comes from, empty for one of this program.
func serverOf(t toolspec.Tool) string {
	if s, ok := t.(interface{ Server() string }); ok {
		return s.Server()
	}
	return ""
}

// external puts the name of the server before a result that another server gave, and a
// warning before one that reads like instructions to the model: the author of such a
// text is not the user. What people see is the result as it came.
func (b *batch) external(c *batchCall, r *llm.ToolResult) {
	server := serverOf(c.tool)
	if server == "" || r.Outcome != llm.OutcomeExecuted {
		return
	}
	content := []toolspec.Content{toolspec.Text(b.m.opts.ToolMessage(ToolMessage{Outcome: ToolMessageExternal, Tool: c.Name, Note: server}))}
	if why := suspicion(r.Text()); why != "" {
		content = append(content, toolspec.Text(b.m.opts.ToolMessage(ToolMessage{Outcome: ToolMessageSuspicious, Tool: c.Name, Note: why})))
		b.send(&Warned{Warning: Warning{Code: WarnSuspicious, Message: "what " + c.Name + " of the server " + server + " gave " + why}})
	}
	r.Content = append(content, r.Content...)
}

// suspicion says what the worst place in a text does, completing "it …"; empty when
// there is none that matters.
func suspicion(text string) string {
	high := ""
	for _, f := range poison.Scan(text) {
		switch {
		case f.Severity == poison.Critical:
			return poison.Why(f.Rule)
		case f.Severity == poison.High && high == "":
			high = poison.Why(f.Rule)
		}
	}
	return high
}

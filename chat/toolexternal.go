package chat

import (
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/poison"
	"github.com/localpass/localpass/toolspec"
)

// serverOf returns the server of a tool, empty for a tool of this program.
func serverOf(t toolspec.Tool) string {
	if s, ok := t.(interface{ Server() string }); ok {
		return s.Server()
	}
	return ""
}

// external adds the name of the server before a result from another server, and a warning
// if the result reads like instructions to the model, because the user did not write such
// a text. The result that users see is not changed.
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

// suspicion describes the most severe finding in a text, completing "it …"; empty if
// there is no serious one.
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

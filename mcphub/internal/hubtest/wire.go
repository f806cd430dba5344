package hubtest

import (
	"encoding/json"
	"strings"
	"sync"

	"github.com/localpass/localpass/mcphub/client"
)

// Everybody answers all questions.
var Everybody = client.ClientCapabilities{Form: true, URL: true, Sampling: true, Roots: true}

// NameForm are the params of a question for a name.
const NameForm = `{"mode":"form","message":"Who are you?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}`

// MemberOf is a member of an object; empty when there is none.
func MemberOf(raw json.RawMessage, name string) string {
	var all map[string]json.RawMessage
	_ = json.Unmarshal(raw, &all)
	return string(all[name])
}

// WireLog keeps what a tap is told of.
type WireLog struct {
	mu sync.Mutex
	// All are the messages in order.
	All []client.WireMessage
}

// Note keeps a message.
func (l *WireLog) Note(m client.WireMessage) {
	l.mu.Lock()
	l.All = append(l.All, m)
	l.mu.Unlock()
}

// Lines are "> method" for what was sent, "< method" for what came; a response
// has its id in place of the method.
func (l *WireLog) Lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := []string{}
	for _, m := range l.All {
		arrow, what := "<", m.Method
		if m.Sent {
			arrow = ">"
		}
		if what == "" {
			what = "response"
		}
		out = append(out, arrow+" "+what)
	}
	return out
}

// Text is what the messages say, one a line.
func (l *WireLog) Text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var b strings.Builder
	for _, m := range l.All {
		b.WriteString(m.Text + "\n")
	}
	return b.String()
}

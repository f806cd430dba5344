package hubtest

import (
	"encoding/json"
	"strings"
	"sync"

	"github.com/localpass/localpass/mcphub/client"
)

// Everybody answers all questions.
var Everybody = client.ClientCapabilities{Form: true, URL: true, Sampling: true, Roots: true}

// NameForm holds the params of a question for a name.
const NameForm = `{"mode":"form","message":"Who are you?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}`

// MemberOf returns a member of an object; empty if there is none.
func MemberOf(raw json.RawMessage, name string) string {
	var all map[string]json.RawMessage
	_ = json.Unmarshal(raw, &all)
	return string(all[name])
}

// WireLog records the messages of a tap.
type WireLog struct {
	mu sync.Mutex
	// All holds the messages in order.
	All []client.WireMessage
}

// Note records a message.
func (l *WireLog) Note(m client.WireMessage) {
	l.mu.Lock()
	l.All = append(l.All, m)
	l.mu.Unlock()
}

// Lines returns "> method" for each sent message and "< method" for each received one; a
// response has its id instead of the method.
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

// Text returns the texts of the messages, one per line.
func (l *WireLog) Text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var b strings.Builder
	for _, m := range l.All {
		b.WriteString(m.Text + "\n")
	}
	return b.String()
}

package openai

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/localpass/localpass/chat/internal/wire"
	"github.com/localpass/localpass/chat/llm"
)

// droppable maps the members that a request can do without to the names of the options
// that they come from. An empty name means that this package chose the setting; its
// removal is reported only once. Members that change the meaning of a question are not
// included.
var droppable = map[string]string{
	"stream_options": "", "parallel_tool_calls": "",
	"reasoning_effort": "effort", "chat_template_kwargs": "effort",
	"temperature": "temperature", "top_p": "topP", "top_k": "topK",
	"frequency_penalty": "frequencyPenalty", "presence_penalty": "presencePenalty",
	"seed": "seed", "stop": "stop", "tool_choice": "toolChoice", "response_format": "format",
	maxTokensOld: "maxTokens", maxTokensNew: "maxTokens",
}

// aliases are other names that servers use in their errors.
var aliases = map[string]string{"include_usage": "stream_options", "enable_thinking": "chat_template_kwargs"}

// mostRefusals is the maximum number of remembered refusals, and mostRepeats is how often
// one request is repeated without a setting.
const (
	mostRefusals = 1024
	mostRepeats  = 6
)

// refusals remembers the settings that a server has refused, so that they are not sent
// again.
type refusals struct{ memory }

// memory is a bounded set of refusals.
type memory struct {
	mu    sync.Mutex
	known map[refusal]bool
}

// refusal is the refusal of a setting by one model or, if model is empty, by the whole
// server.
type refusal struct{ model, field string }

func newRefusal(model, field string) refusal {
	if droppable[field] == "" {
		model = "" // a setting that is unknown to a server is unknown for all its models
	}
	return refusal{model, field}
}

func (m *memory) add(r refusal) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		m.known = make(map[refusal]bool)
	}
	if len(m.known) < mostRefusals {
		m.known[r] = true
	}
}

func (m *memory) has(r refusal) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known[r]
}

// leaveOut removes the settings from a request that the server has refused before.
func (r *refusals) leaveOut(p *plan) {
	for field := range droppable {
		if _, there := p.body[field]; there && r.has(newRefusal(p.model, field)) {
			p.drop(field, "the server refused it before", droppable[field] != "", r)
		}
	}
}

// drop removes a member from a request. For the limit of the answer, it tries the other
// name first, which does not count as a change.
func (p *plan) drop(field, reason string, tell bool, r *refusals) {
	asked := p.body[field]
	delete(p.body, field)
	switch field {
	case maxTokensOld, maxTokensNew:
		other := maxTokensNew
		if field == maxTokensNew {
			other = maxTokensOld
		}
		if _, there := p.body[other]; !there && r.has(newRefusal(p.model, field)) && !r.has(newRefusal(p.model, other)) {
			p.body[other] = asked
			return
		}
	case "tool_choice":
		if string(asked) == `"none"` { // removing the tools has the same effect
			delete(p.body, "tools")
			delete(p.body, "parallel_tool_calls")
			return
		}
	}
	if tell {
		name := droppable[field]
		if name == "" {
			name = field
		}
		p.adjusted(name, string(asked), "", reason)
	}
}

// retreat removes the member that the server refused from the request, and remembers it.
// It reports whether there is one.
func (r *refusals) retreat(p *plan, e *llm.Error, failure []byte) bool {
	if e.Code != llm.CodeProviderRejected || e.HTTPStatus != http.StatusBadRequest && e.HTTPStatus != http.StatusUnprocessableEntity {
		return false
	}
	field := complaint(p.body, failure)
	if field == "" {
		return false
	}
	if unknown(e.Message) { // otherwise another value might be accepted
		r.add(newRefusal(p.model, field))
	}
	p.drop(field, "the server refused it: "+wire.Clip(e.Message, 120), true, r)
	return true
}

// unknown reports whether a server refuses a setting itself, and not only its value.
func unknown(message string) bool {
	message = strings.ToLower(message)
	for _, words := range [...]string{"support", "unknown", "unrecognized", "unexpected", "not permitted", "not allowed", "extra", "no such", "additional"} {
		if strings.Contains(message, words) {
			return true
		}
	}
	return false
}

// complaint returns the member of a body that a server refuses: the one in a separate
// field of the error, otherwise the first one in the message. A name that is also an
// English word, such as stop, counts only in quotes.
func complaint(body map[string]json.RawMessage, failure []byte) string {
	param, _, _ := strings.Cut(wire.Param(failure), ".")
	if other, ok := aliases[param]; ok {
		param = other
	}
	if _, can := droppable[param]; can && body[param] != nil {
		return param
	}
	if param != "" {
		return "" // the error is about something else
	}
	found, first := "", len(failure)
	look := func(name, field string) {
		if body[field] == nil {
			return
		}
		for from := 0; from < len(failure); {
			at := bytes.Index(failure[from:], []byte(name))
			if at < 0 {
				return
			}
			at += from
			from = at + len(name)
			if wholeName(failure, at, from, strings.Contains(name, "_")) {
				if at < first {
					found, first = field, at
				}
				return
			}
		}
	}
	for field := range droppable {
		look(field, field)
	}
	for name, field := range aliases {
		look(name, field)
	}
	return found
}

// wholeName reports whether text[at:end] is a complete name.
func wholeName(text []byte, at, end int, plain bool) bool {
	var before, after byte = ' ', ' '
	if at > 0 {
		before = text[at-1]
	}
	if end < len(text) {
		after = text[end]
	}
	if !plain {
		return strings.IndexByte("'\"`", before) >= 0 && strings.IndexByte("'\"`\\", after) >= 0
	}
	return !nameByte(before) && !nameByte(after)
}

package openai

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/localpass/localpass/chat/internal/wire"
	"github.com/localpass/localpass/chat/llm"
)

// responsesSetting is a member of a request that can be left out if a server does not
// support it. A setting with an option was requested by the caller, so each answer
// reports that it was left out. The others matter only to this package.
type responsesSetting struct {
	field  string // as servers name it, such as "reasoning.summary"
	option string // its name in chat.Options
	words  string // text that a server may use instead of its name
}

// responsesSettings returns the settings in the order in which they are searched for,
// more specific ones first.
func responsesSettings() []responsesSetting {
	return []responsesSetting{
		{field: "reasoning.summary", words: "reasoning summar"},
		{field: "reasoning.effort", option: "effort"},
		{field: "include", words: "encrypted"},
		{field: "parallel_tool_calls"},
		{field: "temperature", option: "temperature"},
		{field: "top_p", option: "topP"},
		{field: "max_output_tokens", option: "maxTokens"},
		{field: "reasoning", option: "effort"},
	}
}

// responsesRefusals remembers the settings that a server has refused, by model and field.
type responsesRefusals struct{ memory }

// leaveOut removes the settings that the server has refused before.
func (r *responsesRefusals) leaveOut(p *plan) {
	for _, s := range responsesSettings() {
		if !r.has(refusal{p.model, s.field}) {
			continue
		}
		if asked, ok := without(p.body, s.field); ok && s.option != "" {
			p.adjusted(s.option, textOf(asked), "", "the server refused it before")
		}
	}
}

// retreat removes the setting that an error refuses by name, and remembers it. It reports
// whether there is one.
func (r *responsesRefusals) retreat(p *plan, err error, failure []byte) bool {
	var e *llm.Error
	if !errors.As(err, &e) || e.HTTPStatus != http.StatusBadRequest && e.HTTPStatus != http.StatusUnprocessableEntity || e.Code != llm.CodeProviderRejected {
		return false
	}
	s, ok := refusedSetting(failure, p.body)
	if !ok {
		return false
	}
	asked, _ := without(p.body, s.field)
	r.add(refusal{p.model, s.field})
	name := s.option
	if name == "" {
		name = s.field
	}
	p.adjusted(name, textOf(asked), "", "the server refused it: "+wire.Clip(e.Message, 120))
	return true
}

// refusedSetting returns the setting in the body that an error refuses: the one in a
// separate field of the error, otherwise the one in its message.
func refusedSetting(failure []byte, body map[string]json.RawMessage) (responsesSetting, bool) {
	param := wire.Param(failure)
	message := strings.ToLower(string(failure))
	for _, s := range responsesSettings() {
		if _, ok := lookUp(body, s.field); !ok {
			continue
		}
		switch {
		case param != "":
			if param == s.field || strings.HasPrefix(param, s.field+"[") || strings.HasPrefix(param, s.field+".") {
				return s, true
			}
		case hasWord(message, s.field), s.words != "" && strings.Contains(message, s.words):
			return s, true
		}
	}
	return responsesSetting{}, false
}

// hasWord reports whether a message contains a field as a separate word.
func hasWord(message, field string) bool {
	for {
		at := strings.Index(message, field)
		if at < 0 {
			return false
		}
		after := message[at+len(field):]
		if (at == 0 || !partOfName(message[at-1])) && (after == "" || !partOfName(after[0]) || after[0] == '.' && (len(after) == 1 || !partOfName(after[1]))) {
			return true
		}
		message = after
	}
}

func partOfName(c byte) bool {
	return c == '_' || c == '.' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
}

// lookUp returns a member of a body; "a.b" means member b of member a.
func lookUp(body map[string]json.RawMessage, field string) (json.RawMessage, bool) {
	outer, inner, nested := strings.Cut(field, ".")
	raw, ok := body[outer]
	if !ok || !nested {
		return raw, ok
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return nil, false
	}
	raw, ok = members[inner]
	return raw, ok
}

// without removes a member from a body and returns it.
func without(body map[string]json.RawMessage, field string) (json.RawMessage, bool) {
	raw, ok := lookUp(body, field)
	if !ok {
		return nil, false
	}
	outer, inner, nested := strings.Cut(field, ".")
	if !nested {
		delete(body, outer)
		return raw, true
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(body[outer], &members) // cannot fail: it was decoded before
	delete(members, inner)
	if len(members) == 0 {
		delete(body, outer)
		return raw, true
	}
	rest, err := json.Marshal(members)
	if err != nil {
		return nil, false
	}
	body[outer] = rest
	return raw, true
}

package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/localpass/localpass/chat/llm"
)

// protected lists members that belong to the connection, the conversation or the tools.
// No overlay may set them, in any spelling.
var protected = []string{
	"base_url", "api_base", "api_key", "api_version", "api_type", "credential", "credentials", "authorization", "organization", "organization_id", "project",
	"azure", "azure_open_ai_service_version", "azure_endpoint", "git_hub_models", "microsoft_foundry", "microsoft_foundry_service_version",
	"deployment_name", "timeout", "max_retries", "proxy", "headers", "custom_headers", "extra_headers", "extra_query", "extra_body", "tool_callbacks", "tool_context",
}

// OverlayRules says what an overlay may set.
type OverlayRules struct {
	// Fields are the members that the server is known to support, in its spelling, with
	// the JSON types that they may have, separated by spaces: "number integer string
	// boolean object array". An empty value allows any type.
	Fields map[string]string
	// Open allows other members, in the given spelling.
	Open bool
	// Deny names members that the adapter itself sets.
	Deny []string
	// Nest is the name of the object that contains the members in Nested, such as
	// "options". An overlay may also contain this object: {"options":{"seed":1}}.
	Nest string
	// Nested are the members of the object Nest, in the form of Fields.
	Nested map[string]string
}

// Overlay merges a user's own settings, a JSON object, into the body of a request. Names
// match in any spelling, such as snake case and camel case; objects are merged, and null
// removes a member. Overlay reports each member that it does not set: one that is
// protected, denied or unknown, or has a wrong type. An overlay that is not an object
// changes nothing.
func Overlay(body map[string]json.RawMessage, overlay json.RawMessage, rules OverlayRules) []llm.Adjustment {
	if len(bytes.TrimSpace(overlay)) == 0 {
		return nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(overlay, &members); err != nil || members == nil {
		return []llm.Adjustment{{Name: "overlay", Asked: "(not shown)", Reason: "it is not a JSON object; nothing of it was used"}}
	}
	o := overlaying{rules: rules, body: body}
	o.merge(members, false)
	slices.SortFunc(o.adjustments, func(a, b llm.Adjustment) int { return strings.Compare(a.Name, b.Name) })
	return o.adjustments
}

type overlaying struct {
	rules       OverlayRules
	body        map[string]json.RawMessage
	adjustments []llm.Adjustment
}

func (o *overlaying) merge(members map[string]json.RawMessage, nested bool) {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names) // so that always the same of two spellings of one name wins
	for _, name := range names {
		o.member(name, members[name], nested)
	}
}

func (o *overlaying) refuse(name, asked, reason string) {
	o.adjustments = append(o.adjustments, llm.Adjustment{Name: Clip(name, 60), Asked: asked, Reason: reason})
}

// member sets one member. nested says that it was inside the object Nest.
func (o *overlaying) member(name string, value json.RawMessage, nested bool) {
	folded, plain := fold(name)
	switch {
	case !plain:
		o.refuse(name, "(not shown)", "the name has other characters than letters, digits, _ and -")
		return
	case isOneOf(folded, protected) || isOneOf(folded, o.rules.Deny):
		o.refuse(name, "(not shown)", "it is not for an overlay to set")
		return
	}
	if !nested && o.rules.Nest != "" && same(folded, o.rules.Nest) {
		var inner map[string]json.RawMessage
		if json.Unmarshal(value, &inner) != nil || inner == nil {
			o.refuse(name, Clip(string(value), 60), "it must be an object")
			return
		}
		o.merge(inner, true)
		return
	}
	if !nested {
		if field, types, ok := findField(folded, o.rules.Fields); ok {
			if o.fits(name, types, value) {
				o.body[field] = mergeValue(o.body[field], value)
				if o.body[field] == nil {
					delete(o.body, field)
				}
			}
			return
		}
	}
	if field, types, ok := findField(folded, o.rules.Nested); ok {
		if o.fits(name, types, value) {
			patch, _ := json.Marshal(map[string]json.RawMessage{field: value}) // cannot fail: value is valid JSON
			o.body[o.rules.Nest] = mergeValue(o.body[o.rules.Nest], patch)
		}
		return
	}
	if !o.rules.Open || nested {
		o.refuse(name, Clip(string(value), 60), "the provider has no such setting")
		return
	}
	o.body[name] = mergeValue(o.body[name], value)
	if o.body[name] == nil {
		delete(o.body, name)
	}
}

// fits reports whether a value matches the types of its field.
func (o *overlaying) fits(name, types string, value json.RawMessage) bool {
	is := typeOf(value)
	if types == "" || is == "null" {
		return true
	}
	for _, t := range strings.Fields(types) {
		if t == is || t == "number" && is == "integer" {
			return true
		}
	}
	o.refuse(name, Clip(string(value), 60), fmt.Sprintf("it must be of type %s", strings.ReplaceAll(types, " ", " or ")))
	return false
}

func typeOf(value json.RawMessage) string {
	value = bytes.TrimSpace(value)
	if len(value) == 0 {
		return "null"
	}
	switch value[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	if bytes.ContainsAny(value, ".eE") {
		return "number"
	}
	return "integer"
}

// mergeValue applies a merge patch (RFC 7396); it returns nil if nothing is left.
func mergeValue(old, patch json.RawMessage) json.RawMessage {
	switch typeOf(patch) {
	case "null":
		return nil
	case "object":
	default:
		return patch
	}
	var members, into map[string]json.RawMessage
	if json.Unmarshal(patch, &members) != nil {
		return patch
	}
	if typeOf(old) != "object" || json.Unmarshal(old, &into) != nil {
		into = make(map[string]json.RawMessage, len(members))
	}
	for name, value := range members {
		if merged := mergeValue(into[name], value); merged != nil {
			into[name] = merged
		} else {
			delete(into, name)
		}
	}
	merged, err := json.Marshal(into)
	if err != nil {
		return patch
	}
	return merged
}

// fold returns the same form for all spellings of a name: lower-case letters and digits.
// It reports whether the name consists only of ASCII letters, digits, _ and -, since
// other letters that look like these or fold to them would bypass the rules.
func fold(name string) (string, bool) {
	b := make([]byte, 0, len(name))
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			b = append(b, c)
		case c >= 'A' && c <= 'Z':
			b = append(b, c+'a'-'A')
		case c == '_' || c == '-':
		default:
			return "", false
		}
	}
	return string(b), len(b) > 0
}

func same(folded, name string) bool {
	other, _ := fold(name)
	return folded == other
}

func isOneOf(folded string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return same(folded, name) })
}

// findField looks up a field by any spelling of its name.
func findField(folded string, fields map[string]string) (name, types string, ok bool) {
	for name, types := range fields {
		if same(folded, name) {
			return name, types, true
		}
	}
	return "", "", false
}

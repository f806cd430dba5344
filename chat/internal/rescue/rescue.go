// Package rescue finds the tool calls that a model printed as text in place of
// making them. It believes a text only when it names a tool that was offered, with
// arguments that match the schema of that tool.
package rescue

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/localpass/localpass/internal/schema"
	"github.com/localpass/localpass/toolspec"
)

// Call is a call that was printed.
type Call struct {
	Name      string
	Arguments json.RawMessage // a JSON object
}

// mostHeld is how long a text may be that is held back since it may be a call.
const mostHeld = 64 << 10

// form is one way to print calls: what begins and what ends it.
type form struct {
	open, end string
	// fence says that the rest of the line of open is a language.
	fence bool
	// first says that it counts only where the answer begins. end is then empty: it
	// goes on to the end.
	first bool
}

// forms are those that are seen of models with templates for tools.
var forms = [...]form{
	{open: "<tool_call>", end: "</tool_call>"},
	{open: "[TOOL_CALLS]"},
	{open: "```", end: "```", fence: true},
	{open: "{", first: true},
}

// Holder takes the text of one answer, piece by piece, and holds back what may be
// a call. It is for one goroutine at a time.
type Holder struct {
	tools map[string]json.RawMessage // the schemas
	text  string                     // what has not been handed out
	form  *form                      // of what is held back; nil: none
	quote bool                       // inside a fence that is none of calls
	begun bool                       // something that is not blank was seen
	calls []Call
}

// New returns a holder for an answer to a request that offers these tools.
func New(tools []toolspec.Definition) *Holder {
	h := &Holder{tools: make(map[string]json.RawMessage, len(tools))}
	for i := range tools {
		h.tools[tools[i].Name] = tools[i].InputSchema
	}
	return h
}

// Push takes the next piece, and returns the text that is certainly no call.
func (h *Holder) Push(s string) string {
	h.text += s
	var out strings.Builder
	for h.step(&out) {
	}
	return out.String()
}

// Flush ends the answer. It returns the rest of its text, and all calls.
func (h *Holder) Flush() (string, []Call) {
	var out strings.Builder
	for h.step(&out) {
	}
	if h.form != nil {
		inner := h.text
		switch {
		case h.form.fence:
			_, inner, _ = strings.Cut(inner, "\n")
		case !h.form.first: // there the opening belongs to the call
			inner = strings.TrimPrefix(inner, h.form.open)
		}
		if h.take(inner) {
			h.text = ""
		}
	}
	out.WriteString(h.text)
	calls := h.calls
	h.text, h.form, h.calls = "", nil, nil
	return out.String(), calls
}

// step goes on by one piece, and reports whether there may be more to do.
func (h *Holder) step(out *strings.Builder) bool {
	switch {
	case h.form != nil:
		return h.held(out)
	case h.quote:
		at := strings.Index(h.text, "```")
		if at < 0 {
			keep := overlap(h.text, "```")
			h.pass(out, len(h.text)-keep)
			return false
		}
		h.pass(out, at+3)
		h.quote = false
		return true
	}
	at, found := len(h.text), (*form)(nil)
	for i := range forms {
		f := &forms[i]
		n := strings.Index(h.text, f.open)
		if n < 0 || n >= at || f.first && (h.begun || strings.TrimSpace(h.text[:n]) != "") {
			continue
		}
		at, found = n, f
	}
	if found != nil {
		h.pass(out, at)
		h.form = found
		return true
	}
	keep := 0
	for i := range forms {
		keep = max(keep, overlap(h.text, forms[i].open))
	}
	h.pass(out, len(h.text)-keep)
	return false
}

// pass hands out n bytes.
func (h *Holder) pass(out *strings.Builder, n int) {
	if strings.TrimSpace(h.text[:n]) != "" {
		h.begun = true
	}
	out.WriteString(h.text[:n])
	h.text = h.text[n:]
}

// held looks whether what is held back has come to its end.
func (h *Holder) held(out *strings.Builder) bool {
	f := h.form
	body := len(f.open)
	if f.fence {
		line := strings.IndexByte(h.text, '\n')
		if line < 0 && len(h.text) < body+len("tool_call\n") {
			return false
		}
		language := h.text[body:]
		if line >= 0 {
			language = h.text[body:line]
		}
		switch strings.TrimSpace(language) {
		case "", "json", "tool_call":
			if line >= 0 {
				body = line + 1
				break
			}
			fallthrough
		default:
			h.form, h.quote = nil, true
			h.pass(out, len(f.open))
			return true
		}
	}
	if f.end == "" {
		if len(h.text) > mostHeld {
			h.form = nil
			h.pass(out, len(f.open))
			return true
		}
		return false
	}
	n := strings.Index(h.text[body:], f.end)
	if n < 0 {
		if len(h.text) <= mostHeld {
			return false
		}
		h.form = nil
		h.quote = f.fence
		h.pass(out, len(f.open))
		return true
	}
	h.form = nil
	if h.take(h.text[body : body+n]) {
		h.text = h.text[body+n+len(f.end):]
		h.begun = true
	} else {
		h.pass(out, body+n+len(f.end))
	}
	return true
}

// take reads the calls of a text. All of it must be calls that can be believed.
func (h *Holder) take(text string) bool {
	dec := json.NewDecoder(strings.NewReader(text))
	var found []Call
	for dec.More() {
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return false
		}
		items := []json.RawMessage{value}
		if value[0] == '[' && json.Unmarshal(value, &items) != nil {
			return false
		}
		for _, item := range items {
			call, ok := h.read(item)
			if !ok {
				return false
			}
			found = append(found, call)
		}
	}
	if strings.TrimSpace(text[dec.InputOffset():]) != "" { // More is false at a stray bracket
		return false
	}
	h.calls = append(h.calls, found...)
	return len(found) > 0
}

// read reads one call.
func (h *Holder) read(raw json.RawMessage) (Call, bool) {
	type named struct {
		Name       string          `json:"name"`
		Arguments  json.RawMessage `json:"arguments"`
		Parameters json.RawMessage `json:"parameters"`
	}
	var c struct {
		named
		Function named `json:"function"`
	}
	if json.Unmarshal(raw, &c) != nil {
		return Call{}, false
	}
	call := c.named
	if call.Name == "" {
		call = c.Function
	}
	input, offered := h.tools[call.Name]
	arguments := call.Arguments
	if len(arguments) == 0 {
		arguments = call.Parameters
	}
	var text string
	if len(arguments) > 0 && arguments[0] == '"' && json.Unmarshal(arguments, &text) == nil {
		arguments = json.RawMessage(text)
	}
	arguments = bytes.TrimSpace(arguments)
	if !offered || len(arguments) == 0 || arguments[0] != '{' || !json.Valid(arguments) {
		return Call{}, false
	}
	compiled, err := schema.CompileObject(input)
	if err != nil || compiled.Validate(arguments) != nil {
		return Call{}, false
	}
	return Call{Name: call.Name, Arguments: arguments}, true
}

// overlap is the length of the longest end of text that is a beginning of word,
// and not the whole of it.
func overlap(text, word string) int {
	for n := min(len(text), len(word)-1); n > 0; n-- {
		if strings.HasSuffix(text, word[:n]) {
			return n
		}
	}
	return 0
}

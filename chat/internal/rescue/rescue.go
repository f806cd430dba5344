// Package rescue finds tool calls that a model printed as text instead of making them. It
// accepts a text only if it names an offered tool, with arguments that match the schema
// of that tool.
package rescue

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"unicode"

	"github.com/localpass/localpass/internal/schema"
	"github.com/localpass/localpass/toolspec"
)

// Call is a call that was printed as text.
type Call struct {
	Name      string
	Arguments json.RawMessage // a JSON object
	// Block is the text of the call, including its opening and closing text. If one text
	// contains several calls, only the first has it.
	Block string
}

// mostHeld is the maximum length of text that is held back because it may be a call.
const mostHeld = 64 << 10

// mostLanguage is the maximum length of the rest of the opening line of a code fence with
// calls.
const mostLanguage = 256

// form is one way in which models print calls, with its opening and closing text.
type form struct {
	open, end string
	// fence says that the rest of the opening line is a language.
	fence bool
	// first says that the form counts only at the beginning of the answer. Then end is
	// empty, and the form continues to the end of the answer.
	first bool
}

// forms lists the forms that models with tool templates are known to print.
var forms = [...]form{
	{open: "<tool_call>", end: "</tool_call>"},
	{open: "[TOOL_CALLS]"},
	{open: "```", end: "```", fence: true},
	{open: "{", first: true},
}

// Holder receives the text of one answer piece by piece, and holds back text that may be
// a call. It must be used by one goroutine at a time.
type Holder struct {
	tools map[string]*offered
	text  string // text not yet passed on
	form  *form  // form of the text held back; nil if none is
	quote bool   // inside a code fence that contains no calls
	begun bool   // non-blank text was seen
	after bool   // a call precedes, after which line breaks are removed too
	base  int    // number of bytes before text
	clear int    // no closing tag ends before this position, counted with base
	calls []Call
}

// offered holds the schema of a tool, compiled when a text first seems to call the tool.
type offered struct {
	raw   json.RawMessage
	once  sync.Once
	input *schema.Schema // nil if the schema is invalid
}

func (o *offered) accepts(arguments json.RawMessage) bool {
	o.once.Do(func() {
		if s, err := schema.CompileObject(o.raw); err == nil {
			o.input = s
		}
	})
	return o.input != nil && o.input.Validate(arguments) == nil
}

// New returns a holder for an answer to a request that offers these tools.
func New(tools []toolspec.Definition) *Holder {
	h := &Holder{tools: make(map[string]*offered, len(tools))}
	for i := range tools {
		input := tools[i].InputSchema
		if len(input) == 0 {
			input = json.RawMessage(`{"type":"object"}`)
		}
		h.tools[tools[i].Name] = &offered{raw: input}
	}
	return h
}

// Push adds the next piece, and returns the text that is certainly not part of a call.
func (h *Holder) Push(s string) string {
	h.text += s
	var out strings.Builder
	for h.step(&out) {
	}
	return out.String()
}

// Flush ends the text, or a part of it before other output. It returns the rest, and the
// calls since the last Flush. A call without its closing text counts, since servers cut
// answers there.
func (h *Holder) Flush() (string, []Call) {
	var out strings.Builder
	for h.step(&out) {
	}
	if h.form != nil {
		inner := h.text
		switch {
		case h.form.fence:
			_, inner, _ = strings.Cut(inner, "\n")
		case !h.form.first: // in such a form, the opening is part of the call
			inner = strings.TrimPrefix(inner, h.form.open)
		}
		if h.readCalls(inner, h.text) {
			h.drop(len(h.text))
		}
	}
	h.pass(&out, len(h.text))
	calls := h.calls
	h.form, h.calls = nil, nil
	return out.String(), calls
}

// step processes one piece, and reports whether there may be more to process.
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
	at, found := h.find()
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

// drop advances by n bytes.
func (h *Holder) drop(n int) {
	h.text = h.text[n:]
	h.base += n
}

// find returns the position of the first form, and the form. It examines each byte once,
// so that a text with many openings takes no longer than any other.
func (h *Holder) find() (int, *form) {
	blank := len(h.text) - len(strings.TrimLeftFunc(h.text, unicode.IsSpace))
	for at := 0; ; at++ {
		n := strings.IndexAny(h.text[at:], "<[`{")
		if n < 0 {
			return len(h.text), nil
		}
		at += n
		for i := range forms {
			f := &forms[i]
			if strings.HasPrefix(h.text[at:], f.open) && !(f.first && (h.begun || at > blank)) {
				return at, f
			}
		}
	}
}

// pass passes on n bytes.
func (h *Holder) pass(out *strings.Builder, n int) {
	text := h.text[:n]
	h.drop(n)
	if strings.TrimSpace(text) != "" {
		h.begun = true
	}
	if h.after && text != "" {
		text = strings.TrimLeft(text, "\r\n")
		h.after = text == ""
	}
	out.WriteString(text)
}

// release stops holding text back: its opening becomes text, and the rest is examined
// again.
func (h *Holder) release(out *strings.Builder) bool {
	h.quote = h.form.fence
	h.pass(out, len(h.form.open))
	h.form = nil
	return true
}

// held checks whether the form held back is complete.
func (h *Holder) held(out *strings.Builder) bool {
	f := h.form
	body := len(f.open)
	if f.fence {
		head := h.text[:min(len(h.text), body+mostLanguage)]
		line := strings.IndexByte(head, '\n')
		if line < 0 && len(h.text) < body+len("tool_call\n") {
			return false
		}
		language := head[body:]
		if line >= 0 {
			language = h.text[body:line]
		}
		switch strings.TrimSpace(language) {
		case "", "json", "tool_call", "tool_code":
			if line >= 0 {
				body = line + 1
				break
			}
			fallthrough
		default:
			return h.release(out)
		}
	}
	if f.first {
		body = 0 // in such a form, the opening is part of the call
	}
	n := h.ending(f, body)
	if n < 0 {
		inner := h.text[body:]
		if !begins(inner[:len(inner)-overlap(inner, f.end)]) || len(h.text) > mostHeld {
			return h.release(out)
		}
		return false
	}
	if !begins(h.text[body : body+n]) {
		return h.release(out)
	}
	h.form = nil
	end := body + n + len(f.end)
	if h.readCalls(h.text[body:body+n], h.text[:end]) {
		h.drop(end)
	} else {
		h.pass(out, end)
	}
	return true
}

// ending returns the position where the form whose content begins at body ends, -1 if
// there is none within the length that may be held back. No byte is examined again for
// another opening.
func (h *Holder) ending(f *form, body int) int {
	from, to := body, min(len(h.text), body+mostHeld)
	if f.end == "" {
		return -1
	}
	if !f.fence { // for a fence, the end is near
		from = min(max(from, h.clear-h.base), to)
	}
	if n := strings.Index(h.text[from:to], f.end); n >= 0 {
		return from + n - body
	}
	if !f.fence {
		h.clear = h.base + max(from, to-len(f.end)+1)
	}
	return -1
}

// begins reports whether a text may contain calls, by its first two non-blank characters,
// so that other code in a fence is not held back to its end.
func begins(text string) bool {
	const blanks = " \t\r\n"
	text = strings.TrimLeft(text, blanks)
	if strings.HasPrefix(text, "[") {
		text = strings.TrimLeft(text[1:], blanks)
	}
	if text == "" {
		return true
	}
	inner := strings.TrimLeft(text[1:], blanks)
	return text[0] == '{' && (inner == "" || inner[0] == '"')
}

// readCalls reads the calls in a text, which must consist entirely of plausible calls.
// block is the text with its opening and closing text.
func (h *Holder) readCalls(text, block string) bool {
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
	if strings.TrimSpace(text[dec.InputOffset():]) != "" { // More returns false at a stray bracket
		return false
	}
	if len(found) == 0 {
		return false
	}
	found[0].Block = block
	h.calls = append(h.calls, found...)
	h.begun, h.after = true, true
	return true
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
	tool := h.tools[call.Name]
	arguments := call.Arguments
	if len(arguments) == 0 {
		arguments = call.Parameters
	}
	var text string
	if len(arguments) > 0 && arguments[0] == '"' && json.Unmarshal(arguments, &text) == nil {
		arguments = json.RawMessage(text)
	}
	arguments = bytes.TrimSpace(arguments)
	if tool == nil || len(arguments) == 0 || arguments[0] != '{' || !json.Valid(arguments) || !tool.accepts(arguments) {
		return Call{}, false
	}
	return Call{Name: call.Name, Arguments: arguments}, true
}

// overlap returns the length of the longest suffix of text that is a proper prefix of
// word.
func overlap(text, word string) int {
	for n := min(len(text), len(word)-1); n > 0; n-- {
		if strings.HasSuffix(text, word[:n]) {
			return n
		}
	}
	return 0
}

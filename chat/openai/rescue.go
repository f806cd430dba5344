package openai

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/internal/schema"
	"github.com/localpass/localpass/toolspec"
)

// warnRescued is the code of the warning about a call that was read out of text.
const warnRescued = "rescued_tool_call"

// mostHeld bounds how much text is held back for what may be a call.
const mostHeld = 64 << 10

// The marks that a call may stand behind, and what ends it; empty: the end of the
// answer.
var callMarks = [...][2]string{{"<tool_call>", "</tool_call>"}, {"[TOOL_CALLS]", ""}, {"```", "```"}}

// rescuer looks for calls in the text of models that write them there. Text that
// may be one is held back until it is certain.
type rescuer struct {
	tools []toolspec.Definition
	held  string
	found []rescuedCall
	blank bool // the text before ended in a call: the line end after it goes too
}

type rescuedCall struct{ name, args, block string }

// push returns the text that is no call.
func (r *rescuer) push(text string) string {
	r.held += text
	var out strings.Builder
	for r.held != "" {
		at, mark := firstMark(r.held)
		if mark < 0 {
			keep := 0
			for _, m := range callMarks {
				keep = max(keep, beginning(r.held, m[0]))
			}
			r.release(&out, len(r.held)-keep)
			break
		}
		r.release(&out, at)
		end, wait := blockEnd(r.held, mark)
		if wait && len(r.held) <= mostHeld {
			break
		}
		if !r.read(r.held[:end], mark) {
			r.release(&out, end)
			continue
		}
		r.held, r.blank = r.held[end:], true
	}
	return out.String()
}

// release lets the first n bytes go.
func (r *rescuer) release(out *strings.Builder, n int) {
	text := r.held[:n]
	r.held = r.held[n:]
	if r.blank && text != "" {
		text = strings.TrimLeft(text, "\r\n")
		r.blank = text == ""
	}
	out.WriteString(text)
}

// flush returns what is held back at the end of the text.
func (r *rescuer) flush() string {
	text := r.held
	r.held = ""
	if at, mark := firstMark(text); mark >= 0 && at == 0 && mark < 2 && r.read(text, mark) {
		return ""
	}
	return text
}

// firstMark finds the first mark.
func firstMark(text string) (at, mark int) {
	at, mark = len(text), -1
	for i, m := range callMarks {
		if n := strings.Index(text, m[0]); n >= 0 && n < at {
			at, mark = n, i
		}
	}
	return at, mark
}

// beginning is the length of the longest end of text that mark begins with.
func beginning(text, mark string) int {
	for n := min(len(text), len(mark)-1); n > 0; n-- {
		if strings.HasSuffix(text, mark[:n]) {
			return n
		}
	}
	return 0
}

// blockEnd is where the block ends that text begins with; wait says that more text
// may tell. A fence in which something else stands ends at once, after its mark.
func blockEnd(text string, mark int) (end int, wait bool) {
	begin, stop := callMarks[mark][0], callMarks[mark][1]
	inner := text[len(begin):]
	if stop == "" {
		return len(text), true
	}
	if begin == stop {
		word, body, ok := strings.Cut(inner, "\n")
		switch word = strings.TrimSpace(word); {
		case !ok && len(inner) < 16 && !strings.ContainsAny(inner, "`"):
			return len(begin), true
		case !ok || word != "" && word != "json" && word != "tool_call" && word != "tool_code":
			return len(begin), false
		}
		content, _, closed := strings.Cut(body, stop)
		if !closed {
			content = content[:len(content)-beginning(content, stop)] // of the fence
			return len(begin), progressOf(content) != jsonWrong
		}
		return len(text) - len(body) + len(content) + len(stop), false
	}
	if at := strings.Index(inner, stop); at >= 0 {
		return len(begin) + at + len(stop), false
	}
	return len(begin), true
}

// read takes a block as calls, if all of it is: of tools that are offered, with
// arguments that fit.
func (r *rescuer) read(block string, mark int) bool {
	text := strings.TrimPrefix(block, callMarks[mark][0])
	if stop := callMarks[mark][1]; stop != "" {
		text = strings.TrimSuffix(text, stop)
	}
	if mark == 2 {
		_, text, _ = strings.Cut(text, "\n")
	}
	type written struct {
		Name       string          `json:"name"`
		Arguments  json.RawMessage `json:"arguments"`
		Parameters json.RawMessage `json:"parameters"`
	}
	var calls []written
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "[") {
		if json.Unmarshal([]byte(text), &calls) != nil {
			return false
		}
	} else {
		calls = make([]written, 1)
		if json.Unmarshal([]byte(text), &calls[0]) != nil {
			return false
		}
	}
	var found []rescuedCall
	for _, c := range calls {
		args := c.Arguments
		if args == nil {
			args = c.Parameters
		}
		var inner string
		if json.Unmarshal(args, &inner) == nil { // written as a text
			args = json.RawMessage(inner)
		}
		if !r.fits(c.Name, args) {
			return false
		}
		found = append(found, rescuedCall{name: c.Name, args: string(args), block: block})
		block = "" // it is one text for all of them
	}
	r.found = append(r.found, found...)
	return len(found) > 0
}

// fits holds a call against the tools.
func (r *rescuer) fits(name string, args json.RawMessage) bool {
	for i := range r.tools {
		if r.tools[i].Name != name {
			continue
		}
		input := r.tools[i].InputSchema
		if len(input) == 0 {
			input = json.RawMessage(`{"type":"object"}`)
		}
		s, err := schema.CompileObject(input)
		return err == nil && s.Validate(args) == nil
	}
	return false
}

// rescued tells the calls that were found in the text. Beside calls that came as
// such they are text after all.
func (a *assembler) rescued() {
	for _, c := range a.rescue.found {
		if len(a.slots) > 0 {
			a.say(c.block)
			continue
		}
		id := a.callID(a.calls)
		a.send(chat.Delta{Kind: chat.DeltaWarning, Name: warnRescued, Text: fmt.Sprintf("the model wrote a call of %s into its text", c.name)})
		a.send(chat.Delta{Kind: chat.DeltaToolStart, CallID: id, Name: c.name, Index: a.calls})
		a.send(chat.Delta{Kind: chat.DeltaToolArgs, CallID: id, Index: a.calls, Text: c.args})
		a.send(chat.Delta{Kind: chat.DeltaToolEnd, CallID: id, Index: a.calls})
		a.calls++
	}
}

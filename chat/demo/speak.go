package demo

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/toolspec"
)

// label is the beginning of the first answer in a conversation.
const label = "This is a demonstration, not a language model: it follows fixed rules."

// askFor and askEnd are the texts by which a question for an argument is recognized
// later.
const (
	askFor = "To call "
	askEnd = " is missing"
)

// askForMissing asks for the first of the missing arguments.
func askForMissing(def *toolspec.Definition, missing []*shape) string {
	if len(missing) == 0 {
		return fmt.Sprintf("The tool %s fits the question, but its arguments cannot be made of it. Name them, such as: use %s with name=value.", def.Name, def.Name)
	}
	f := missing[0]
	what := f.name
	if f.about != "" {
		what += " (" + strings.TrimRight(clip.OneLine(f.about, 160), ".") + ")"
	}
	end := "What shall it be?"
	if len(f.enum) > 0 {
		var all []string
		for _, v := range f.enum[:min(8, len(f.enum))] {
			all = append(all, constantText(v))
		}
		end = "Which one: " + strings.Join(all, ", ") + "?"
	}
	return askFor + def.Name + ", one thing" + askEnd + ": " + what + ". " + end
}

// askedFor returns the tool for which a text asks for an argument, or "".
func askedFor(text string, req *llm.ModelRequest) string {
	_, rest, ok := strings.Cut(text, askFor)
	if !ok || !strings.Contains(rest, askEnd) {
		return ""
	}
	for i := range req.Tools {
		if name := req.Tools[i].Name; strings.HasPrefix(rest, name+", ") {
			return name
		}
	}
	return ""
}

// mostShown is how much of a result is shown, in bytes.
const mostShown = 2000

// answer sets the answer text of the step.
func (s *step) answer(req *llm.ModelRequest, t *turn) {
	if m := longAnswer().FindStringSubmatch(t.question); m != nil {
		n, _ := strconv.Atoi(m[1])
		s.text = filler(min(n, 20_000))
		return
	}
	var b strings.Builder
	for i := range t.results {
		r := &t.results[i]
		if i > 0 {
			b.WriteString("\n\n")
		}
		got := strings.TrimSpace(shown(r))
		switch {
		case r.IsError:
			fmt.Fprintf(&b, "The tool %s gave no result: %s", r.Name, got)
		case got == "":
			fmt.Fprintf(&b, "The tool %s was called%s and gave back no text.", r.Name, with(t, r.CallID))
		case strings.Contains(got, "\n"):
			fmt.Fprintf(&b, "The tool %s was called%s and answered:\n\n%s", r.Name, with(t, r.CallID), got)
		default:
			fmt.Fprintf(&b, "The tool %s was called%s and answered: %s", r.Name, with(t, r.CallID), got)
		}
	}
	switch {
	case b.Len() > 0:
	case t.context != "":
		if line := closest(t.context, t.question); line != "" {
			fmt.Fprintf(&b, "What came along with the question says: “%s”", line)
		} else {
			b.WriteString("Nothing of what came along with the question has its words.")
		}
	case len(req.Tools) == 0:
		b.WriteString("There are no tools here that it could call, and it knows nothing by itself. Connect a language model for answers, or a tool to see one called.")
	default:
		b.WriteString("No tool here fits the question. There are:\n")
		for i := range req.Tools[:min(8, len(req.Tools))] {
			def := &req.Tools[i]
			fmt.Fprintf(&b, "\n- **%s**: %s", def.Name, sentence(def.Description))
		}
		if n := len(req.Tools) - 8; n > 0 {
			fmt.Fprintf(&b, "\n- and %d more", n)
		}
		b.WriteString("\n\nAsk for what one of them does, in its own words.")
	}
	s.text = b.String()
}

// with describes the arguments of a call.
func with(t *turn, id string) string {
	at := slices.IndexFunc(t.calls, func(c llm.ToolCall) bool { return c.ID == id })
	if at < 0 {
		return ""
	}
	var said []string
	var args map[string]json.RawMessage
	_ = json.Unmarshal(t.calls[at].Arguments, &args)
	for _, key := range keysOf(t.calls[at].Arguments) {
		said = append(said, key+" "+clip.OneLine(constantText(decodeValue(args[key])), 60))
	}
	if len(said) == 0 {
		return ""
	}
	return " with " + strings.Join(said, ", ")
}

// shown returns the text of a result, with the members of a JSON object as a list.
func shown(r *llm.ToolResult) string {
	text := clip.Bytes(r.Text(), mostShown)
	if text != r.Text() {
		text += " […]"
	}
	raw := json.RawMessage(strings.TrimSpace(text))
	if len(raw) == 0 {
		raw = r.Structured
	}
	keys := keysOf(raw)
	var m map[string]json.RawMessage
	if r.IsError || len(keys) == 0 || json.Unmarshal(raw, &m) != nil {
		return text
	}
	var said []string
	for _, key := range keys[:min(12, len(keys))] {
		said = append(said, key+": "+clip.OneLine(constantText(decodeValue(m[key])), 200))
	}
	if len(keys) > 12 {
		said = append(said, fmt.Sprintf("and %d more", len(keys)-12))
	}
	if len(said) < 4 {
		return strings.Join(said, ", ")
	}
	return "- " + strings.Join(said, "\n- ")
}

// closest returns the line of a text that has the most words in common with a question.
func closest(text, question string) string {
	most, found := 0, ""
	words := wordsOf(question)
	for _, line := range strings.Split(clip.Bytes(text, maxEvidence), "\n") {
		n := 0
		own := wordsOf(line)
		for _, w := range words {
			if weight(w) == 1 && contains(own, w) {
				n++
			}
		}
		if n > most {
			most, found = n, clip.OneLine(line, 300)
		}
	}
	return found
}

// sentence returns the first sentence of a description.
func sentence(s string) string {
	s = clip.OneLine(s, 400)
	if s == "" {
		return "it does not say what it does"
	}
	if at := strings.Index(s, ". "); at > 0 {
		s = s[:at+1]
	}
	return clip.OneLine(s, 140)
}

// filler returns a text of n words.
func filler(n int) string {
	var b strings.Builder
	words := strings.Fields("these words say nothing and are here to show how a long answer comes in while it is being written")
	for i := range n {
		switch {
		case i > 0 && i%(3*len(words)) == 0:
			b.WriteString(".\n\n")
		case i > 0:
			b.WriteByte(' ')
		}
		b.WriteString(words[i%len(words)])
	}
	if n > 0 {
		b.WriteByte('.')
	}
	return b.String()
}

// fillFormat returns JSON in the requested format, with values from the question and the
// results, if it can create some.
func fillFormat(format *llm.OutputFormat, t *turn) string {
	form := parseShape(format.Schema)
	if len(format.Schema) == 0 {
		raw, _ := json.Marshal(map[string]string{"answer": label})
		return string(raw)
	}
	e := evidenceOf(t.question+t.resultText(), t.objects())
	e.reply = ""
	e.tail = tailOf(t.question, nil)
	raw, _ := e.fill(form)
	if raw == nil {
		args, _ := e.fillObject(form)
		raw = sampleJSON(form, args)
	}
	if raw == nil {
		raw = json.RawMessage("{}")
	}
	return string(raw)
}

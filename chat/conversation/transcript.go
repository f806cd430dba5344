package conversation

import (
	"bufio"
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/clip"
)

// demoProvider is the provider name of chat/demo. Transcripts mark its answers, so that a
// reader does not mistake them for those of a model.
const demoProvider = "demo"

// transcriptBlock is one message in a transcript.
type transcriptBlock struct {
	who      string // "User", "Assistant" or "Summary"
	demo     bool
	when     string // empty if not included
	thinking string
	text     string
	files    []string // names of documents and images
	images   []llm.Image
	calls    []transcriptCall
}

// transcriptCall is one call in a transcript. Fields that are not included are empty.
type transcriptCall struct {
	name, status, brief, arguments, result, took string
}

// transcriptWriter writes blocks in one format. The underlying bufio.Writer keeps write
// errors.
type transcriptWriter interface {
	beginDocument(title string)
	block(b *transcriptBlock)
	endDocument()
}

var transcriptWriters = map[ExportFormat]func(*bufio.Writer) transcriptWriter{
	ExportMarkdown: func(w *bufio.Writer) transcriptWriter { return &markdownTranscript{w} },
	ExportText:     func(w *bufio.Writer) transcriptWriter { return &textTranscript{w} },
	ExportHTML:     func(w *bufio.Writer) transcriptWriter { return &htmlTranscript{w: w} },
}

// transcript returns the blocks of a turn.
func (t *TurnRecord) transcript(opts *ExportOptions) []transcriptBlock {
	who := map[llm.Role]string{llm.RoleUser: "User", llm.RoleAssistant: "Assistant", llm.RoleSummary: "Summary"}
	var out []transcriptBlock
	for i := range t.Messages {
		m := &t.Messages[i].Message
		name := who[m.Role]
		if name == "" || opts.Message != "" && m.ID != opts.Message { // tool results are written with their calls
			continue
		}
		b := transcriptBlock{who: name, demo: m.Role == llm.RoleAssistant && t.Provider == demoProvider}
		for _, p := range m.Parts {
			b.addPart(p, t, i, opts)
		}
		b.text = opts.Redactor.String(strings.TrimSpace(m.Text()))
		if opts.Timings {
			b.when = t.timing(m)
		}
		if b.text != "" || b.thinking != "" || len(b.files)+len(b.images)+len(b.calls) > 0 {
			out = append(out, b)
		}
	}
	return out
}

// timing returns when a message was written and, for an answer, how long its turn took.
func (t *TurnRecord) timing(m *llm.Message) string {
	at := m.Created
	if at.IsZero() {
		at = t.Started
	}
	text := at.UTC().Format("2006-01-02 15:04:05 UTC")
	if m.Role == llm.RoleAssistant && !t.Ended.IsZero() {
		text += ", turn of " + t.Ended.Sub(t.Started).Round(time.Millisecond).String()
		if t.Usage.Total > 0 {
			text += fmt.Sprintf(", %d tokens in, %d out", t.Usage.Input, t.Usage.Output)
		}
	}
	return text
}

// addPart adds a part, other than text, of message number at of the turn to the block.
func (b *transcriptBlock) addPart(p llm.Part, t *TurnRecord, at int, opts *ExportOptions) {
	short := func(s string) string { return clip.OneLine(opts.Redactor.String(s), nameRunes) } // mask secrets before cutting the text
	switch p := p.(type) {
	case llm.Reasoning:
		if text := strings.TrimSpace(p.Text); opts.Thinking && text != "" {
			b.thinking = strings.TrimSpace(b.thinking + "\n\n" + opts.Redactor.String(text))
		}
	case llm.Refusal:
		b.files = append(b.files, "refused: "+short(p.Text))
	case llm.Document:
		b.files = append(b.files, "document: "+short(p.Name))
	case llm.Image:
		if len(p.Data) > 0 {
			b.images = append(b.images, p)
		}
		b.files = append(b.files, "image: "+short(cmp.Or(p.Name, "without a name")))
	case llm.ToolCall:
		if !opts.Tools && !opts.Arguments {
			return
		}
		c := transcriptCall{name: p.Name, status: "no result", brief: short(string(p.Arguments))}
		stored := t.Call(p.ID)
		if stored != nil {
			c.status = strings.ToLower(string(stored.Status))
		}
		if opts.Arguments {
			c.arguments = string(opts.Redactor.JSON(p.Arguments))
			if at+1 < len(t.Messages) { // the results are in the message after the calls
				for _, r := range t.Messages[at+1].Message.Results() {
					if r.CallID == p.ID {
						c.result = opts.Redactor.String(r.Text())
					}
				}
			}
		}
		if opts.Timings && stored != nil && stored.Updated.After(stored.Created) {
			c.took = stored.Updated.Sub(stored.Created).Round(time.Millisecond).String()
		}
		b.calls = append(b.calls, c)
	}
}

// line returns the call as one line.
func (c *transcriptCall) line() string {
	text := fmt.Sprintf("%s(%s): %s", c.name, c.brief, c.status)
	if c.took != "" {
		text += " in " + c.took
	}
	return text
}

type markdownTranscript struct{ w *bufio.Writer }

func (m *markdownTranscript) beginDocument(title string) { fmt.Fprintf(m.w, "# %s\n", title) }
func (m *markdownTranscript) endDocument()               {}

func (m *markdownTranscript) block(b *transcriptBlock) {
	fmt.Fprintf(m.w, "\n## %s%s\n", b.who, map[bool]string{true: " (demo)"}[b.demo])
	if b.when != "" {
		fmt.Fprintf(m.w, "\n*%s*\n", b.when)
	}
	if b.thinking != "" {
		fmt.Fprintf(m.w, "\n> %s\n", strings.ReplaceAll("Thinking: "+b.thinking, "\n", "\n> "))
	}
	if b.text != "" {
		fmt.Fprintf(m.w, "\n%s\n", b.text)
	}
	for _, f := range b.files {
		fmt.Fprintf(m.w, "\n- %s\n", f)
	}
	for i := range b.calls {
		c := &b.calls[i]
		fmt.Fprintf(m.w, "\n- `%s`\n", strings.ReplaceAll(c.line(), "`", "'"))
		m.fenced("arguments", c.arguments)
		m.fenced("result", c.result)
	}
}

// fenced writes text in a code fence that the text cannot end.
func (m *markdownTranscript) fenced(name, text string) {
	if text == "" {
		return
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(m.w, "\n%s %s\n%s\n%s\n", fence, name, text, fence)
}

type textTranscript struct{ w *bufio.Writer }

func (t *textTranscript) beginDocument(string) {}
func (t *textTranscript) endDocument()         {}

func (t *textTranscript) block(b *transcriptBlock) {
	fmt.Fprintf(t.w, "%s%s:\n", b.who, map[bool]string{true: " (demo)"}[b.demo])
	if b.when != "" {
		fmt.Fprintf(t.w, "[%s]\n", b.when)
	}
	if b.thinking != "" {
		fmt.Fprintf(t.w, "[thinking: %s]\n", b.thinking)
	}
	if b.text != "" {
		fmt.Fprintln(t.w, b.text)
	}
	for _, f := range b.files {
		fmt.Fprintf(t.w, "[%s]\n", f)
	}
	for i := range b.calls {
		c := &b.calls[i]
		fmt.Fprintf(t.w, "[%s]\n", c.line())
		if c.arguments != "" {
			fmt.Fprintf(t.w, "[arguments: %s]\n", c.arguments)
		}
		if c.result != "" {
			fmt.Fprintf(t.w, "[result: %s]\n", c.result)
		}
	}
	fmt.Fprintln(t.w)
}

package modelstable

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/internal/tinymodel"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/toolspec"
)

// tool returns a text and counts its calls.
type tool struct {
	name, schema, says string
	mu                 sync.Mutex
	calls              int
}

func (l *tool) Definition() toolspec.Definition {
	return toolspec.Definition{Name: l.name, Description: "Is " + l.name + ".", InputSchema: json.RawMessage(l.schema)}
}

func (l *tool) Call(context.Context, *toolspec.Call) (*toolspec.Result, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls++
	return toolspec.TextResult(l.says), nil
}

// outcome is the result of a turn.
type outcome struct {
	*chat.Response
	err      error
	adjusted []llm.Adjustment
	// times and sums count the calls of the tools getTime and add.
	times, sums int
}

// once disables retries, which would hide failures.
var once = &llm.RetryPolicy{MaxAttempts: 1}

// ask runs one turn with a default client.
func ask(t *testing.T, m llm.Model, question llm.Message, withTools bool, opts *chat.TurnOptions) outcome {
	t.Helper()
	getTime := &tool{name: "getTime", schema: `{"type":"object","properties":{"zone":{"type":"string"}},"required":["zone"]}`, says: "9:00"}
	add := &tool{name: "add", schema: `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}`, says: "42"}
	o := chat.ClientOptions{Retry: once}
	if withTools {
		o.Tools, o.Uncertified = toolspec.Tools(getTime, add), []string{"getTime", "add"}
	}
	client, err := chat.NewClient(m, &o)
	require.NoError(t, err)
	var events []chat.Event
	c := chat.NewCollector()
	out := outcome{}
	for ev, err := range client.Stream(t.Context(), "", question, opts) {
		if err != nil {
			out.err = err
			continue
		}
		c.Add(ev)
		events = append(events, ev)
		switch told := ev.(type) {
		case *chat.OptionIgnored:
			out.adjusted = append(out.adjusted, told.Adjustment)
		case *chat.OptionAdjusted:
			out.adjusted = append(out.adjusted, told.Adjustment)
		}
	}
	require.NoError(t, chattest.CheckEvents(events))
	out.Response, out.times, out.sums = c.Response(), getTime.calls, add.calls
	return out
}

const (
	yes = "yes"
	no  = "no"
)

// failed returns the text of a failure in a cell.
func failed(err error) string { return "fails: `" + string(llm.CodeOf(err)) + "`" }

// toolCell runs a turn that calls a tool and repeats its result.
func (s *subject) toolCell(t *testing.T, m llm.Model, word string, times, sums int) string {
	r := ask(t, m, llm.UserText(word), true, nil)
	switch {
	case llm.CodeOf(r.err) == llm.CodeModelLacksTools && r.err != nil:
		return no
	case r.err != nil:
		return failed(r.err)
	case r.times != times || r.sums != sums || r.Rounds != 2:
		return no
	case s.script == nil && r.Text() == tinymodel.SayAfter, s.script != nil && strings.Contains(r.Text(), "9:00"):
		return yes
	}
	return no
}

// streamCell pauses the answer after its first word, and checks that the word has
// arrived.
func (s *subject) streamCell(t *testing.T) string {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	limit := 12
	req := &llm.ModelRequest{Messages: []llm.Message{llm.UserText(tinymodel.AskLong)}, Options: llm.Options{MaxTokens: &limit}}
	pieces, text := 0, ""
	for d, err := range s.model(t).Generate(ctx, req) {
		if err != nil {
			return failed(err)
		}
		if d.Kind != llm.DeltaText {
			continue
		}
		if pieces++; pieces == 1 && s.script != nil {
			s.script.Continue()
		}
		text += d.Text
	}
	if pieces < 2 || !strings.HasPrefix(text, "one two") {
		return no
	}
	return yes
}

// reasoningCell reports whether reasoning is shown.
func reasoningCell(t *testing.T, m llm.Model) string {
	r := ask(t, m, llm.UserText(tinymodel.AskWhy), false, nil)
	switch {
	case r.err != nil:
		return failed(r.err)
	case r.Message.Reasoning() == tinymodel.ThinkWhy:
		return yes
	}
	return no
}

// effortCell lists the efforts that reach the model unchanged.
func (s *subject) effortCell(t *testing.T) string {
	var reached []string
	for _, effort := range []llm.Effort{llm.EffortOff, llm.EffortLow, llm.EffortMedium, llm.EffortHigh, llm.EffortMax} {
		r := ask(t, s.thinking(t), llm.UserText(tinymodel.AskWhy), false, &chat.TurnOptions{Effort: effort})
		if r.err != nil {
			return failed(r.err)
		}
		told := slices.ContainsFunc(r.adjusted, func(a llm.Adjustment) bool { return a.Name == "effort" })
		if told {
			continue
		}
		switch {
		case s.script != nil:
			asked := s.script.Asked()
			want := string(effort)
			if effort == llm.EffortOff {
				want = "none"
			}
			if asked[len(asked)-1].Effort != want {
				return "passed over in silence"
			}
		case (r.Message.Reasoning() == "") != (effort == llm.EffortOff):
			return "passed over in silence"
		case effort != llm.EffortOff: // the level cannot be observed
			if !slices.Contains(reached, "on") {
				reached = append(reached, "on")
			}
			continue
		}
		reached = append(reached, string(effort))
	}
	if reached == nil {
		return no
	}
	return strings.Join(reached, ", ")
}

// blue is an image.
func blue(t *testing.T) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 8, 8))
	for x := range 8 {
		for y := range 8 {
			img.Set(x, y, color.RGBA{B: 255, A: 255})
		}
	}
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, img))
	return b.Bytes()
}

// imageCell asks for the colour of an image.
func (s *subject) imageCell(t *testing.T, m llm.Model) string {
	question := llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: "What is its colour?"}, llm.Image{MIMEType: "image/png", Data: blue(t)}}}
	r := ask(t, m, question, false, nil)
	switch {
	case r.err != nil:
		return failed(r.err)
	case strings.Contains(r.Text(), "blue"):
		return yes
	case len(r.Warnings) > 0:
		return "no, and says so"
	}
	return no
}

// tokensCell reports where the token count comes from.
func (s *subject) tokensCell(t *testing.T) string {
	r := ask(t, s.model(t), llm.UserText(tinymodel.AskHello), false, nil)
	switch {
	case r.err != nil:
		return failed(r.err)
	case r.Text() != tinymodel.SayHello:
		return "answers otherwise: " + r.Text()
	case r.Usage.Estimated || r.Usage.Total == 0:
		return "estimated"
	}
	return "reported"
}

// formatCell asks for an answer with a schema and for any JSON object.
func (s *subject) formatCell(t *testing.T) string {
	schema := json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"},"people":{"type":"integer"}},"required":["city","people"],"additionalProperties":false}`)
	var good []string
	for _, f := range []struct {
		name string
		want *llm.OutputFormat
	}{{"schema", &llm.OutputFormat{Name: "place", Schema: schema}}, {"object", &llm.OutputFormat{}}} {
		r := ask(t, s.model(t), llm.UserText(tinymodel.AskJSON), false, &chat.TurnOptions{Format: f.want})
		if r.err != nil {
			return failed(r.err)
		}
		var place struct {
			City string `json:"city"`
		}
		if json.Unmarshal([]byte(r.Text()), &place) == nil && (place.City != "" || f.name == "object") {
			good = append(good, f.name)
		}
	}
	if good == nil {
		return no
	}
	return strings.Join(good, ", ")
}

// responsesCell reports what works over the Responses API.
func (s *subject) responsesCell(t *testing.T) string {
	if s.responses == nil {
		return "–"
	}
	var good []string
	for _, c := range []struct{ name, cell string }{
		{"text", s.helloCell(t, s.responses(t))},
		{"tools", s.toolCell(t, s.responses(t), tinymodel.AskTime, 1, 0)},
		{"reasoning", reasoningCell(t, s.thinkingResponses(t))},
		{"efforts", s.lowCell(t)},
		{"images", s.imageCell(t, s.responses(t))},
	} {
		if c.cell == yes {
			good = append(good, c.name)
		}
	}
	if good == nil {
		return no
	}
	return strings.Join(good, ", ")
}

// lowCell reports whether a low effort reaches the model over the Responses API.
func (s *subject) lowCell(t *testing.T) string {
	r := ask(t, s.thinkingResponses(t), llm.UserText(tinymodel.AskWhy), false, &chat.TurnOptions{Effort: llm.EffortLow})
	if r.err != nil || len(r.adjusted) > 0 || s.script == nil {
		return no // this cannot be observed at a real server
	}
	asked := s.script.Asked()
	if asked[len(asked)-1].Effort != string(llm.EffortLow) {
		return no
	}
	return yes
}

func (s *subject) helloCell(t *testing.T, m llm.Model) string {
	r := ask(t, m, llm.UserText(tinymodel.AskHello), false, nil)
	if r.err != nil || r.Text() != tinymodel.SayHello {
		return no
	}
	return yes
}

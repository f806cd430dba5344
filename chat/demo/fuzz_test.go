package demo_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/demo"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/schema"
	"github.com/localpass/localpass/toolspec"
)

// For any question, tools and results: nothing panics, the order of deltas is kept,
// arguments match the schema, and the turn ends.
func FuzzDemo(f *testing.F) {
	form := string(toolbox()[2].InputSchema)
	f.Add("What is a 15% tip on 80?", "tip", "Computes a tip.", form, `{"total":92}`, uint8(0), "")
	f.Add("use tool x with {\"a\":1} \xff", "x", "", `{"type":"object","required":["a"],"properties":{"a":{"anyOf":[{"type":"null"},{"type":"integer"}]}}}`, "text", uint8(1), "high")
	f.Add("“İstanbul” — in Rome: 5/2=(3", "İ", "Rome", `{"type":"object","properties":{"x":{"$ref":"#/properties/x"},"y":{"enum":["Rome","ROME"]}}}`, "{}", uint8(2), "max")
	f.Add("a", "a", "a", `{"type":"object","required":["b"],"properties":{"b":{"type":"string","pattern":"^[0-9]+$","minLength":40}}}`, "", uint8(3), "off")
	f.Add("long answer 30", "", "", `true`, "", uint8(4), "low")
	p, err := demo.New(nil)
	if err != nil {
		f.Fatal(err)
	}
	m, err := p.Model(context.Background(), demo.Name)
	if err != nil {
		f.Fatal(err)
	}
	modes := []llm.ToolMode{llm.ToolAuto, llm.ToolNone, llm.ToolRequired, llm.ToolNamed}
	f.Fuzz(func(t *testing.T, question, name, about, form, result string, mode uint8, effort string) {
		defs := append([]toolspec.Definition{{Name: name, Description: about, InputSchema: json.RawMessage(form)}}, toolbox()[:3]...)
		req := &llm.ModelRequest{Messages: []llm.Message{llm.UserText(question)}, Tools: defs, Turn: "t", Options: llm.Options{Effort: llm.Effort(effort)},
			ToolChoice: llm.ToolChoice{Mode: modes[int(mode)%len(modes)], Name: name}}
		if mode >= 128 {
			req.Format = &llm.OutputFormat{Schema: json.RawMessage(form)}
		}
		for round := 1; ; round++ {
			req.Round = round
			var deltas []llm.Delta
			var failed error
			var calls []llm.ToolCall
			for d, err := range m.Generate(context.Background(), req) {
				if failed = err; err != nil {
					break
				}
				deltas = append(deltas, d)
				switch d.Kind {
				case llm.DeltaToolStart:
					calls = append(calls, llm.ToolCall{ID: d.CallID, Name: d.Name})
				case llm.DeltaToolArgs:
					c := &calls[len(calls)-1]
					c.RawArguments += d.Text
				}
			}
			if name == "" && len(calls) > 0 { // a tool without a name is invalid
				return
			}
			if err := chattest.CheckDeltas(deltas, failed); err != nil {
				t.Fatal(err)
			}
			if len(calls) == 0 {
				return
			}
			if round > len(defs) {
				t.Fatalf("round %d still calls %v", round, calls)
			}
			answer := llm.Message{Role: llm.RoleAssistant, Round: round}
			var results []llm.ToolResult
			for _, c := range calls {
				check(t, defs, c)
				c.Arguments, c.RawArguments = json.RawMessage(c.RawArguments), ""
				answer.Parts = append(answer.Parts, c)
				results = append(results, llm.ToolResult{CallID: c.ID, Name: c.Name, IsError: strings.HasPrefix(result, "!"), Content: []toolspec.Content{toolspec.Text(result)}})
			}
			req.Messages = append(req.Messages, answer, llm.ToolResults(results...))
		}
	})
}

// check checks a call against the offered tools.
func check(t *testing.T, defs []toolspec.Definition, c llm.ToolCall) {
	t.Helper()
	for _, d := range defs {
		if d.Name != c.Name {
			continue
		}
		s, err := schema.Compile(d.InputSchema)
		if err != nil {
			t.Fatalf("a tool was called whose schema cannot be read: %v", err)
		}
		if err := s.Validate(json.RawMessage(c.RawArguments)); err == nil {
			return
		}
	}
	t.Fatalf("the call %s %s matches no tool", c.Name, c.RawArguments)
}

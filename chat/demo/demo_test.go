package demo_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/demo"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/toolspec"
)

func TestProvider(t *testing.T) {
	p, err := demo.New(nil)
	require.NoError(t, err)
	models, err := p.Models(t.Context())
	require.NoError(t, err)
	require.Len(t, models, 2)
	for _, info := range models {
		m, err := p.Model(t.Context(), info.Name)
		require.NoError(t, err)
		assert.Equal(t, info, m.Info())
		assert.Equal(t, p.ID(), m.Info().Provider)
		chattest.TestModel(t, func(*testing.T) llm.Model { return m }, nil)
	}
	_, err = p.Model(t.Context(), "gpt")
	assert.Equal(t, llm.CodeModelNotFound, llm.CodeOf(err))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = p.Models(ended)
	require.ErrorIs(t, err, context.Canceled)
	_, err = p.Model(ended, demo.Name)
	require.ErrorIs(t, err, context.Canceled)
	_, err = demo.New(&demo.Options{Pace: -1})
	require.ErrorIs(t, err, llm.ErrInvalid)
}

// after returns the request that follows the calls of an answer.
func after(req *llm.ModelRequest, calls []string, results ...string) *llm.ModelRequest {
	own := *req
	own.Round++
	m := llm.Message{Role: llm.RoleAssistant, Round: req.Round}
	var answers []llm.ToolResult
	for i, c := range calls {
		name, arguments, _ := strings.Cut(c, " ")
		id := "c" + results[i]
		m.Parts = append(m.Parts, llm.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(arguments)})
		r := llm.ToolResult{CallID: id, Name: name, Content: []toolspec.Content{toolspec.Text(results[i])}}
		if failed, ok := strings.CutPrefix(results[i], "!"); ok {
			r.IsError, r.Content[0].Text = true, failed
		}
		answers = append(answers, r)
	}
	own.Messages = append(append([]llm.Message(nil), req.Messages...), m, llm.ToolResults(answers...))
	return &own
}

func TestUsesResults(t *testing.T) {
	for _, c := range []struct{ question, result, want string }{
		{"What time is it in Seoul?", "09:30", "The tool getCurrentTime was called with city Seoul and answered: 09:30"},
		{"What time is it in Seoul?", "", "gave back no text"},
		{"What time is it in Seoul?", "line one\nline two", "answered:\n\nline one\nline two"},
		{"What is a 15% tip on 80?", `{"total":92,"tip":12}`, "answered: total: 92, tip: 12"},
		{"What is a 15% tip on 80?", `{"a":1,"b":2,"c":"x","d":[1,2]}`, "- a: 1\n- b: 2\n- c: x\n- d: [1,2]"},
		{"What is a 15% tip on 80?", "!the amount is too large", "The tool tipCalculator gave no result: the amount is too large"},
		{"What time is it in Seoul?", strings.Repeat("ä", 3000), "ä […]"},
	} {
		req := question(c.question)
		_, calls, _ := turn(t, req)
		require.Len(t, calls, 1)
		text, more, _ := turn(t, after(req, calls, c.result))
		assert.Empty(t, more, "what was called is not called again")
		assert.Contains(t, text, c.want)
		assert.True(t, strings.HasPrefix(text, "This is a demonstration"))
	}
	req := question("What is the weather in Paris, and roll the dice")
	_, calls, _ := turn(t, req)
	text, more, _ := turn(t, after(req, calls, "one", "two"))
	assert.Empty(t, more)
	assert.Contains(t, text, "answered: one\n\nThe tool ")
}

// A tool that returns a missing argument of another one is called first.
func TestChains(t *testing.T) {
	forecast := def("forecast", "Forecast of the weather at coordinates.", "latitude!:number", "longitude!:number")
	geocode := def("geocode", "Finds the coordinates of a place: its latitude and longitude.", "place!:string the place")
	req := question("What is the weather forecast for Busan?")
	req.Tools = []toolspec.Definition{forecast, geocode, def("other", "Something else.")}
	_, calls, _ := turn(t, req)
	require.Equal(t, []string{`geocode {"place":"Busan"}`}, calls)
	for _, result := range []string{`{"lat":35.18,"lon":129.07}`, `{"found":{"latitude":35.18,"longitude":129.07}}`} {
		req := after(req, calls, result)
		_, more, _ := turn(t, req)
		require.Len(t, more, 1, result)
		assert.Equal(t, `forecast {"latitude":35.18,"longitude":129.07}`, more[0])
		text, none, _ := turn(t, after(req, more, "rain"))
		assert.Empty(t, none)
		assert.Contains(t, text, "rain")
	}

	// The result of the first tool is not enough: the model reports it.
	text, none, _ := turn(t, after(req, calls, "somewhere"))
	assert.Empty(t, none)
	assert.Contains(t, text, "somewhere")

	req = question("First evaluate 6*7 then roll the dice")
	_, calls, _ = turn(t, req)
	assert.Len(t, calls, 1, "one after another")
	_, more, _ := turn(t, after(req, calls, "42"))
	assert.Len(t, more, 1)
	assert.NotEqual(t, strings.Fields(calls[0])[0], strings.Fields(more[0])[0])
}

func TestAsksBack(t *testing.T) {
	req := question("Please send a mail")
	text, calls, _ := turn(t, req)
	require.Empty(t, calls)
	req.Messages = append(req.Messages, llm.AssistantText(text), llm.UserText("ada@example.com"))
	text, calls, _ = turn(t, req)
	require.Empty(t, calls)
	assert.NotContains(t, text, "demonstration", "it was said already")
	assert.Contains(t, text, "is missing: body (the text of the message)")
	req.Messages = append(req.Messages, llm.AssistantText(text), llm.UserText("See you at nine."))
	_, calls, _ = turn(t, req)
	assert.Equal(t, []string{`sendMail {"body":"See you at nine","to":"ada@example.com"}`}, calls)

	req = question("Convert 25 EUR")
	text, _, _ = turn(t, req)
	req.Messages = append(req.Messages, llm.AssistantText(text), llm.UserText("USD"))
	_, calls, _ = turn(t, req)
	assert.Equal(t, []string{`convertCurrency {"amount":25,"from":"EUR","to":"USD"}`}, calls)

	req = question("Compute a tip")
	text, _, _ = turn(t, req)
	req.Messages = append(req.Messages, llm.AssistantText(text), llm.UserText("80"))
	text, calls, _ = turn(t, req)
	require.Empty(t, calls)
	req.Messages = append(req.Messages, llm.AssistantText(text), llm.UserText("15%"))
	_, calls, _ = turn(t, req)
	assert.Equal(t, []string{`tipCalculator {"amount":80,"percent":15}`}, calls)

	// An unrelated message is no answer to the question of the model.
	req = question("Please send a mail")
	text, _, _ = turn(t, req)
	req.Messages = append(req.Messages, llm.AssistantText(text), llm.UserText("What is the weather in Oslo?"))
	_, calls, _ = turn(t, req)
	assert.Equal(t, []string{`get_weather {"location":"Oslo"}`}, calls)
}

func TestToolChoice(t *testing.T) {
	req := question("What time is it in Seoul?")
	req.ToolChoice = llm.ToolChoice{Mode: llm.ToolNone}
	text, calls, _ := turn(t, req)
	assert.Empty(t, calls)
	assert.NotEmpty(t, text)

	req = question("Nothing of this fits at all")
	req.ToolChoice = llm.ToolChoice{Mode: llm.ToolRequired}
	_, calls, _ = turn(t, req)
	require.Len(t, calls, 1)
	text, more, _ := turn(t, after(req, calls, "done"))
	assert.Empty(t, more, "a turn has to end")
	assert.Contains(t, text, "done")

	for _, d := range toolbox() {
		req.ToolChoice = llm.ToolChoice{Mode: llm.ToolNamed, Name: d.Name}
		_, calls, _ := turn(t, req)
		require.Len(t, calls, 1, d.Name)
		assert.True(t, strings.HasPrefix(calls[0], d.Name+" "))
	}
	req.ToolChoice = llm.ToolChoice{Mode: llm.ToolNamed, Name: "noSuchTool"}
	text, calls, _ = turn(t, req)
	assert.Empty(t, calls)
	assert.NotEmpty(t, text)
	req.Tools = []toolspec.Definition{{Name: "never", InputSchema: json.RawMessage(`{"type":"object","required":["a"],"properties":{"a":false}}`)}}
	req.ToolChoice = llm.ToolChoice{Mode: llm.ToolRequired}
	_, calls, _ = turn(t, req)
	assert.Empty(t, calls, "rather no call than a wrong one")
}

func TestFormat(t *testing.T) {
	for _, c := range []struct{ question, form, want string }{
		{"Ada, 36, ada@example.com, likes tea", `{"type":"object","required":["age","email"],"properties":{"age":{"type":"integer"},"email":{"type":"string","format":"email"}}}`,
			`{"age":36,"email":"ada@example.com"}`},
		{"Is it red or blue? It is blue.", `{"type":"object","required":["colour"],"properties":{"colour":{"enum":["green","blue"]}}}`, `{"colour":"blue"}`},
		{"Nothing", `{"type":"object","required":["n","list","in"],"properties":{"n":{"type":"integer","minimum":5},"list":{"type":"array","minItems":2,"items":{"type":"boolean"}},` +
			`"in":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"object","required":["a"],"properties":{"a":{"const":"b"}}}}}`, `{"n":10,"list":[false,false],"in":{"a":"b"}}`},
		{"Three numbers: 1, 2, 3", `{"type":"object","required":["numbers"],"properties":{"numbers":{"type":"array","items":{"type":"number"}}}}`, `{"numbers":[1,2,3]}`},
		{"x", `{"type":"array","items":{"type":"string"}}`, `[]`},
	} {
		req := &llm.ModelRequest{Messages: []llm.Message{llm.UserText(c.question)}, Format: &llm.OutputFormat{Schema: json.RawMessage(c.form)}}
		text, _, _ := turn(t, req)
		assert.JSONEq(t, c.want, text)
	}
	text, _, _ := turn(t, &llm.ModelRequest{Messages: []llm.Message{llm.UserText("x")}, Format: &llm.OutputFormat{}})
	assert.True(t, json.Valid([]byte(text)))
	text, _, _ = turn(t, &llm.ModelRequest{Messages: []llm.Message{llm.UserText("x")}, Format: &llm.OutputFormat{Schema: json.RawMessage(`{"type":"object","minProperties":3}`)}})
	assert.True(t, json.Valid([]byte(text)))
}

func kinds(deltas []llm.Delta) map[llm.DeltaKind]string {
	m := map[llm.DeltaKind]string{}
	for _, d := range deltas {
		m[d.Kind] += d.Text
	}
	return m
}

func TestOptions(t *testing.T) {
	lines := map[llm.Effort]int{llm.EffortDefault: 0, llm.EffortOff: 0, llm.EffortLow: 1, llm.EffortMedium: 3, llm.EffortHigh: 3, llm.EffortMax: 3}
	for effort, want := range lines {
		req := question("What is a 15% tip on 80 in Seoul?")
		req.Options.Effort = effort
		_, _, deltas := turn(t, req)
		thoughts := kinds(deltas)[llm.DeltaReasoning]
		got := 0
		if thoughts != "" {
			got = 1 + strings.Count(thoughts, "\n")
		}
		assert.GreaterOrEqual(t, got, want, effort)
		assert.Equal(t, want > 0, got > 0, effort)
		usage := deltas[len(deltas)-2].Usage
		require.NotNil(t, usage)
		assert.True(t, usage.Estimated)
		assert.Equal(t, usage.Input+usage.Output, usage.Total)
		assert.Equal(t, got > 0, usage.Reasoning > 0)
	}
	_, _, deltas := turn(t, question("Think first: what time is it in Seoul?"))
	assert.NotEmpty(t, kinds(deltas)[llm.DeltaReasoning])
	req := question("")
	req.Tools, req.Options.Effort = nil, llm.EffortLow
	text, _, deltas := turn(t, req)
	assert.NotEmpty(t, kinds(deltas)[llm.DeltaReasoning])
	assert.Contains(t, text, "no tools here")

	ten, half, five := 10, 0.5, 5
	req = question("long answer 100")
	req.Options = llm.Options{MaxTokens: &ten, Temperature: &half, TopK: &five, Overlay: json.RawMessage(`{"a":1}`)}
	text, _, deltas = turn(t, req)
	assert.Less(t, len(text), 80)
	assert.Equal(t, llm.FinishLength, deltas[len(deltas)-1].Finish)
	var adjusted []string
	for _, d := range deltas {
		if d.Kind == llm.DeltaAdjusted {
			adjusted = append(adjusted, d.Adjusted.Name)
		}
	}
	assert.Equal(t, []string{"temperature", "topK", "overlay"}, adjusted)
	req.Options = llm.Options{MaxTokens: &five, Effort: llm.EffortMax}
	text, _, deltas = turn(t, req)
	assert.Empty(t, text)
	assert.Equal(t, llm.FinishLength, deltas[len(deltas)-1].Finish)
	req.Options = llm.Options{Stop: []string{"nothing", "never"}}
	text, _, _ = turn(t, req)
	assert.True(t, strings.HasSuffix(text, "these words say "))
	text, _, _ = turn(t, question("long answer 250"))
	assert.Len(t, strings.Fields(text), 250+len(strings.Fields("This is a demonstration, not a language model: it follows fixed rules.")))
}

func TestContext(t *testing.T) {
	m := llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: "[1] Hours\nThe library opens at nine.\n[2] Rules\nNo shouting."}, llm.Text{Text: "When does the library open?"}}}
	text, _, _ := turn(t, &llm.ModelRequest{Messages: []llm.Message{m}})
	assert.Contains(t, text, "“The library opens at nine.”")
	m.Parts[1] = llm.Text{Text: "Who is Bob?"}
	text, _, _ = turn(t, &llm.ModelRequest{Messages: []llm.Message{m}})
	assert.Contains(t, text, "Nothing of what came along")
	text, _, _ = turn(t, &llm.ModelRequest{})
	assert.NotEmpty(t, text)
	req := question("Who?")
	req.Tools = append(req.Tools, toolspec.Definition{Name: "bare"})
	text, _, _ = turn(t, req)
	assert.Contains(t, text, "and 6 more")
}

func TestFails(t *testing.T) {
	p, err := demo.New(nil)
	require.NoError(t, err)
	m, err := p.Model(t.Context(), demo.Name)
	require.NoError(t, err)
	for _, err := range m.Generate(t.Context(), question(" FAIL ")) {
		assert.Equal(t, llm.CodeUnavailable, llm.CodeOf(err))
	}
	_, _, _ = turn(t, question("Why did it fail?"))
}

func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := demo.New(&demo.Options{Pace: 10 * time.Millisecond})
		require.NoError(t, err)
		m, err := p.Model(t.Context(), demo.Name)
		require.NoError(t, err)
		began, n := time.Now(), 0
		for d, err := range m.Generate(t.Context(), question("What time is it in Seoul?")) {
			require.NoError(t, err)
			if d.Kind == llm.DeltaToolArgs {
				n++
			}
		}
		assert.Equal(t, time.Duration(n)*10*time.Millisecond, time.Since(began))
		began, n = time.Now(), 0
		for d, err := range m.Generate(t.Context(), question("long answer 20")) {
			require.NoError(t, err)
			if d.Kind == llm.DeltaText {
				n++
			}
		}
		assert.Equal(t, time.Duration(n-1)*10*time.Millisecond, time.Since(began))

		ctx, cancel := context.WithTimeout(t.Context(), 55*time.Millisecond)
		defer cancel()
		var failed error
		for _, err := range m.Generate(ctx, question("long answer 20")) {
			failed = err
		}
		require.ErrorIs(t, failed, context.DeadlineExceeded)
	})
}

// A whole turn of a client.
func TestInAClient(t *testing.T) {
	type in struct {
		City string `json:"city" jsonschema:"the city"`
	}
	clock, err := toolspec.Func("getTime", "Returns the time of day in a city.", func(_ context.Context, v in) (string, error) { return "nine in " + v.City, nil },
		&toolspec.FuncOptions{Level: toolspec.L0})
	require.NoError(t, err)
	p, err := demo.New(nil)
	require.NoError(t, err)
	m, err := p.Model(t.Context(), demo.Name)
	require.NoError(t, err)
	c, err := chat.NewClient(m, &chat.ClientOptions{Tools: toolspec.Tools(clock), Uncertified: []string{"getTime"}, Options: llm.Options{Effort: llm.EffortHigh}})
	require.NoError(t, err)
	var events []chat.Event
	collect := chat.NewCollector()
	for ev, err := range c.Stream(t.Context(), "", llm.UserText("What time is it in Seoul?"), nil) {
		require.NoError(t, err)
		events = append(events, ev)
		collect.Add(ev)
	}
	require.NoError(t, chattest.CheckEvents(events))
	resp := collect.Response()
	assert.Contains(t, resp.Text(), "nine in Seoul")
	assert.Equal(t, 2, resp.Rounds)
	assert.True(t, resp.Usage.Estimated)
}

package demo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/demo"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/toolspec"
)

// def returns a definition with fields written as name:type, with ! if required.
func def(name, about string, fields ...string) toolspec.Definition {
	properties := []string{}
	required := []string{}
	for _, f := range fields {
		key, form, _ := strings.Cut(f, ":")
		if k, ok := strings.CutSuffix(key, "!"); ok {
			key = k
			required = append(required, k)
		}
		if !strings.HasPrefix(form, "{") {
			kind, about, _ := strings.Cut(form, " ")
			form = fmt.Sprintf(`{"type":%q,"description":%q}`, kind, about)
		}
		properties = append(properties, fmt.Sprintf("%q:%s", key, form))
	}
	need, _ := json.Marshal(required)
	return toolspec.Definition{Name: name, Description: about,
		InputSchema: json.RawMessage(`{"type":"object","properties":{` + strings.Join(properties, ",") + `},"required":` + string(need) + `,"additionalProperties":false}`)}
}

// toolbox returns tools of many kinds.
func toolbox() []toolspec.Definition {
	return []toolspec.Definition{
		def("getCurrentTime", "Returns the current time of day in a city or time zone.", "city:string the city, such as Paris", "zone:string IANA time zone"),
		def("get_weather", "Current weather at a place: temperature, wind and sky.", "location!:string the city", `unit:{"type":"string","enum":["celsius","fahrenheit"],"default":"celsius"}`),
		def("tipCalculator", "Computes the tip for a bill.", "amount!:number the bill", `percent!:{"type":"number","description":"the percentage of the tip","minimum":0,"maximum":100}`),
		def("convertCurrency", "Converts an amount of money from one currency to another.", "amount!:number", "from!:{\"type\":\"string\",\"enum\":[\"EUR\",\"USD\",\"KRW\"]}", "to!:{\"type\":\"string\",\"enum\":[\"EUR\",\"USD\",\"KRW\"]}"),
		def("evaluate", "Evaluates an arithmetic expression.", "expression!:string the expression, such as 2+3"),
		def("hashText", "Computes the digest of a text.", "text!:string", `algorithm:{"type":"string","enum":["sha256","md5"]}`),
		def("sendMail", "Sends an e-mail message to somebody.", `to!:{"type":"string","format":"email"}`, "subject:string", "body!:string the text of the message"),
		def("fetchPage", "Downloads a web page and returns its text.", `url!:{"type":"string","format":"uri"}`),
		def("searchDocuments", "Searches the documents of the user for passages.", "query!:string what to look for", "topK:integer how many passages"),
		def("sumNumbers", "Adds up a list of numbers.", `numbers!:{"type":"array","items":{"type":"number"},"minItems":1}`),
		def("readFile", "Reads a file of the workspace.", "path!:string the path of the file"),
		def("createEvent", "Adds an event to the calendar.", "title!:string", `date!:{"type":"string","format":"date"}`, "remind:boolean whether to send a reminder"),
		def("rollDice", "Rolls dice and returns what they show.", `count:{"type":"integer","minimum":1,"maximum":10}`),
	}
}

// turn makes one model call and returns its text and its calls.
func turn(t testing.TB, req *llm.ModelRequest) (text string, calls []string, deltas []llm.Delta) {
	t.Helper()
	return turnOf(t, newModel(t), req)
}

func newModel(t testing.TB) llm.Model {
	t.Helper()
	p, err := demo.New(nil)
	require.NoError(t, err)
	m, err := p.Model(context.Background(), demo.Name)
	require.NoError(t, err)
	return m
}

func turnOf(t testing.TB, m llm.Model, req *llm.ModelRequest) (text string, calls []string, deltas []llm.Delta) {
	t.Helper()
	var failed error
	for d, err := range m.Generate(context.Background(), req) {
		if failed = err; err != nil {
			break
		}
		deltas = append(deltas, d)
		switch d.Kind {
		case llm.DeltaText:
			text += d.Text
		case llm.DeltaToolStart:
			calls = append(calls, d.Name+" ")
		case llm.DeltaToolArgs:
			calls[len(calls)-1] += d.Text
		}
	}
	require.NoError(t, failed)
	require.NoError(t, chattest.CheckDeltas(deltas, nil))
	return text, calls, deltas
}

func question(question string) *llm.ModelRequest {
	return &llm.ModelRequest{Messages: []llm.Message{llm.UserText(question)}, Tools: toolbox(), Turn: "t_1", Round: 1}
}

func TestChooses(t *testing.T) {
	for _, c := range []struct {
		question string
		calls    []string
		text     string // the text if there is no call
	}{
		{question: "What time is it in Seoul?", calls: []string{`getCurrentTime {"city":"Seoul"}`}},
		{question: "what is the time in America/New_York right now", calls: []string{`getCurrentTime {"zone":"America/New_York"}`}},
		{question: "How's the weather in New York, in fahrenheit please?", calls: []string{`get_weather {"location":"New York","unit":"fahrenheit"}`}},
		{question: "What is a 15% tip on 80?", calls: []string{`tipCalculator {"amount":80,"percent":15}`}},
		{question: "Tip of 12.5 percent for a bill of $64.20", calls: []string{`tipCalculator {"amount":64.20,"percent":12.5}`}},
		{question: "Convert 25 EUR to KRW", calls: []string{`convertCurrency {"amount":25,"from":"EUR","to":"KRW"}`}},
		{question: "Evaluate (3 + 4) * 2", calls: []string{`evaluate {"expression":"(3 + 4) * 2"}`}},
		{question: "Evaluate 15% of 80, please", calls: []string{`evaluate {"expression":"15% of 80"}`}},
		{question: `Hash the text "hello world" with md5`, calls: []string{`hashText {"algorithm":"md5","text":"hello world"}`}},
		{question: "Please compute the digest of banana", calls: []string{`hashText {"text":"banana"}`}},
		{question: `Send a mail to ada@example.com: Lunch is at one.`, calls: []string{`sendMail {"body":"Lunch is at one.","to":"ada@example.com"}`}},
		{question: "Download the page https://example.com/a?b=1.", calls: []string{`fetchPage {"url":"https://example.com/a?b=1"}`}},
		{question: "Search my documents for opening hours", calls: []string{`searchDocuments {"query":"opening hours"}`}},
		{question: "Add up the numbers 1, 2.5 and -3", calls: []string{`sumNumbers {"numbers":[1,2.5,-3]}`}},
		{question: "Read the file notes/today.md", calls: []string{`readFile {"path":"notes/today.md"}`}},
		{question: `Add "Dentist" to the calendar on 2026-12-24 with a reminder`, calls: []string{`createEvent {"date":"2026-12-24","remind":true,"title":"Dentist"}`}},
		{question: "Roll the dice", calls: []string{`rollDice {}`}},
		{question: "Roll dice with count=3", calls: []string{`rollDice {"count":3}`}},
		{question: "use tool rollDice with count=4", calls: []string{`rollDice {"count":4}`}},
		{question: `call sendMail {"to":"bob@example.com","body":"hi"}`, calls: []string{`sendMail {"body":"hi","to":"bob@example.com"}`}},
		{question: "What is the weather in Paris, and roll the dice", calls: []string{`get_weather {"location":"Paris"}`, `rollDice {}`}},
		{question: "Send a mail", text: "one thing is missing: to"},
		{question: "Convert 25 EUR", text: "Which one: EUR, USD, KRW?"},
		{question: "Hello!", text: "No tool here fits"},
		{question: "Who wrote Hamlet?", text: "No tool here fits"},
		{question: "", text: "No tool here fits"},
	} {
		t.Run(c.question, func(t *testing.T) {
			text, calls, _ := turn(t, question(c.question))
			assert.ElementsMatch(t, c.calls, calls, text)
			if c.text != "" {
				assert.Contains(t, text, c.text)
				assert.Contains(t, text, "This is a demonstration, not a language model")
			}
		})
	}
}

// The model notices that the tools have changed.
func TestToolsThatChange(t *testing.T) {
	m := newModel(t)
	for range 2 {
		for _, form := range []string{`{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}`, `{"type":"object","required":["s"],"properties":{"s":{"type":"string"}}}`} {
			req := question("double 21")
			req.Tools = []toolspec.Definition{{Name: "double", Description: "Doubles.", InputSchema: json.RawMessage(form)}}
			_, calls, _ := turnOf(t, m, req)
			require.Len(t, calls, 1)
			assert.Equal(t, strings.Contains(form, `"n"`), strings.Contains(calls[0], `{"n":21}`), calls[0])
			copy(req.Tools[0].InputSchema, "spoiled") // the caller may change its request afterwards
		}
	}
}

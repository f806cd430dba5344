package openai_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/openai"
)

// FuzzStream reads any bytes as a stream, whole and in pieces: nothing panics, the order
// of deltas is kept, nothing is left open, and both ways give the same result.
func FuzzStream(f *testing.F) {
	for _, c := range streams() {
		if len(c.in) < 4<<10 {
			f.Add(c.in, 3)
		}
	}
	f.Fuzz(func(t *testing.T, in string, n int) {
		if len(in) > 8<<10 || n < 1 {
			return
		}
		q := openai.Quirks{ThinkTags: true, RescueCalls: n%2 == 0}
		read := func(pieces func() int) result {
			s := &server{answers: []answer{{body: in, pieces: pieces}}}
			r := run(t, ask(t, s, openai.Options{Quirks: &q}, "m"), request("getTime", "getTimeZone", "getWeather"))
			if s.open != 0 {
				t.Fatal("a body is open")
			}
			return r
		}
		whole, cut := read(nil), read(func() int { return n })
		if whole.text != cut.text || whole.reasoning != cut.reasoning || strings.Join(whole.calls, "|") != strings.Join(cut.calls, "|") || whole.finish != cut.finish || whole.code != cut.code {
			t.Fatalf("%+v\n%+v", whole, cut)
		}
		if !utf8.ValidString(whole.text + whole.reasoning + whole.refusal + strings.Join(whole.calls, "")) {
			t.Fatalf("not UTF-8: %+v", whole)
		}
		if whole.err != nil && whole.code == llm.CodeInternal {
			t.Fatalf("an error without a code: %v", whole.err)
		}
	})
}

// FuzzChunk compares the reader of chunks with encoding/json for chunks of the usual
// form.
func FuzzChunk(f *testing.F) {
	f.Add(d(`{"content":"a\ud83d\ude00\n\"","x":[1,{"y":null}],"role":"assistant"}`))
	f.Add(`{"choices":[{"finish_reason":"stop","delta":{"content":""}}],"usage":{"a":[true,false,1.5e-3]}} `)
	f.Add(`{"choices":[{"delta":{"content":"\uD83D \u00e9\\"}}]}`)
	f.Fuzz(func(t *testing.T, data string) {
		text, finish, err := openai.ReadChunk([]byte(data))
		var want struct {
			Choices []struct {
				Delta struct {
					Content any `json:"content"`
				} `json:"delta"`
				Message any `json:"message"`
				Finish  any `json:"finish_reason"`
			} `json:"choices"`
		}
		if json.Unmarshal([]byte(data), &want) != nil || len(want.Choices) != 1 || want.Choices[0].Message != nil || !utf8.ValidString(data) {
			return // it need not fail; it must not panic
		}
		if names := strings.ToLower(data); strings.Count(names, `"choices"`) != 1 || strings.Count(names, `"delta"`) != 1 || strings.Count(names, `"content"`) != 1 || strings.Count(names, `"finish_reason"`) > 1 ||
			strings.Contains(data, `\u00`) || names != data {
			return // a repeated name, or a name in another case
		}
		if err != nil {
			if strings.Count(data, "[")+strings.Count(data, "{") < 500 {
				t.Fatalf("%q is JSON: %v", data, err)
			}
			return
		}
		if content, ok := want.Choices[0].Delta.Content.(string); ok && content != text {
			t.Fatalf("%q: %q and not %q", data, text, content)
		}
		if reason, ok := want.Choices[0].Finish.(string); ok && finish != reason {
			t.Fatalf("%q: %q and not %q", data, finish, reason)
		}
	})
}

// FuzzFragments makes streams of calls in which fragments may be missing, repeated or
// mixed up: the order of deltas is kept, and every complete call is sent once.
func FuzzFragments(f *testing.F) {
	ending := endOfCalls
	f.Add([]byte{0, 1, 2, 3, 250, 17, 99, 4})
	f.Add([]byte("any bytes will do, they choose the pieces"))
	args := []string{"", "{", "}", `{}`, `{"a":`, `{"a":1`, `{"a":1}`, `1}`, `"x"`, `{"a":{"a":1}}`, " ", `é`, `\`}
	names := []string{"", "", "getTime", "get", "Time", "getTimeZone", "getWeather", "other"}
	ids := []string{"", "", "a", "b", "c"}
	f.Fuzz(func(t *testing.T, choose []byte) {
		if len(choose) > 200 {
			return
		}
		var pieces []string
		for len(choose) >= 4 {
			c := choose[:4]
			choose = choose[4:]
			if c[0]%11 == 0 {
				pieces = append(pieces, d(`{"content":"text ","reasoning":"hm"}`))
			}
			quoted, _ := json.Marshal(args[int(c[3])%len(args)])
			piece := `"id":"` + ids[int(c[1])%len(ids)] + `","function":{"name":"` + names[int(c[2])%len(names)] + `","arguments":` + string(quoted) + `}`
			if c[0]%5 != 0 {
				piece = `"index":` + string('0'+c[0]%3) + `,` + piece
			}
			pieces = append(pieces, call("{"+piece+"}"))
		}
		in := sse(append(pieces, ending, done)...)
		s := &server{answers: []answer{{body: in}}}
		r := run(t, ask(t, s, openai.Options{}, "m"), request("getTime", "getTimeZone", "getWeather"))
		if r.err != nil {
			t.Fatalf("%v: %s", r.err, in)
		}
		seen := map[string]bool{}
		for _, c := range r.calls {
			id, _, _ := strings.Cut(c, " ")
			if seen[id] {
				t.Fatalf("the id %q twice: %s", id, in)
			}
			seen[id] = true
		}
	})
}

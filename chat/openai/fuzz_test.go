package openai_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/openai"
)

// FuzzStream reads anything as a stream, whole and in pieces: no panic, the rules
// of deltas hold, nothing is left open, and the pieces make no difference.
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
		if whole.err != nil && whole.code == chat.CodeInternal {
			t.Fatalf("an error without a code: %v", whole.err)
		}
	})
}

package approval

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever a signed reply holds, a decision comes out only for what was asked,
// once, with an outcome that a person can say.
func FuzzWebhookReply(f *testing.F) {
	f.Add([]byte(`{"id":"m","decisions":[{"request":"r1","outcome":"approved","arguments":{"a":1},"scope":"time","until":"2026-08-01T00:00:00Z"}]}`))
	f.Add([]byte(`{"id":"m","decisions":[{"request":"r2","outcome":"declined"},{"request":"r1","outcome":"cancelled","reason":"x"}]}`))
	f.Add([]byte(`{"id":"m","decisions":null}`))
	f.Add([]byte(`{"id":"m","decisions":[null]}`))
	f.Add([]byte(`{"id":"m","ID":"n","decisions":[{}]}`))
	f.Add([]byte("\xff"))
	w := &webhook{host: "example.com"}
	asked := []Request{{ID: "r1"}, {ID: "r2"}}
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := w.decisions("m", asked, body)
		if err != nil {
			if got != nil {
				t.Fatal("decisions beside an error")
			}
			return
		}
		seen := map[string]bool{}
		for _, d := range got {
			if d.Request != "r1" && d.Request != "r2" || seen[d.Request] {
				t.Fatalf("%+v was not asked, or twice", d)
			}
			seen[d.Request] = true
			if d.Outcome != Approved && d.Outcome != Declined && d.Outcome != Cancelled || d.Via != "webhook" {
				t.Fatalf("%+v", d)
			}
			if d.Arguments != nil && !json.Valid(d.Arguments) {
				t.Fatalf("%q is no JSON", d.Arguments)
			}
		}
	})
}

// What is shown holds nothing that is not seen, and JSON stays the same JSON.
func FuzzEscapeHidden(f *testing.F) {
	for _, s := range []string{"plain", "a\u202eb", "\x1b[2J", `"\u202e"`, "\xff\xfe", "e\u0301\u0301\u0301\u0301", "\U000e0041", "\u3164", "a\nb\tc", "\ufffd"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := escapeHidden(s)
		if !utf8.ValidString(out) {
			t.Fatalf("%q is not UTF-8", out)
		}
		for _, r := range out {
			if hidden(r) && r != utf8.RuneError {
				t.Fatalf("%q is in %q", r, out)
			}
		}
		if again := escapeHidden(out); again != out {
			t.Fatalf("%q becomes %q", out, again)
		}
		if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' }) {
			quoted, _ := json.Marshal(s)
			var back string
			if err := json.Unmarshal([]byte(escapeHidden(string(quoted))), &back); err != nil || back != s {
				t.Fatalf("%q comes back as %q, %v", s, back, err)
			}
		}
		for _, line := range wrap(escapeText(s), 20) {
			if n := len(line); n > 80 {
				t.Fatalf("a line of %d bytes", n)
			}
		}
	})
}

package wire_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/chat/internal/wire"
)

// pushAll pushes a text in pieces of n bytes, or at once if n is 0.
func pushAll(s string, n int) (reasoning, answer string) {
	var split wire.Thinking
	if n == 0 {
		n = max(len(s), 1)
	}
	for s != "" {
		r, a := split.Push(s[:min(n, len(s))])
		reasoning, answer, s = reasoning+r, answer+a, s[min(n, len(s)):]
	}
	r, a := split.Flush()
	return reasoning + r, answer + a
}

func TestThinkingSplitsAtEveryByte(t *testing.T) {
	for in, want := range map[string][2]string{
		"":                                    {"", ""},
		"plain":                               {"", "plain"},
		" \n plain <think>no</think>":         {"", " \n plain <think>no</think>"},
		"<think>a\nb</think>\n\nHello":        {"a\nb", "Hello"},
		"\n<thinking>a</thinking>b":           {"a", "b"},
		"[THINK]a[/THINK]b":                   {"a", "b"},
		"<think>a</think> <think>b</think>c":  {"ab", "c"},
		"<think>a</thin":                      {"a</thin", ""},
		"<think>a</think":                     {"a</think", ""},
		"<thin":                               {"", "<thin"},
		"<think>":                             {"", ""},
		"<think>a</think>\n":                  {"a", ""},
		"<think>a</think> <th":                {"a", "<th"},
		"<think>x < y </ z</think>ok":         {"x < y </ z", "ok"},
		strings.Repeat(" ", 2000) + "<think>": {"", strings.Repeat(" ", 2000) + "<think>"},
	} {
		for n := range min(len(in)+1, 40) {
			r, a := pushAll(in, n)
			assert.Equal(t, want[0], r, "%q by %d", in, n)
			assert.Equal(t, want[1], a, "%q by %d", in, n)
		}
	}
}

func TestThinkingTakesManyBlocksAtOnce(t *testing.T) {
	const blocks = 300_000 // quadratic if each block copied all earlier ones
	start := time.Now()
	reasoning, answer := pushAll(strings.Repeat("<think>abcdefgh</think>", blocks)+"so", 0)
	assert.Len(t, reasoning, 8*blocks)
	assert.Equal(t, "so", answer)
	assert.Less(t, time.Since(start), 2*time.Minute)
}

func FuzzThinking(f *testing.F) {
	f.Add("<think>a</think>\n\nb<think>", 3)
	f.Add(" [THINK]", 1)
	f.Fuzz(func(t *testing.T, s string, n int) {
		if n < 1 || len(s) > 4<<10 {
			return
		}
		r, a := pushAll(s, 0)
		r2, a2 := pushAll(s, n)
		if r != r2 || a != a2 {
			t.Fatalf("%q by %d: %q %q and not %q %q", s, n, r2, a2, r, a)
		}
		if len(r)+len(a) > len(s) {
			t.Fatalf("%q has become longer: %q %q", s, r, a)
		}
	})
}

func mendAll(s string, n int) string {
	var u wire.UTF8
	var out strings.Builder
	if n == 0 {
		n = max(len(s), 1)
	}
	for s != "" {
		out.WriteString(u.Push(s[:min(n, len(s))]))
		s = s[min(n, len(s)):]
	}
	out.WriteString(u.Flush())
	return out.String()
}

func TestUTF8HoldsBackWhatIsNotComplete(t *testing.T) {
	for in, want := range map[string]string{
		"":                                     "",
		"a":                                    "a",
		"aé漢😀z":                                "aé漢😀z",
		"\xed\xa0\xbd\xed\xb8\x80!":            "😀!",
		"\xed\xa0\xbd!":                        "\uFFFD!",
		"\xed\xa0\xbd":                         "\uFFFD",
		"\xed\xb8\x80":                         "\uFFFD",
		"\xed\xa0\xbd\xed":                     "\uFFFD\uFFFD",
		"\xed\xa0\xbd\xed\xb8":                 "\uFFFD\uFFFD\uFFFD",
		"\xed\xa0\xbd\xed\xa0\xbd\xed\xb8\x80": "\uFFFD😀",
		"\xed\xa0":                             "\uFFFD\uFFFD",
		"a\xffb\xe2\x82":                       "a\uFFFDb\uFFFD\uFFFD",
		"\xe2\x82A":                            "\uFFFD\uFFFDA",
		"\xed\x9f\xbf":                         "\ud7ff",
	} {
		for n := range len(in) + 1 {
			assert.Equal(t, want, mendAll(in, n), "%q by %d", in, n)
		}
	}
	var u wire.UTF8
	assert.Equal(t, "a", u.Push("a\xf0\x9f"))
	assert.Equal(t, "😀", u.Push("\x98\x80"))
	assert.Zero(t, testing.AllocsPerRun(100, func() { u.Push("plain text") }))
}

func FuzzUTF8(f *testing.F) {
	f.Add("\xed\xa0\xbd\xed\xb8\x80é", 2)
	f.Fuzz(func(t *testing.T, s string, n int) {
		if n < 1 || len(s) > 4<<10 {
			return
		}
		whole := mendAll(s, 0)
		if got := mendAll(s, n); got != whole {
			t.Fatalf("%q by %d: %q and not %q", s, n, got, whole)
		}
		if !utf8.ValidString(whole) {
			t.Fatalf("%q is not valid", whole)
		}
		if utf8.ValidString(s) && whole != s {
			t.Fatalf("%q became %q", s, whole)
		}
	})
}

package sandbox

import (
	"encoding/json"
	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/toolspec/activity"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
)

func sampleCall() *callMessage {
	return &callMessage{
		key: programKey{1, 2, 3}, source: "return 'é'", hasSource: true, timeout: time.Second, statements: 5, count: true, stream: true, tools: true,
		seed: []byte(strings.Repeat("s", 32)), now: -7,
		globals: []toolspec.Global{{Name: "a", Value: json.RawMessage(`{"b":1}`)}, {Name: "", Value: json.RawMessage(`null`)}},
		unset:   []string{"c", "größe"},
	}
}

func sampleResult() *resultMessage {
	return &resultMessage{recycle: true, outcome: toolspec.Outcome{
		Result: json.RawMessage(`{"a":[1]}`), Usage: activity.Usage{CPU: 5, Statements: 6, Memory: 8, MemoryBefore: 7},
		Console: []activity.ConsoleLine{{Level: "log", Text: "é", Line: 3, Column: 4}, {Level: "error"}},
	}}
}

func sampleFailure() *resultMessage {
	return &resultMessage{outcome: toolspec.Outcome{Result: json.RawMessage{}, Err: &toolspec.CallError{
		Kind: toolspec.KindJSError, Reason: "TypeError", Component: "user-code", Message: "bad", Line: 3, Column: 4,
	}}}
}

func TestMessagesRoundTrip(t *testing.T) {
	call, err := decodeCall(sampleCall().encode(nil))
	require.NoError(t, err)
	assert.Equal(t, sampleCall(), call)
	assert.Equal(t, []string{"a", "", "c", "größe"}, call.names())
	assert.Nil(t, (&callMessage{}).names())

	check, err := decodeCheck((&checkMessage{source: "x", names: []string{"a", "b"}}).encode(nil))
	require.NoError(t, err)
	assert.Equal(t, &checkMessage{source: "x", names: []string{"a", "b"}}, check)

	lim := table()
	result, err := decodeResult(sampleResult().encode(nil), &lim)
	require.NoError(t, err)
	assert.Equal(t, sampleResult(), result)
	result, err = decodeResult(sampleFailure().encode(nil), &lim)
	require.NoError(t, err)
	assert.Equal(t, sampleFailure().outcome.Err, result.outcome.Err)
	assert.Nil(t, result.outcome.Result)

	tool, err := decodeToolCall((&toolCallMessage{name: "t", arguments: json.RawMessage(`{}`)}).encode(nil))
	require.NoError(t, err)
	assert.Equal(t, &toolCallMessage{name: "t", arguments: json.RawMessage(`{}`)}, tool)

	reply, err := decodeReply((&replyMessage{structured: json.RawMessage(`{}`), text: "x"}).encode(nil))
	require.NoError(t, err)
	r, err := reply.result()
	require.NoError(t, err)
	assert.Equal(t, "x", r.Text())
	assert.Equal(t, `{}`, string(r.Structured))
}

// TestMessagesCutOff: no beginning of a message is a message.
func TestMessagesCutOff(t *testing.T) {
	lim := table()
	for name, tc := range map[string]struct {
		data   []byte
		decode func([]byte) error
	}{
		"call":    {sampleCall().encode(nil), func(b []byte) error { _, err := decodeCall(b); return err }},
		"check":   {(&checkMessage{source: "x", names: []string{"a"}}).encode(nil), func(b []byte) error { _, err := decodeCheck(b); return err }},
		"result":  {sampleResult().encode(nil), func(b []byte) error { _, err := decodeResult(b, &lim); return err }},
		"failure": {sampleFailure().encode(nil), func(b []byte) error { _, err := decodeResult(b, &lim); return err }},
		"tool":    {(&toolCallMessage{name: "t", arguments: json.RawMessage(`{}`)}).encode(nil), func(b []byte) error { _, err := decodeToolCall(b); return err }},
		"reply":   {(&replyMessage{text: "x", failed: &toolspec.CallError{Kind: "K"}}).encode(nil), func(b []byte) error { _, err := decodeReply(b); return err }},
	} {
		require.NoError(t, tc.decode(tc.data), name)
		for n := range tc.data {
			assert.ErrorIs(t, tc.decode(tc.data[:n]), errWire, "%s of %d bytes", name, n)
		}
		assert.ErrorIs(t, tc.decode(append(tc.data, 0)), errWire, "%s and more", name)
	}
	d := decoder{buf: []byte{2}}
	d.flag()
	assert.Error(t, d.done(), "a flag is 0 or 1")
}

// TestToolCallsRefused: what a worker may not ask for.
func TestToolCallsRefused(t *testing.T) {
	for _, m := range []toolCallMessage{
		{"", json.RawMessage(`{}`)}, {strings.Repeat("x", 513), json.RawMessage(`{}`)}, {"\xff", json.RawMessage(`{}`)},
		{"t", nil}, {"t", json.RawMessage(`[]`)}, {"t", json.RawMessage(`{"a":}`)},
	} {
		_, err := decodeToolCall(m.encode(nil))
		assert.ErrorIs(t, err, errWire, "%s", m.arguments)
	}
}

// TestWorkerText: text from a worker is taken as text from anybody.
func TestWorkerText(t *testing.T) {
	lim := table()
	m := &resultMessage{outcome: toolspec.Outcome{
		Result: json.RawMessage(`1`), Console: []activity.ConsoleLine{{Level: "log", Text: "a\xffb", Line: 1 << 30, Column: -1}},
		Err: &toolspec.CallError{Kind: toolspec.KindJSError, Reason: "two words", Component: strings.Repeat("c", 65), Message: strings.Repeat("é", 2000) + "\xff", Line: 1 << 30, Column: 2},
	}}
	got, err := decodeResult(m.encode(nil), &lim)
	require.NoError(t, err)
	e := got.outcome.Err
	assert.Empty(t, e.Reason)
	assert.Empty(t, e.Component)
	assert.Equal(t, maxMessage, utf8.RuneCountInString(e.Message))
	assert.True(t, strings.HasSuffix(e.Message, "é…"))
	assert.Equal(t, 1<<24, e.Line)
	assert.Equal(t, activity.ConsoleLine{Level: "log", Text: "a\uFFFDb", Line: 1 << 24}, got.outcome.Console[0])
	assert.Empty(t, got.outcome.Result, "a failure has no result")

	assert.Equal(t, "a.B-c_9", slug("a.B-c_9"))
	assert.Equal(t, "é", clip.To("é", 2))
	assert.Equal(t, "aé", clip.To("aé", 2))
	assert.Equal(t, "a…", clip.To("aéi", 2))
}

// FuzzResultMessage feeds the message that matters most to its decoder: it must
// not panic, and what it lets through is what an honest worker can say.
func FuzzResultMessage(f *testing.F) {
	f.Add(sampleResult().encode(nil))
	f.Add(sampleFailure().encode(nil))
	f.Add([]byte{0, 1, '1', 0, 0, 0, 0, 0})
	f.Add([]byte{0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	lim := table()
	lim.ConsoleLines, lim.ConsoleBytes, lim.ResultBytes = 10, 100, 1000
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := decodeResult(data, &lim)
		if err != nil {
			return
		}
		o := &m.outcome
		assert.LessOrEqual(t, len(o.Console), lim.ConsoleLines+1)
		for _, line := range o.Console {
			assert.True(t, utf8.ValidString(line.Text))
			assert.NotEmpty(t, line.Level)
		}
		if o.Err != nil {
			assert.True(t, knownKind(o.Err.Kind))
			assert.True(t, utf8.ValidString(o.Err.Message))
			assert.LessOrEqual(t, utf8.RuneCountInString(o.Err.Message), maxMessage)
			assert.Equal(t, o.Err.Reason, slug(o.Err.Reason))
		} else {
			assert.True(t, json.Valid(o.Result))
			assert.LessOrEqual(t, len(o.Result), lim.ResultBytes)
		}
		again, err := decodeResult(m.encode(nil), &lim)
		require.NoError(t, err)
		assert.Equal(t, m.outcome.Console, again.outcome.Console)
		assert.Equal(t, m.outcome.Err, again.outcome.Err)
	})
}

// FuzzMessages feeds the others to theirs: none may panic, and what is let
// through is the same after another turn.
func FuzzMessages(f *testing.F) {
	f.Add(sampleCall().encode(nil))
	f.Add((&checkMessage{source: "x", names: []string{"a"}}).encode(nil))
	f.Add((&toolCallMessage{name: "t", arguments: json.RawMessage(`{"a":1}`)}).encode(nil))
	f.Add((&replyMessage{structured: json.RawMessage(`{}`), text: "x", failed: &toolspec.CallError{Kind: "K", Message: "m"}}).encode(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := decodeCall(data); err == nil {
			again, err := decodeCall(m.encode(nil))
			require.NoError(t, err)
			assert.Equal(t, m, again)
		}
		if m, err := decodeCheck(data); err == nil {
			again, err := decodeCheck(m.encode(nil))
			require.NoError(t, err)
			assert.Equal(t, m, again)
		}
		if m, err := decodeToolCall(data); err == nil {
			assert.True(t, json.Valid(m.arguments))
			again, err := decodeToolCall(m.encode(nil))
			require.NoError(t, err)
			assert.Equal(t, m, again)
		}
		if m, err := decodeReply(data); err == nil {
			again, err := decodeReply(m.encode(nil))
			require.NoError(t, err)
			assert.Equal(t, m, again)
		}
	})
}

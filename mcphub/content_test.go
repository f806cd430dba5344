package mcphub_test

import (
	"context"
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/toolspec"
)

func TestRichResults(t *testing.T) {
	high, wrong := 0.75, math.NaN()
	everything := &toolspec.Result{
		Content: []toolspec.Content{
			toolspec.Text("t\x00\u2028\U0001F600\xff"),
			toolspec.Image([]byte("png"), "image/png"),
			toolspec.Image([]byte("?"), ""),
			toolspec.Audio([]byte("wav"), "audio/wav"),
			toolspec.TextResource("file:///a", "text/plain", "a"),
			toolspec.BlobResource("file:///b", "", []byte("b")),
			toolspec.Link("https://example.com/x", ""),
			{Type: toolspec.ContentLink, URI: "file:///c", Name: "c", Title: "C", Description: "The c", MIMEType: "text/c", Size: 7,
				Audience: []string{"user", "assistant"}, Priority: &high, Modified: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
			{Type: toolspec.ContentText, Text: "p", Priority: &wrong},
			{Type: toolspec.ContentText, Text: "q", Priority: &high, Meta: map[string]json.RawMessage{"b": json.RawMessage("{\n}"), "a": json.RawMessage("1")}},
			{Type: "unheard of", Text: "goes as text"},
		},
		Structured: json.RawMessage("{\n \"big\": 9007199254740993\r\n}"),
		Meta:       map[string]json.RawMessage{"example.com/x": json.RawMessage(`[1, 2]`)},
	}
	only := &toolspec.Result{Structured: json.RawMessage(`{"n":1}`)}
	h := hubtest.NewHub(t, nil,
		hubtest.ToolDoing(t, "everything", func(context.Context, *toolspec.Call) (*toolspec.Result, error) { return everything, nil }),
		hubtest.ToolDoing(t, "only", func(context.Context, *toolspec.Call) (*toolspec.Result, error) { return only, nil }),
		hubtest.ToolDoing(t, "empty", func(context.Context, *toolspec.Call) (*toolspec.Result, error) { return &toolspec.Result{}, nil }),
		hubtest.ToolDoing(t, "broken", func(context.Context, *toolspec.Call) (*toolspec.Result, error) {
			return &toolspec.Result{IsError: true, Content: []toolspec.Content{toolspec.Text("no")}, Meta: map[string]json.RawMessage{"a": json.RawMessage("1")},
				Err: &toolspec.CallError{Kind: toolspec.KindJSError, Reason: "TypeError", Component: "user-code"}}, nil
		}))
	c := serve(t, h)
	s := c.open("2025-11-25", `{}`)
	const audio, link, links = `{"type":"audio","data":"d2F2","mimeType":"audio/wav"}`,
		`{"type":"resource_link","uri":"https://example.com/x","name":"https://example.com/x"}`,
		`{"type":"resource_link","uri":"file:///c","name":"c","title":"C","description":"The c","mimeType":"text/c","size":7,"annotations":{"audience":["user","assistant"],"priority":0.75,"lastModified":"2026-01-02T03:04:05Z"}}`
	want := func(audio, link, links string) string {
		return `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"t\u0000` + "\u2028\U0001F600\uFFFD" + `"},{"type":"image","data":"cG5n","mimeType":"image/png"},` +
			`{"type":"image","data":"Pw==","mimeType":"application/octet-stream"},` + audio + `,{"type":"resource","resource":{"uri":"file:///a","mimeType":"text/plain","text":"a"}},` +
			`{"type":"resource","resource":{"uri":"file:///b","blob":"Yg=="}},` + link + `,` + links + `,{"type":"text","text":"p","annotations":{}},` +
			`{"type":"text","text":"q","annotations":{"priority":0.75},"_meta":{"a":1,"b":{ }}},{"type":"text","text":"goes as text"}],` +
			`"structuredContent":{  "big": 9007199254740993  },"_meta":{"example.com/x":[1, 2]}}}`
	}
	assert.Equal(t, want(audio, link, links), s.post(call("1", "everything", `{}`)).body)
	assert.Equal(t, want(audio, link, links), stdio(t, h).open("2025-06-18", `{}`).ask(call("1", "everything", `{}`)))

	textLink, textLinks := `{"type":"text","text":" <https://example.com/x>"}`, `{"type":"text","text":"c <file:///c>","annotations":{"audience":["user","assistant"],"priority":0.75,"lastModified":"2026-01-02T03:04:05Z"}}`
	assert.Equal(t, want(audio, textLink, textLinks), c.open("2025-03-26", `{}`).post(call("1", "everything", `{}`)).body)
	assert.Equal(t, want(`{"type":"text","text":"[audio/wav, 3 bytes: this protocol version carries no sound]"}`, textLink, textLinks),
		c.open("2024-11-05", `{}`).post(call("1", "everything", `{}`)).body, "a type that an old client does not know goes as text")

	assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}}}`, s.post(call("1", "only", `{}`)).body,
		"structured content has a text copy")
	assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`, s.post(call("1", "empty", `{}`)).body)
	assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"no"}],"isError":true,"_meta":{"a":1,"localpass/error":{"kind":"JS_ERROR","reason":"TypeError","component":"user-code"}}}}`,
		s.post(call("1", "broken", `{}`)).body)
	r := result(t, c.modern("1", "tools/call", "broken", `"name":"broken"`, "").body)
	assert.Len(t, r["_meta"], 3)
}

// What a client sends reaches the tool as it was written.
func TestCallReachesTheToolAsSent(t *testing.T) {
	var seen *toolspec.Call
	h := hubtest.NewHub(t, nil, hubtest.Certified(t, "see", func(ctx context.Context, in struct {
		N json.Number `json:"n,omitempty"`
	}) (string, error) {
		if call := toolspec.CallFrom(ctx); call.Meta != nil {
			seen = &toolspec.Call{ID: call.ID, Arguments: append(json.RawMessage(nil), call.Arguments...), Principal: call.Principal, Meta: call.Meta}
		}
		return "ok", nil
	}, `{}`, `"ok"`, &toolspec.FuncOptions{InputSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)}))
	s := serve(t, h).open("2025-11-25", `{}`)
	for _, arguments := range []string{`{"n": 9007199254740993}`, `{"n":123456789012345678901234567890}`, `{"n":1.0}`} {
		s.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"a.b/c": {"d":1}},"arguments":` + arguments + `,"name":"see"}}`)
		if assert.NotNil(t, seen) {
			assert.Equal(t, arguments, string(seen.Arguments))
			assert.Equal(t, `{"d":1}`, string(seen.Meta["a.b/c"]))
			assert.Equal(t, toolspec.Principal{Subject: "local", Via: "http"}, seen.Principal)
		}
	}
}

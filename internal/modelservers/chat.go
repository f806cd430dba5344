package modelservers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// events writes an event stream.
type events struct {
	w http.ResponseWriter
	f http.Flusher
}

func newEvents(w http.ResponseWriter) *events {
	w.Header().Set("Content-Type", "text/event-stream")
	f, _ := w.(http.Flusher) // every ResponseWriter of net/http implements it
	return &events{w, f}
}

func (e *events) data(v any) {
	body, _ := json.Marshal(v) // marshalling maps and strings cannot fail
	e.line("data: " + string(body))
}

func (e *events) line(s string) {
	fmt.Fprint(e.w, s+"\n\n")
	e.f.Flush()
}

// waitForNext blocks an answer until the test calls Server.Continue. It reports whether the
// client is still connected.
func waitForNext(ctx context.Context, next <-chan struct{}) bool {
	select {
	case <-next:
		return true
	case <-ctx.Done():
		return false
	}
}

// chatStyle is the way in which a server writes the stream of Chat Completions.
type chatStyle struct {
	reasoning   string // the member with the reasoning; empty: the reasoning is not sent
	wholeCalls  bool   // a tool call is sent in one piece
	timings     bool   // the last piece contains llama.cpp's own token counts
	nullContent bool   // the content of the first piece is null
}

func (k *Kind) writeChat(ctx context.Context, out *events, a *Asked, s *said, next <-chan struct{}) {
	style := k.chat
	piece := func(delta map[string]any, finish any) map[string]any {
		return map[string]any{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": a.Model,
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}}
	}
	first := map[string]any{"role": "assistant", "content": ""}
	if style.nullContent {
		first["content"] = nil
	}
	out.data(piece(first, nil))
	if s.reasoning != "" && style.reasoning != "" {
		for _, words := range strings.SplitAfter(s.reasoning, " ") {
			out.data(piece(map[string]any{style.reasoning: words}, nil))
		}
	}
	for i, text := range s.text {
		out.data(piece(map[string]any{"content": text}, nil))
		if i == 0 && s.hold && !waitForNext(ctx, next) {
			return
		}
	}
	for i, c := range s.calls {
		call := func(id, name, arguments string) map[string]any {
			entry := map[string]any{"index": i, "function": map[string]any{"arguments": arguments}}
			if id != "" {
				entry["id"], entry["type"] = id, "function"
				entry["function"] = map[string]any{"name": name, "arguments": arguments}
			}
			return piece(map[string]any{"tool_calls": []any{entry}}, nil)
		}
		if style.wholeCalls {
			out.data(call(c.id, c.name, c.arguments))
			continue
		}
		half := len(c.arguments) / 2
		out.data(call(c.id, c.name, ""))
		out.data(call("", "", c.arguments[:half]))
		out.data(call("", "", c.arguments[half:]))
	}
	finish := "stop"
	if len(s.calls) > 0 {
		finish = "tool_calls"
	}
	last := piece(map[string]any{}, finish)
	if style.timings {
		last["timings"] = map[string]any{"prompt_n": 12, "predicted_n": 5, "prompt_ms": 1.5, "predicted_ms": 2.5}
	}
	out.data(last)
	if a.has("stream_options") {
		counted := piece(nil, nil)
		counted["choices"] = []any{}
		counted["usage"] = map[string]any{"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17}
		out.data(counted)
	}
	out.line("data: [DONE]")
}

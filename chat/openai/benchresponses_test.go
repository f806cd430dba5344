package openai_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	goopenai "github.com/sashabaranov/go-openai"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/openai"
)

// cannedResponses is a server that answers every request with the same stream.
type cannedResponses string

func (c cannedResponses) RoundTrip(r *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, r.Body)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(string(c))), Request: r}, nil
}

// BenchmarkResponses reads a thousand text events with the loop of the library and with
// ours.
func BenchmarkResponses(b *testing.B) {
	var wire strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&wire, "event: response.output_text.delta\ndata: %s\n\n", fmt.Sprintf(`{"type":"response.output_text.delta","sequence_number":%d,"item_id":"msg_0123456789abcdef","output_index":0,"content_index":0,"delta":" word","logprobs":[],"obfuscation":"aBcDeF"}`, i))
	}
	wire.WriteString(framed(`{"type":"response.completed","response":{"id":"resp_1","status":"completed"}}`))
	client := &http.Client{Transport: cannedResponses(wire.String())}
	b.Run("library", func(b *testing.B) {
		c := goopenai.DefaultConfig("")
		c.HTTPClient = client
		lib := goopenai.NewClientWithConfig(c)
		b.ReportAllocs()
		for b.Loop() {
			stream, err := lib.CreateResponseStream(b.Context(), goopenai.CreateResponseRequest{Model: "gpt-4o", Input: "hello"})
			if err != nil {
				b.Fatal(err)
			}
			n := 0
			for _, err := stream.Recv(); err == nil; _, err = stream.Recv() {
				n++
			}
			stream.Close()
			if n != 1001 {
				b.Fatal(n)
			}
		}
	})
	b.Run("ours", func(b *testing.B) {
		p, err := openai.New(&openai.Options{HTTPClient: client, API: openai.APIResponses})
		if err != nil {
			b.Fatal(err)
		}
		m := openai.ModelFor(p, "gpt-4o")
		req := &llm.ModelRequest{Messages: []llm.Message{llm.UserText("hello")}}
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			for _, err := range m.Generate(b.Context(), req) {
				if err != nil {
					b.Fatal(err)
				}
				n++
			}
			if n != 1002 { // the texts, the state and the end
				b.Fatal(n)
			}
		}
	})
}

package openai_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	goopenai "github.com/sashabaranov/go-openai"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/openai"
)

// thousand is an answer of a thousand chunks in the form of OpenAI.
var thousand = strings.Repeat("data: "+`{"id":"chatcmpl-AbCdEfGhIjKlMnOp","object":"chat.completion.chunk","created":1760000000,"model":"gpt-4o-2026-01-01","service_tier":"default","system_fingerprint":"fp_0123456789","choices":[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"aBcDeF"}`+"\n\n", 1000) +
	sse(f("stop"), done)

type canned struct{}

func (canned) RoundTrip(req *http.Request) (*http.Response, error) {
	io.Copy(io.Discard, req.Body)
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(thousand)), Request: req}, nil
}

// BenchmarkStream reads a thousand chunks with the loop of the library and with ours.
func BenchmarkStream(b *testing.B) {
	client := &http.Client{Transport: canned{}}
	b.Run("library", func(b *testing.B) {
		c := goopenai.DefaultConfig("")
		c.HTTPClient = client
		lib := goopenai.NewClientWithConfig(c)
		b.ReportAllocs()
		for b.Loop() {
			stream, err := lib.CreateChatCompletionStream(b.Context(), goopenai.ChatCompletionRequest{Model: "gpt-4o", Messages: []goopenai.ChatCompletionMessage{{Role: "user", Content: "hello"}}})
			if err != nil {
				b.Fatal(err)
			}
			n := 0
			for {
				if _, err := stream.Recv(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					b.Fatal(err)
				}
				n++
			}
			stream.Close()
			if n != 1001 {
				b.Fatal(n)
			}
		}
	})
	b.Run("ours", func(b *testing.B) {
		p, err := openai.New(&openai.Options{HTTPClient: client})
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
			if n != 1001 {
				b.Fatal(n)
			}
		}
	})
}

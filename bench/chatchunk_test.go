package bench

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	goopenai "github.com/sashabaranov/go-openai"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/openai"
)

// BenchmarkChunks reads an answer of 1,000 chunks of a word each: with go-openai's
// own loop, with the model of chat/openai, and with a whole turn of a client. The
// bytes come from memory, so that what differs is the reading. The limits for the
// model are 1.15 times go-openai's processor time, and 4 allocations a chunk more.
func BenchmarkChunks(b *testing.B) {
	const chunks = 1_000
	var body strings.Builder
	for i := range chunks {
		fmt.Fprintf(&body, "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"m\",\"system_fingerprint\":\"fp_1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" word%d\"},\"logprobs\":null,\"finish_reason\":null}]}\n\n", i)
	}
	body.WriteString("data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n")
	body.WriteString("data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"m\",\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":1000,\"total_tokens\":1009}}\n\ndata: [DONE]\n\n")
	client := &http.Client{Transport: canned(body.String())}

	b.Run("go-openai", func(b *testing.B) {
		config := goopenai.DefaultConfig("key")
		config.BaseURL, config.HTTPClient = "http://127.0.0.1/v1", client
		c := goopenai.NewClientWithConfig(config)
		m := measure(b)
		for b.Loop() {
			m.begin()
			stream, err := c.CreateChatCompletionStream(b.Context(), goopenai.ChatCompletionRequest{Model: "m", Stream: true,
				Messages:      []goopenai.ChatCompletionMessage{{Role: "user", Content: "?"}},
				StreamOptions: &goopenai.StreamOptions{IncludeUsage: true}})
			check(b, err)
			n := 0
			for {
				chunk, err := stream.Recv()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					b.Fatal(err)
				}
				if len(chunk.Choices) > 0 && chunk.Choices[0].Delta.Content != "" {
					n++
				}
			}
			stream.Close()
			counted(b, n, chunks)
			m.end(0)
		}
		m.report()
	})

	provider, err := openai.New(&openai.Options{BaseURL: "http://127.0.0.1/v1", APIKey: "key", HTTPClient: client, API: openai.APIChat})
	check(b, err)
	model, err := provider.Model(b.Context(), "m")
	check(b, err)
	b.Run("localpass/model", func(b *testing.B) {
		m := measure(b)
		for b.Loop() {
			m.begin()
			n := 0
			for d, err := range model.Generate(b.Context(), &llm.ModelRequest{Messages: []llm.Message{llm.UserText("?")}}) {
				if err != nil {
					b.Fatal(err)
				}
				if d.Kind == llm.DeltaText {
					n++
				}
			}
			counted(b, n, chunks)
			m.end(0)
		}
		m.report()
	})
	b.Run("localpass/turn", func(b *testing.B) {
		c, err := chat.NewClient(model, nil)
		check(b, err)
		m := measure(b)
		for b.Loop() {
			m.begin()
			n := 0
			for ev, err := range c.Stream(b.Context(), "", llm.UserText("?"), nil) {
				if err != nil {
					b.Fatal(err)
				}
				if _, ok := ev.(*chat.TextDelta); ok {
					n++
				}
			}
			counted(b, n, chunks)
			m.end(0)
		}
		m.report()
	})
}

func counted(b *testing.B, got, want int) {
	b.Helper()
	if got != want {
		b.Fatalf("%d chunks, not %d", got, want)
	}
}

// canned answers every request with the same stream.
type canned string

func (c canned) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_, _ = io.Copy(io.Discard, req.Body)
		req.Body.Close()
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Request: req,
		Body: io.NopCloser(strings.NewReader(string(c)))}, nil
}

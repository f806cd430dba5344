package hubtest

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/localpass/localpass/mcphub/client"
)

// Versions of the protocol with and without sessions.
const (
	Older = "2025-11-25"
	Newer = "2026-07-28"
)

// Person answers the questions that a client receives, and records them.
type Person struct {
	Answers map[string]string // by method
	// Answer replaces Answers. Optional.
	Answer func(ctx context.Context, q client.ServerRequest) (json.RawMessage, error)

	mu    sync.Mutex
	asked []client.ServerRequest
	told  []client.Notification
}

// Dial returns the options of a client of that version that declares all capabilities for
// questions.
func (p *Person) Dial(version string) *client.DialOptions {
	return &client.DialOptions{Versions: []string{version},
		Capabilities: client.ClientCapabilities{Form: true, URL: true, Sampling: true, SamplingTools: true, Roots: true},
		Handler: client.Handler{Request: p.request, Notification: func(_ context.Context, n client.Notification) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.told = append(p.told, n)
		}}}
}

func (p *Person) request(ctx context.Context, q client.ServerRequest) (json.RawMessage, error) {
	p.mu.Lock()
	p.asked = append(p.asked, q)
	answer, do := p.Answers[q.Method], p.Answer
	p.mu.Unlock()
	if do != nil {
		return do(ctx, q)
	}
	return json.RawMessage(answer), nil
}

// Asked returns the questions that the client received.
func (p *Person) Asked() []client.ServerRequest {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]client.ServerRequest(nil), p.asked...)
}

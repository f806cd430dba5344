package openai

import "github.com/localpass/localpass/chat/internal/wire"

// ModelFor returns a model without a request to the server.
func ModelFor(p *Provider, name string) *Model {
	return &Model{provider: p, info: p.info(name), quirks: p.quirksFor(name)}
}

// ProgressOf exports progressOf.
func ProgressOf(s string) int { return int(progressOf(s)) }

// ReadChunk reads one chunk and returns its text, in whole characters, and its finish
// reason.
func ReadChunk(data []byte) (text, finish string, err error) {
	var k chunk
	if err := k.read(data, true); err != nil {
		return "", "", err
	}
	var u wire.UTF8
	return u.Push(k.text) + u.Flush(), k.finish, nil
}

package openai

import "github.com/localpass/localpass/chat/internal/wire"

// ModelFor returns a model without asking the server about it.
func ModelFor(p *Provider, name string) *Model {
	return &Model{provider: p, info: p.info(name), quirks: p.quirksFor(name)}
}

// ProgressOf is tested by itself.
func ProgressOf(s string) int { return int(progressOf(s)) }

// ReadChunk reads one piece: its text, whole characters only, and its finish
// reason.
func ReadChunk(data []byte) (text, finish string, err error) {
	var k chunk
	if err := k.read(data, true); err != nil {
		return "", "", err
	}
	var u wire.UTF8
	return u.Push(k.text) + u.Flush(), k.finish, nil
}

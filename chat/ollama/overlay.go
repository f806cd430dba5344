package ollama

import (
	"encoding/json"
	"fmt"

	"github.com/localpass/localpass/chat/internal/wire"
)

// overlayRules returns the rules for overlays, which may set every option of the server,
// and the other members that concern neither the conversation nor the connection.
func overlayRules() wire.OverlayRules {
	return wire.OverlayRules{
		Fields: map[string]string{
			"think":      "boolean string",
			"keep_alive": "string number",
			"truncate":   "boolean",
			"shift":      "boolean",
			"format":     "string object",
		},
		Nest: "options",
		Nested: map[string]string{
			"num_ctx": "integer", "num_batch": "integer", "num_gpu": "integer", "main_gpu": "integer", "use_mmap": "boolean", "num_thread": "integer",
			"num_keep": "integer", "seed": "integer", "num_predict": "integer", "top_k": "integer", "top_p": "number", "min_p": "number",
			"typical_p": "number", "repeat_last_n": "integer", "temperature": "number", "repeat_penalty": "number",
			"presence_penalty": "number", "frequency_penalty": "number", "stop": "array",
		},
	}
}

// encode returns the body to send, with the overlay applied last.
func (b *builder) encode() ([]byte, error) {
	body, err := json.Marshal(&b.body)
	if err != nil {
		return nil, fmt.Errorf("chat/ollama: the request: %w", err)
	}
	if len(b.req.Options.Overlay) == 0 {
		return body, nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return nil, fmt.Errorf("chat/ollama: the request: %w", err)
	}
	adjustments := wire.Overlay(members, b.req.Options.Overlay, overlayRules())
	if !b.laid { // reported only once for a request that is sent twice
		b.adjusted, b.laid = append(b.adjusted, adjustments...), true
	}
	if b.noThink {
		delete(members, "think")
	}
	if body, err = json.Marshal(members); err != nil {
		return nil, fmt.Errorf("chat/ollama: the request: %w", err)
	}
	return body, nil
}

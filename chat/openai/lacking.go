package openai

import (
	"net/http"
	"strings"

	"github.com/localpass/localpass/chat/llm"
)

// sees reports whether to send images to a model: by the list of its server, otherwise by
// its row in the table. An unknown model is sent images, and the server may refuse them.
func sees(row modelRow, listed *listedModel) bool {
	if sees, known := listed.sees(); known {
		return sees
	}
	return row.prefix == "" || row.vision
}

// isBlind reports whether the server has refused images for a model.
func (p *Provider) isBlind(model string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.blind[model]
}

// retreatFromImages removes the images from a request to a model that does not support
// them, and remembers the model. Otherwise one image would end the conversation, since it
// is sent with every question. It reports whether the request was changed.
func (p *Provider) retreatFromImages(plan *plan, e *llm.Error) bool {
	if e == nil || plan.images == 0 || !mayMeanTheRequest(e) || !refusesImages(e.Message) || plan.withoutImages() != nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.blind == nil {
		p.blind = make(map[string]bool)
	}
	if len(p.blind) < mostRefusals {
		p.blind[plan.model] = true
	}
	return true
}

// mayMeanTheRequest reports whether the status may mean that the server refuses the
// request; llama.cpp and Ollama use HTTP 500 for that.
func mayMeanTheRequest(e *llm.Error) bool {
	switch e.HTTPStatus {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity, http.StatusInternalServerError, http.StatusNotImplemented:
		return true
	}
	return false
}

// refusesImages reports whether a message says that the model does not support images.
// Messages about a single image, its format or its size do not count.
func refusesImages(message string) bool {
	message = strings.ToLower(message)
	if hasAny(message, "valid string", "content must be a string", "content[].type", "content type is supported") {
		return true // the server does not support message parts
	}
	return hasAny(message, "image", "picture", "vision", "multimodal", "multi-modal") &&
		hasAny(message, "not support", "n't support", "unsupported", "only supported", "found that support", "not a multimodal", "missing data", "unknown variant", "at most 0") &&
		!hasAny(message, "format", "mime", "base64", "too large", "resolution")
}

// explain recognizes the refusal of tools, whatever the message and the status are, and
// adds advice. It changes e, which belongs to this exchange.
func (p *plan) explain(e *llm.Error) error {
	if len(p.tools) == 0 || !mayMeanTheRequest(e) {
		return e
	}
	message := strings.ToLower(e.Message)
	switch {
	case hasAny(message, "--jinja", "unsupported param: tools"):
		e.Message += ": start llama-server with --jinja, or ask without tools"
	case hasAny(message, "--tool-call-parser"):
		e.Message += ": start vLLM with both, or ask without tools"
	case hasAny(message, "not support tools", "not support tool", "support tool use", "not support function calling", "parameters: ['tools'"):
		e.Message += ": choose another model, or ask without tools"
	default:
		return e
	}
	e.Code, e.Retryable = llm.CodeModelLacksTools, false
	return e
}

func hasAny(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

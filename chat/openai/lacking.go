package openai

import (
	"net/http"
	"strings"

	"github.com/localpass/localpass/chat/llm"
)

// sees says whether a model is sent pictures: as its server lists it, else as its row
// has it. One of which nothing is known is sent them, and the server may refuse.
func sees(row modelRow, listed *listedModel) bool {
	if sees, known := listed.sees(); known {
		return sees
	}
	return row.prefix == "" || row.vision
}

// isBlind reports whether the server refused pictures for a model.
func (p *Provider) isBlind(model string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.blind[model]
}

// retreatFromPictures takes the pictures out of a request whose model sees none, and
// remembers the model: otherwise one picture would end the conversation, which sends it
// with every question. It reports whether the request was changed.
func (p *Provider) retreatFromPictures(plan *plan, e *llm.Error) bool {
	if e == nil || plan.pictures == 0 || !mayMeanTheRequest(e) || !refusesPictures(e.Message) || plan.withoutPictures() != nil {
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

// mayMeanTheRequest reports whether a server may refuse what was sent by this status:
// llama.cpp and Ollama do so by HTTP 500.
func mayMeanTheRequest(e *llm.Error) bool {
	switch e.HTTPStatus {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity, http.StatusInternalServerError, http.StatusNotImplemented:
		return true
	}
	return false
}

// refusesPictures recognises the words of a server whose model sees nothing. Those
// about one picture, its format or its size, are something else.
func refusesPictures(message string) bool {
	message = strings.ToLower(message)
	if hasAny(message, "valid string", "content must be a string", "content[].type", "content type is supported") {
		return true // the server knows no parts of a message
	}
	return hasAny(message, "image", "picture", "vision", "multimodal", "multi-modal") &&
		hasAny(message, "not support", "n't support", "unsupported", "only supported", "found that support", "not a multimodal", "missing data", "unknown variant", "at most 0") &&
		!hasAny(message, "format", "mime", "base64", "too large", "resolution")
}

// explain names the refusal of tools, whatever the words and the status are, and says
// what helps. The error is changed: it was made for this exchange.
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

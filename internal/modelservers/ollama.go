package modelservers

import (
	"net/http"
	"slices"
	"strconv"
)

// OllamaV1 is the OpenAI-compatible API of Ollama on its default port, with a model that reasons without effort levels and
// does not accept images.
//
// Published: docs.ollama.com/api/openai-compatibility and, for the rejected requests, openai/openai.go,
// openai/responses.go and middleware/openai.go of ollama/ollama 0.17.4: a tool call is sent in one piece, the member with
// the reasoning is named reasoning, an effort is none, low, medium or high, of which this model accepts only none, server
// errors have the type api_error, and Responses ignores the effort. An unknown model is HTTP 404; images for a text
// model are HTTP 500 or are ignored, depending on the engine that runs the model. POST /api/show of Ollama's own API
// reports the capabilities of a model.
func OllamaV1() Kind {
	const model = "qwen3:4b"
	k := Kind{Name: "Ollama `/v1`, scripted", BaseURL: "http://localhost:11434/v1", Model: model, thinks: true, summarised: true, fault: ollamaFault,
		list: modelList(map[string]any{"id": model, "object": "model", "created": 1, "owned_by": "library"}),
		chat: chatStyle{reasoning: "reasoning", wholeCalls: true}}
	k.also = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/api/show" {
			return false
		}
		(&reply{status: http.StatusOK, body: map[string]any{"capabilities": []string{"completion", "tools", "thinking"}}}).write(w)
		return true
	}
	k.check = func(a *Asked) *reply {
		switch {
		case a.Model != model:
			return ollamaFault(http.StatusNotFound, "model "+strconv.Quote(a.Model)+" not found", "not_found_error", "")
		case a.API == "chat" && a.Effort != "" && !slices.Contains([]string{"none", "low", "medium", "high"}, a.Effort):
			return ollamaFault(http.StatusBadRequest, "invalid reasoning value: '"+a.Effort+`' (must be "high", "medium", "low", or "none")`, "invalid_request_error", "")
		case a.API == "chat" && a.Effort != "" && a.Effort != "none": // only gpt-oss has effort levels
			return ollamaFault(http.StatusBadRequest, "think value "+strconv.Quote(a.Effort)+" is not supported for this model", "api_error", "")
		case a.Images > 0:
			return ollamaFault(http.StatusInternalServerError, "this model is missing data required for image input", "api_error", "")
		case a.Size > tooLong:
			return ollamaFault(http.StatusBadRequest, "the input length exceeds the context length", "invalid_request_error", "")
		}
		return nil
	}
	return k
}

// ollamaFault returns an error in the format of the OpenAI-compatible API.
func ollamaFault(status int, message, kind, _ string) *reply {
	return &reply{status: status, body: map[string]any{"error": map[string]any{"message": message, "type": kind, "param": nil, "code": nil}}}
}

package modelservers

import (
	"net/http"
	"slices"
	"strconv"
)

// OllamaV1 is the side of Ollama that is compatible with OpenAI, on its usual port,
// with a model that reasons without levels and sees nothing.
//
// Published: docs.ollama.com/api/openai-compatibility and, for what it refuses,
// openai/openai.go, openai/responses.go and middleware/openai.go of ollama/ollama
// 0.17.4: a call comes whole, the member is reasoning, an effort is none, low, medium
// or high, of which this model takes none alone, errors of the server have the type
// api_error, and Responses passes over the effort. A model that is not there is HTTP 404; pictures for a model of text are
// HTTP 500, or are passed over, by the engine that runs the model. What a model can do is
// told by POST /api/show of its own API.
func OllamaV1() Kind {
	const model = "qwen3:4b"
	k := Kind{Name: "Ollama `/v1`, scripted", BaseURL: "http://localhost:11434/v1", Model: model, thinks: true, summarised: true, fault: ollamaFault,
		list: list(map[string]any{"id": model, "object": "model", "created": 1, "owned_by": "library"}),
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
		case a.API == "chat" && a.Effort != "" && a.Effort != "none": // levels are for gpt-oss alone
			return ollamaFault(http.StatusBadRequest, "think value "+strconv.Quote(a.Effort)+" is not supported for this model", "api_error", "")
		case a.Pictures > 0:
			return ollamaFault(http.StatusInternalServerError, "this model is missing data required for image input", "api_error", "")
		case a.Size > tooLong:
			return ollamaFault(http.StatusBadRequest, "the input length exceeds the context length", "invalid_request_error", "")
		}
		return nil
	}
	return k
}

// ollamaFault is an error in the form of that side.
func ollamaFault(status int, message, kind, _ string) *reply {
	return &reply{status: status, body: map[string]any{"error": map[string]any{"message": message, "type": kind, "param": nil, "code": nil}}}
}

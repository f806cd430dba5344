package modelservers

import "net/http"

// Key is the API key of the imitated servers that require one.
const Key = "sk-modelservers-0123456789"

// tooLong is the size of a request, in bytes, that exceeds the context of every model in
// this package.
const tooLong = 30_000

// OpenAI is api.openai.com, with a model that reasons and accepts images.
//
// Published: the API reference of Chat Completions and Responses and the guides on
// reasoning and on errors (platform.openai.com/docs, as of 2026); images are rejected
// as in vllm-project/vllm issue 11629, max_tokens as in the reference of
// max_completion_tokens. Only Responses shows the reasoning of a model, as a summary.
func OpenAI() Kind {
	const model = "gpt-5.1"
	k := Kind{Name: "OpenAI", BaseURL: "https://api.openai.com/v1", Model: model, Key: Key, sees: true, thinks: true, summarised: true,
		list: modelList(map[string]any{"id": model, "object": "model", "owned_by": "system"}), fault: openAIFault}
	k.check = func(a *Asked) *reply {
		switch {
		case a.Model != model:
			return openAIFault(http.StatusNotFound, "The model `"+a.Model+"` does not exist or you do not have access to it.", "invalid_request_error", "model_not_found")
		case a.Size > tooLong:
			return openAIFault(http.StatusBadRequest, "This model's maximum context length is 8192 tokens. Please reduce the length of the messages.", "invalid_request_error", "context_length_exceeded")
		case a.has("max_tokens"):
			return openAIFaultOf("max_tokens", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "unsupported_parameter")
		case a.has("temperature"):
			return openAIFaultOf("temperature", "Unsupported value: 'temperature' does not support this value with this model.", "unsupported_value")
		}
		return unknownEffort(a, "none", "low", "medium", "high")
	}
	return k
}

// modelList returns the response to a request for the list of models.
func modelList(models ...any) map[string]any { return map[string]any{"object": "list", "data": models} }

// openAIFault returns an error in OpenAI's format. Without a message it is the error for
// a wrong key.
func openAIFault(status int, message, kind, code string) *reply {
	if status == http.StatusUnauthorized {
		message, kind, code = "Incorrect API key provided.", "invalid_request_error", "invalid_api_key"
	}
	return &reply{status: status, body: map[string]any{"error": map[string]any{"message": message, "type": kind, "param": nil, "code": orNull(code)}}}
}

// openAIFaultOf returns an error about one member of the request.
func openAIFaultOf(field, message, code string) *reply {
	return &reply{status: http.StatusBadRequest,
		body: map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error", "param": field, "code": code}}}
}

// unknownEffort returns an error for an effort that is not in known, and otherwise nil.
func unknownEffort(a *Asked, known ...string) *reply {
	if a.Effort == "" {
		return nil
	}
	for _, k := range known {
		if a.Effort == k {
			return nil
		}
	}
	field := "reasoning_effort"
	if a.API == "responses" {
		field = "reasoning.effort"
	}
	return openAIFaultOf(field, "Unsupported value: '"+a.Effort+"' is not supported with this model.", "unsupported_value")
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

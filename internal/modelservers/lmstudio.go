package modelservers

import "net/http"

// LMStudio is the server of LM Studio on its default port, with gpt-oss or, if images
// is set, with a model that accepts images.
//
// Published: lmstudio.ai/docs/developer (OpenAI compatibility, structured output, API
// changelog) for 0.3.29 to 0.4; images for a text model are rejected with an error that
// is a string (lmstudio-ai/lmstudio-bug-tracker issue 908); only Responses uses the
// effort, Chat Completions ignores it (issue 1250); the format json_object is rejected; a
// question that is too long gets HTTP 200 with the error in the stream (issues 546 and
// 2322).
func LMStudio(images bool) Kind {
	k := Kind{Name: "LM Studio, gpt-oss", BaseURL: "http://localhost:1234/v1", Model: "openai/gpt-oss-20b", sees: images, thinks: true, fault: openAIFault,
		chat: chatStyle{reasoning: "reasoning_content"}}
	if images {
		k.Name, k.Model = "LM Studio, a model that sees", "google/gemma-3-4b"
		k.thinks = false
	}
	k.list = modelList(map[string]any{"id": k.Model, "object": "model", "owned_by": "organization_owner"})
	k.check = func(a *Asked) *reply {
		if a.API == "chat" {
			a.Effort = ""
		}
		switch {
		case a.Model != k.Model:
			return openAIFault(http.StatusBadRequest, `Invalid model identifier "`+a.Model+`". Please specify a valid downloaded model (e.g., `+k.Model+`).`, "invalid_request_error", "model_not_found")
		case a.Images > 0 && !images:
			return &reply{status: http.StatusBadRequest, body: map[string]any{"error": "Model does not support images. Please use a model that does."}}
		case a.Format == "json_object":
			return &reply{status: http.StatusBadRequest, body: map[string]any{"error": "'response_format.type' must be 'json_schema' or 'text'"}}
		case a.Size > tooLong:
			return &reply{inside: true, body: map[string]any{"error": map[string]any{
				"message": "Trying to keep the first 9001 tokens when context the overflows. However, the model is loaded with context length of only 8192 tokens, which is not enough."}}}
		}
		return nil
	}
	return k
}

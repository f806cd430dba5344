package modelservers

import (
	"net/http"
	"strconv"
)

// LiteLLM is the LiteLLM proxy on its default port, with a key, in front of a model that
// reasons and accepts images or, if reasons is false, a model that does neither.
//
// Published: docs.litellm.ai (proxy, drop_params, reasoning_content, /responses) for 1.80
// and later; the format of errors, with the status as a string in code, as in
// BerriAI/litellm issue 37761; an unknown model name is HTTP 400, as in issue 9663; a
// parameter that the model behind the proxy does not support is rejected by name, as in
// issue 14039, unless drop_params is set.
func LiteLLM(reasons bool) Kind {
	k := Kind{Name: "LiteLLM, a model that reasons", BaseURL: "http://localhost:4000/v1", Model: "gpt-5.1", Key: Key, bare: true,
		sees: reasons, thinks: reasons, summarised: true, fault: liteLLMFault, chat: chatStyle{reasoning: "reasoning_content"}}
	if !reasons {
		k.Name, k.Model = "LiteLLM, a model of text alone", "team-text"
	}
	k.list = modelList(map[string]any{"id": k.Model, "object": "model", "created": 1677610602, "owned_by": "openai"})
	k.check = func(a *Asked) *reply {
		switch {
		case a.Model != k.Model:
			path := map[string]string{"chat": "/chat/completions", "responses": "/responses"}[a.API]
			return liteLLMFault(http.StatusBadRequest, path+": Invalid model name passed in model="+a.Model+". Call `/v1/models` to view available models for your key.", "", "")
		case a.Size > tooLong:
			return liteLLMFault(http.StatusBadRequest, "litellm.ContextWindowExceededError: litellm.BadRequestError: OpenAIException - This model's maximum context length is 8192 tokens.", "", "")
		case a.Images > 0 && !k.sees:
			return liteLLMFault(http.StatusBadRequest, "litellm.BadRequestError: OpenAIException - Invalid content type. image_url is only supported by certain models.. Received Model Group="+k.Model, "", "")
		case a.Effort != "" && !k.thinks:
			return liteLLMFault(http.StatusBadRequest, "litellm.UnsupportedParamsError: openai does not support parameters: ['reasoning_effort'], for model="+k.Model+". To drop these, set `litellm.drop_params=True`", "", "")
		}
		return nil
	}
	return k
}

// liteLLMFault returns an error in the format of the proxy.
func liteLLMFault(status int, message, kind, _ string) *reply {
	if status == http.StatusUnauthorized {
		message, kind = "Authentication Error, Invalid proxy server token passed. Unable to find token in cache or `LiteLLM_VerificationTokenTable`", "token_not_found_in_db"
	}
	return &reply{status: status, body: map[string]any{"error": map[string]any{"message": message, "type": orNull(kind), "param": nil, "code": strconv.Itoa(status)}}}
}

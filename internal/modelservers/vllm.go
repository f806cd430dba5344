package modelservers

import "net/http"

// VLLMOptions are the command line options of vLLM.
type VLLMOptions struct {
	// Tools is --enable-auto-tool-choice with a --tool-call-parser.
	Tools bool
	// Images says that the model is multimodal.
	Images bool
}

// VLLM is `vllm serve` on its default port, with a model that reasons and a reasoning
// parser.
//
// Published: docs.vllm.ai, version 0.26: the pages on the OpenAI-compatible server, on
// reasoning outputs (the member reasoning, formerly reasoning_content) and on tool
// calling; chat_template_kwargs turns the thinking of Qwen3 off; tools without a parser
// are HTTP 400 (langchain4j/langchain4j issue 3475), and so are images for a text model
// (studio-dots-ai/dots.ocr issue 61). An error has its status as a number in code.
func VLLM(o VLLMOptions) Kind {
	name, model := "vLLM", "Qwen/Qwen3-8B"
	if o.Images {
		model = "Qwen/Qwen3-VL-8B-Thinking"
	} else {
		name += ", a model of text alone"
	}
	if !o.Tools {
		name += ", no tool parser"
	}
	k := Kind{Name: name, BaseURL: "http://localhost:8000/v1", Model: model, sees: o.Images, thinks: true, fault: vllmFault,
		list: modelList(map[string]any{"id": model, "object": "model", "owned_by": "vllm", "max_model_len": 8192}),
		chat: chatStyle{reasoning: "reasoning"}}
	k.check = func(a *Asked) *reply {
		switch {
		case a.Model != model:
			return vllmFault(http.StatusNotFound, "The model `"+a.Model+"` does not exist.", "NotFoundError", "")
		case len(a.Tools) > 0 && !o.Tools:
			return vllmFault(http.StatusBadRequest, `"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`, "BadRequestError", "")
		case a.Images > 0 && !o.Images:
			return vllmFault(http.StatusBadRequest, model+" is not a multimodal model", "BadRequestError", "")
		case a.Size > tooLong:
			return vllmFault(http.StatusBadRequest, "This model's maximum context length is 8192 tokens. However, you requested 9001 tokens. Please reduce the length of the messages.", "BadRequestError", "")
		}
		return nil
	}
	return k
}

// vllmFault returns an error in vLLM's format.
func vllmFault(status int, message, kind, _ string) *reply {
	if status == http.StatusUnauthorized {
		return &reply{status: status, body: map[string]any{"error": "Unauthorized"}}
	}
	return &reply{status: status, body: map[string]any{"error": map[string]any{"message": message, "type": kind, "param": nil, "code": status}}}
}

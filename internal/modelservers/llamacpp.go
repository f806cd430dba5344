package modelservers

import "net/http"

// LlamaOptions are the command line options of llama-server.
type LlamaOptions struct {
	// Jinja is --jinja, the default of newer versions; without it requests with tools are rejected.
	Jinja bool
	// Projector is --mmproj: the model accepts images.
	Projector bool
}

// LlamaCpp is llama-server of llama.cpp on its default port, with a model that reasons.
//
// Published: tools/server/README.md and the tests under tools/server/tests/unit of ggml-org/llama.cpp, builds of 2026
// (test_vision_api.py: the list of models has the capability multimodal with a projector; test_compat_oai_responses.py). It accepts any
// name for its only model, and template variables in chat_template_kwargs. Tools without --jinja are HTTP 500 (containers/ramalama
// issue 988), and so are images without a projector (ggml-org/llama.cpp issue 13566). While the model is being loaded, every question
// gets HTTP 503 (containers/ramalama issue 2343); see Server.Load. It also reports token counts in timings.
func LlamaCpp(o LlamaOptions) Kind {
	name, capabilities := "llama.cpp", []string{"completion"}
	if o.Projector {
		capabilities = append(capabilities, "multimodal")
		name += ", `--mmproj`"
	}
	if !o.Jinja {
		name += ", `--no-jinja`"
	}
	const model = "qwen3-4b-q4_k_m.gguf"
	k := Kind{Name: name, BaseURL: "http://localhost:8080/v1", Model: model, bare: true, sees: o.Projector, thinks: true, fault: llamaFault,
		chat: chatStyle{reasoning: "reasoning_content", timings: true, nullContent: true}}
	entry := modelList(map[string]any{"id": model, "object": "model", "owned_by": "llamacpp",
		"meta": map[string]any{"n_ctx": 8192, "n_ctx_train": 40960, "n_params": 4_000_000_000}})
	entry["models"] = []any{map[string]any{"name": model, "model": model, "capabilities": capabilities}}
	k.list = entry
	k.check = func(a *Asked) *reply {
		switch {
		case len(a.Tools) > 0 && !o.Jinja:
			return llamaFault(http.StatusInternalServerError, "tools param requires --jinja flag", "server_error", "")
		case a.Images > 0 && !o.Projector:
			return llamaFault(http.StatusInternalServerError, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj", "server_error", "")
		case a.Size > tooLong:
			return llamaFault(http.StatusBadRequest, "request (9001 tokens) exceeds the available context size (8192 tokens), try increasing it", "exceed_context_size_error", "")
		}
		return nil
	}
	return k
}

// llamaFault returns an error in the format of llama-server: the code is the HTTP status.
func llamaFault(status int, message, kind, _ string) *reply {
	if status == http.StatusUnauthorized {
		message, kind = "Invalid API Key", "authentication_error"
	}
	return &reply{status: status, body: map[string]any{"error": map[string]any{"code": status, "message": message, "type": kind}}}
}

// loadingFault returns the answer of llama-server before the model is loaded.
func loadingFault() *reply {
	return llamaFault(http.StatusServiceUnavailable, "Loading model", "unavailable_error", "")
}

package openai

import "github.com/localpass/localpass/chat/internal/wire"

// denied lists the members that this package sets, and those that would change the
// content of the conversation, where it is stored, or which model is used. It includes
// the number of choices, since only the first choice is read.
var denied = []string{
	"messages", "tools", "tool_choice", "functions", "function_call", "stream", "stream_options", "n",
	"input", "prompt", "instructions", "previous_response_id", "user", "store", "metadata", "background", "conversation",
}

// chatRules returns the rules for overlays, which may set everything else, since servers
// have settings that are in no list. The types of known settings are checked.
func chatRules() wire.OverlayRules {
	return wire.OverlayRules{Open: true, Deny: denied, Fields: map[string]string{
		"model": "string", "temperature": "number", "top_p": "number", "top_k": "integer", "min_p": "number",
		"frequency_penalty": "number", "presence_penalty": "number", "repetition_penalty": "number", "repeat_penalty": "number",
		"max_tokens": "integer", "max_completion_tokens": "integer", "min_tokens": "integer", "seed": "integer", "stop": "string array",
		"logit_bias": "object", "logprobs": "boolean", "top_logprobs": "integer", "response_format": "object",
		"service_tier": "string", "verbosity": "string", "reasoning_effort": "string", "reasoning": "object", "thinking": "object",
		"prompt_cache_key": "string", "safety_identifier": "string", "prediction": "object", "modalities": "array",
		"parallel_tool_calls": "boolean", "chat_template_kwargs": "object", "web_search_options": "object",
	}}
}

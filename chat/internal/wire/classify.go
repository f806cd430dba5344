package wire

import (
	"net/http"
	"strings"

	"github.com/localpass/localpass/chat/llm"
)

// classify returns the code of a failure, first by its name, then by the HTTP status. The
// status is 0 for a failure within a stream.
func classify(status int, f failure) (code llm.Code, retryable bool) {
	name := strings.ToLower(f.code + " " + f.kind)
	message := strings.ToLower(f.message)
	// For a server error the status decides, regardless of the message.
	refused := status == 0 || status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge ||
		status == http.StatusUnprocessableEntity || status == http.StatusNotFound || status == http.StatusInternalServerError
	switch {
	case refused && (has(name, overflowNames) || has(message, overflowWords)):
		return llm.CodeContextOverflow, false
	case has(name, []string{"insufficient_quota", "billing"}):
		return llm.CodeRateLimited, false // waiting does not help if the account is out of credit
	case refused && status != http.StatusInternalServerError &&
		(has(name, []string{"model_not_found", "model_not_exist"}) || has(message, []string{"invalid model name passed", "invalid model identifier"})):
		return llm.CodeModelNotFound, false
	}
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return llm.CodeProviderAuth, false
	case http.StatusNotFound:
		return llm.CodeModelNotFound, false
	case http.StatusRequestEntityTooLarge:
		return llm.CodeContextOverflow, false
	case http.StatusTooManyRequests:
		return llm.CodeRateLimited, true
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly:
		return llm.CodeUnavailable, true
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return llm.CodeProviderRejected, false
	case 0:
		return byName(name, message)
	}
	if status >= 500 {
		return llm.CodeUnavailable, true
	}
	return llm.CodeProviderRejected, false
}

// byName returns the code of a failure by its name and message.
func byName(name, message string) (llm.Code, bool) {
	switch {
	case has(name, []string{"rate_limit", "too_many_requests"}) || has(message, []string{"rate limit", "too many requests"}):
		return llm.CodeRateLimited, true
	case has(name, []string{"authentication", "invalid_api_key", "permission"}):
		return llm.CodeProviderAuth, false
	case has(name, []string{"invalid_request", "bad_request", "badrequest", "invalid_value", "content_policy", "content_filter", "invalid_prompt"}):
		return llm.CodeProviderRejected, false
	}
	return llm.CodeUnavailable, true
}

var (
	overflowNames = []string{"context_length", "exceed_context_size", "context_window", "prompt_too_long"}
	overflowWords = []string{
		"context length", "context window", "context size", "maximum context", "max_model_len", "prompt is too long", "input is too long",
		"reduce the length of the messages", "too many tokens", "longer than the model", "exceeds the model's maximum",
	}
)

func has(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

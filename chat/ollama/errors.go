package ollama

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/localpass/localpass/chat/internal/wire"
	"github.com/localpass/localpass/chat/llm"
)

// Codes of warnings.
const (
	warnImageOmitted = "image_omitted"
	warnRescued      = "rescued_tool_call"
)

// convertError converts an error of the connection or the server to an llm.Error, with advice
// for the user.
func (p *Provider) convertError(ctx context.Context, err error) error {
	var known *llm.Error
	var transport *url.Error
	switch {
	case ctx.Err() != nil || errors.As(err, &transport):
		err = wire.TransportError(ctx, p.opts.ID, err, false)
		if !errors.As(err, &known) {
			return err
		}
	case errors.As(err, &known):
	case errors.Is(err, llm.ErrInvalid):
		return &llm.Error{Code: llm.CodeInvalidArgument, Provider: p.opts.ID, Err: err}
	default:
		return &llm.Error{Code: llm.CodeProviderRejected, Provider: p.opts.ID, Message: "the answer is not that of an Ollama server: is the base URL right?", Err: err}
	}
	return p.explain(known)
}

// explain adds the meaning of an error that is specific to Ollama, once. It changes e,
// which belongs to this call.
func (p *Provider) explain(e *llm.Error) *llm.Error {
	words := strings.ToLower(e.Message)
	switch {
	case e.Code == llm.CodeUnavailable && e.HTTPStatus == 0 && e.Err != nil:
		e.Message = fmt.Sprintf("no server answers at %s: is Ollama running? Start it with: ollama serve", p.base.Redacted())
	case strings.Contains(words, "does not support tools"):
		e.Code, e.Retryable = llm.CodeModelLacksTools, false
		hint(e, ": choose another model, or ask without tools")
	case e.HTTPStatus == http.StatusNotFound && strings.Contains(words, "not found"):
		e.Code = llm.CodeModelNotFound
		hint(e, ": pull it first")
	case e.HTTPStatus == http.StatusUnauthorized:
		hint(e, ": to use a model in the cloud, sign in with: ollama signin")
	case strings.Contains(words, "exceeds the context") || strings.Contains(words, "exceeds maximum context") || strings.Contains(words, "exceed_context"):
		e.Code, e.Retryable = llm.CodeContextOverflow, false
	case strings.Contains(words, "more system memory"): // a retry would not help
		e.Retryable = false
	}
	return e
}

func hint(e *llm.Error, text string) {
	if !strings.HasSuffix(e.Message, text) {
		e.Message += text
	}
}

func (p *Provider) lacksTools(name string) error {
	return &llm.Error{Code: llm.CodeModelLacksTools, Provider: p.opts.ID,
		Message: fmt.Sprintf("the model %s cannot call tools: choose another model, or ask without tools", name)}
}

func (p *Provider) broken(err error) error {
	return &llm.Error{Code: llm.CodeStreamBroken, Provider: p.opts.ID, Retryable: true,
		Message: "the answer broke off before its end", Err: err}
}

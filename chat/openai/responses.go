package openai

import (
	"context"
	"iter"

	"github.com/localpass/localpass/chat"
)

// generateResponses makes one exchange over the Responses API.
func (m *Model) generateResponses(context.Context, *chat.ModelRequest) iter.Seq2[chat.Delta, error] {
	return func(yield func(chat.Delta, error) bool) {
		yield(chat.Delta{}, &chat.Error{Code: chat.CodeProviderRejected, Provider: m.info.Provider,
			Message: "this model needs the Responses API; set Options.API to chat, or take another model"})
	}
}

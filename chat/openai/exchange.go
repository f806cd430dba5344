package openai

import (
	"context"
	"iter"

	"github.com/localpass/localpass/chat"
)

// generateChat makes one exchange over Chat Completions.
func (m *Model) generateChat(context.Context, *chat.ModelRequest) iter.Seq2[chat.Delta, error] {
	return func(yield func(chat.Delta, error) bool) {
		yield(chat.Delta{}, &chat.Error{Code: chat.CodeProviderRejected, Provider: m.info.Provider, Message: "Chat Completions are not built yet"})
	}
}

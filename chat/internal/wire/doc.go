// Package wire is what the adapters of model servers share: how a failure of a
// server becomes a [llm.Error], how a person's own settings are laid over a
// request, and how streamed text is put together again.
package wire

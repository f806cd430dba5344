// Package ollama provides the models of an Ollama server to package chat: it lists them
// with their capabilities, runs them, and downloads further ones.
//
//	provider, err := ollama.New(nil) // http://localhost:11434
//	model, err := provider.Model(ctx, "qwen3.5:4b")
//	client, err := chat.NewClient(model, nil)
//
// Everything here is safe for concurrent use. An error is a *llm.Error or wraps the
// context's error. A call of a model is one exchange; llm.Retrying retries temporary
// failures.
//
// # Nothing is cut off silently
//
// By default a server drops old messages if a prompt is too long, and a stream that
// breaks off looks like one that ended. This package sends the size of the context with
// each request (see [Options].NumCtx), returns llm.CodeContextOverflow for a prompt that
// does not fit, and llm.CodeStreamBroken for an answer without the server's final
// message.
//
// # Thinking
//
// How llm.Options.Effort is applied depends on what the server reports about a model:
//
//	                 cannot think   can think   gpt-oss
//	default          not sent       not sent    not sent (a model that can think does)
//	off              not sent       false       "low", adjusted: it cannot be off
//	low…max          not sent, adjusted  true   "low", "medium", "high"
//
// If a server refuses the setting anyway, the request is repeated without it, and later
// requests leave it out. A delta of kind llm.DeltaAdjusted reports every difference.
//
// # Tools
//
// Schemas are sent as their authors wrote them. The server has no tool choice: for "none"
// it gets no tools, for a required or named tool it gets only the possible tools, and
// this is reported as adjusted because it does not force the model to call one. If a
// format is requested together with tools, it is sent as an instruction, since otherwise
// the model could write nothing but that format.
//
// # Stopping
//
// A stopped turn ends here at once. A server of version 0.17.4 whose client leaves in the
// middle of an answer may keep the slot of a fast model occupied: set OLLAMA_NUM_PARALLEL
// above 1 there, or restart it if it no longer answers.
//
// # What comes with the library
//
// Lists, descriptions and downloads go through github.com/ollama/ollama/api. That library
// signs requests to the host ollama.com with the key in ~/.ollama, but not requests to
// your own server.
package ollama

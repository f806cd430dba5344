// Package ollama serves the models of an Ollama server to package chat: those that
// it has, what each can do, and the fetching of further ones.
//
//	provider, err := ollama.New(nil) // http://localhost:11434
//	model, err := provider.Model(ctx, "qwen3.5:4b")
//	client, err := chat.NewClient(model, nil)
//
// Everything here is safe for concurrent use. Errors are a *chat.Error, or wrap the
// context's. A call of a model is one exchange; chat.Retrying repeats those that
// failed for a while.
//
// # Nothing is cut off silently
//
// A server left alone drops old messages when a prompt is too long, and takes a
// stream that breaks off for one that ended. Here the size of the context is part
// of each request (see [Options].NumCtx), a prompt that does not fit is the error
// chat.CodeContextOverflow, and an answer without the server's last word is
// chat.CodeStreamBroken.
//
// # Thinking
//
// How chat.Options.Effort is applied depends on what the server reports about a model:
//
//	                 cannot think   can think   gpt-oss
//	default          not sent       not sent    not sent (a model that can think does)
//	off              not sent       false       "low", adjusted: it cannot be off
//	low…max          not sent, adjusted  true   "low", "medium", "high"
//
// A server that refuses the setting all the same is asked once more without it, and
// not again with it. Every difference is reported by a delta of kind
// chat.DeltaAdjusted.
//
// # Tools
//
// Schemas are sent as their authors wrote them. The server knows no choice of
// tools: for none it gets no tools, for a required or named one it gets only those,
// which is reported as adjusted, for it does not force the model. A format that is
// asked for together with tools goes as an instruction, since the server would
// otherwise let the model write nothing but that format.
//
// # Stopping
//
// A turn that is stopped ends here at once. A server of version 0.17.4 that is left
// in the middle of an answer may keep the model's slot occupied by it, when the model
// is fast: set OLLAMA_NUM_PARALLEL above 1 there, or start it anew when it no longer
// answers.
//
// # What comes with the library
//
// Lists, descriptions and downloads go through github.com/ollama/ollama/api. For
// the host ollama.com that library signs its requests with the key in ~/.ollama;
// for a server of one's own, it does not.
package ollama

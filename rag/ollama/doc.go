// Package ollama embeds texts with a model of an Ollama server.
//
// The library is github.com/ollama/ollama/api. Requests of 64 texts are sent, several at a
// time, and repeated where that can help (see package embedding). A text that is longer
// than the model's context is an error, and not cut silently as Ollama does by default.
package ollama

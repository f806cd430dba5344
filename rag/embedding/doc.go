// Package embedding holds what embedders of all providers need: [Batch] divides many texts
// into calls of a size that a server accepts, several at a time, and repeats what failed;
// [Threshold] knows the scores of models. [Words] is an embedder without a model.
//
// The providers are in rag/openai and rag/ollama.
package embedding

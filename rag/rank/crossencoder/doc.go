// Package crossencoder is a rank.Reranker that asks a server: Cohere, Jina, Voyage, vLLM,
// llama.cpp or Text Embeddings Inference.
//
//	reranker, err := crossencoder.New("http://127.0.0.1:8080/v1/rerank", &crossencoder.Options{Model: "bge-reranker-v2-m3"})
//
// The query and the texts are sent to that address, and to no other.
package crossencoder

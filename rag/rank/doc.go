// Package rank improves the order of what a search finds. Each function wraps a
// rag.Retriever in another one, so they can be combined:
//
//	search := rank.Hybrid(rag.RetrieverFunc(vectors.Search), rag.RetrieverFunc(words.Search))
//	search, err := rank.Diverse(search, nil)
//	search, err = rank.Rerank(search, reranker, nil)
//
// They ask the wrapped retriever for more candidates than requested, and return as many as
// requested. A filter and a threshold apply to the search itself, before any of this.
package rank

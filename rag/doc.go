// Package rag is about finding the documents that an answer can rest on.
//
// The package currently holds the vocabulary of retrieval: a [Document], a [Match], a
// [Filter] over metadata, a [SearchRequest], and the [Retriever] that answers it. That
// is enough to put one's own search behind a chat:
//
//	search := rag.RetrieverFunc(func(ctx context.Context, req rag.SearchRequest) ([]rag.Match, error) {
//		return index.Find(ctx, req.Query, req.TopK)
//	})
//	retrieval, err := advisor.RAG(search, nil)
//
// Readers, splitters, embedders and stores are not part of it yet.
//
// The package knows no models and no chats: a retriever may ask one, and nothing
// here does.
package rag

// Package rag defines retrieval: finding documents on which an answer can be based.
//
// The package currently contains the basic types of retrieval: a [Document], a [Match], a [Filter]
// over metadata, a [SearchRequest], and the [Retriever] that answers it. That is enough to connect
// your own search to a chat:
//
//	search := rag.RetrieverFunc(func(ctx context.Context, req rag.SearchRequest) ([]rag.Match, error) {
//		return index.Find(ctx, req.Query, req.TopK)
//	})
//	retrieval, err := advisor.RAG(search, nil)
//
// Readers, splitters, embedders and stores are not part of it yet.
//
// The package does not use models or chats itself; a retriever may.
package rag

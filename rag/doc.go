// Package rag defines retrieval: finding documents on which an answer can be based.
//
// It holds the vocabulary that readers, splitters, embedders and stores share, and no
// engine. A [Reader] extracts the text of a file, a [Splitter] divides it into chunks, an
// [Embedder] turns them into vectors, a [VectorStore] keeps both and finds them again, and
// a [Retriever] answers a [SearchRequest], which is all that a chat needs:
//
//	search := rag.RetrieverFunc(store.Search)
//	retrieval, err := advisor.RAG(search, nil)
//
// A [Filter] limits a search by metadata. [ParseFilter] reads one, [Filter.Matches] is the
// reference of what it means, and [Lower] translates it for a database.
//
// The package does not use models or chats itself; a retriever may.
package rag

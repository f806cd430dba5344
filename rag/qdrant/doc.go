// Package qdrant is a vector store in a collection of a Qdrant server, for millions of
// documents, or many programs.
//
//	store, err := qdrant.Open(ctx, "qdrant://db.example:6334/manuals", &qdrant.Options{Embedder: embedder})
//
// # How far it is tested
//
// Qdrant's server is neither a Go module nor a package of Debian, so the suite
// ragtest.TestStore runs against a gRPC server of the tests, which implements the documented
// behaviour of the calls that this package makes, in memory. No run against a real server
// stands behind it. The package relies on little of a server for that reason: the lengths of
// vectors, the values of metadata and every filter are checked in what it returns.
//
// # What a server cannot promise
//
// A call of Add is one request, which the server logs as a whole, but a search may see its
// documents one after the other. Replace deletes and adds in one request of two steps. A
// collection that is emptied and gets vectors of another dimension is made anew.
//
// # Filters
//
// Each document has its keys and values as keywords, so that equality, IN and IS NULL are
// answered by one index, and its numbers by key for comparisons. What a server finds is
// compared with [rag.Filter.Matches] again, and a search asks for more until it has enough:
// it never returns fewer documents than there are.
package qdrant

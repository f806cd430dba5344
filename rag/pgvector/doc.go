// Package pgvector is a vector store in a PostgreSQL database with the extension pgvector,
// for more documents than the memory of one program holds, or for several programs.
//
//	store, err := pgvector.Open(ctx, "postgres://rag@db.example/rag", &pgvector.Options{Embedder: embedder})
//
// It needs PostgreSQL 13 or newer, encoded in UTF-8, and pgvector 0.8 or newer. [Open] makes
// the extension, a schema and the tables if they are missing, and migrates tables of an
// older version; with the tables in place it needs no rights beyond reading and writing
// them.
//
// # Exact and approximate
//
// Fewer than 10,000 documents ([Options].IndexFrom), or fewer that a filter selects, are
// compared one by one: the result is exact. Above that, an HNSW index finds most of the
// nearest documents. Its scan goes on until enough documents pass the filter, and a search
// that still has too few is repeated without the index, so that a filter never costs
// matches. The scores are exact in both cases.
//
// Filters become conditions on a jsonb column, with every key and constant as a parameter,
// and agree with [rag.Filter.Matches]: no condition is ever null. Equality and IN use a GIN
// index.
//
// The suite ragtest.TestStore runs against Debian's PostgreSQL 15 with pgvector 0.8.6
// (bash .ci/run postgres).
package pgvector

// Package chromem is a vector store that compares vectors with github.com/philippgille/chromem-go.
//
// It passes the same suite as package flat, by keeping chromem-go away from what goes wrong
// in it: the documents, with metadata of every type, are here and in a file of this
// module's own format, which survives a crash and any id; chromem-go holds the vectors in
// memory, gets only vectors of one dimension with a direction, only ids to delete, never a
// filter that could select everything, and never more results to return than it has. Of a
// filter it gets equality of strings and truth values; the rest is evaluated on what it
// returns, and it is asked for more until enough is left, so that a search with a filter
// finds all there is.
//
// There is no lexical mode. Package flat takes a tenth of the time and has one; this
// package is for programs that use chromem-go already.
package chromem

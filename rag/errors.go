package rag

import "errors"

// The errors that a caller may want to tell apart, wrapped with what they concern.
var (
	// ErrInvalid reports an invalid request; the text names the invalid part and its
	// valid values.
	ErrInvalid = errors.New("invalid argument")
	// ErrVector reports a vector that cannot be compared: it has no direction (all zero),
	// a value that is not finite, or another dimension than the others.
	ErrVector = errors.New("unusable vector")
	// ErrNoVector reports a document or a query without a vector for a store that has no
	// embedder to make one.
	ErrNoVector = errors.New("no vector, and no embedder to make one")
	// ErrEmbedder reports that an embedder failed or answered wrongly.
	ErrEmbedder = errors.New("embedder failed")
	// ErrEmbedderMismatch reports that a store holds vectors of another embedder than the
	// configured one. Vectors of two embedders cannot be compared: embed the documents
	// again. The error is a [*MismatchError].
	ErrEmbedderMismatch = errors.New("the vectors are of another embedder")
	// ErrUnsupportedFormat reports a file of a format that a reader cannot read; the text
	// names the format and what can be done.
	ErrUnsupportedFormat = errors.New("unsupported format")
	// ErrEncrypted reports a file that needs a password, or another one than it got.
	ErrEncrypted = errors.New("encrypted file")
	// ErrNoText reports a file in which there is no text, such as a scanned document.
	ErrNoText = errors.New("no text")
	// ErrPoorExtraction reports that the text of a file came out unusable, such as words
	// without spaces between them.
	ErrPoorExtraction = errors.New("unusable text")
	// ErrBudget reports a file that is larger than a reader may handle, or that takes too
	// much memory or time; the text names the limit.
	ErrBudget = errors.New("over the limit")
	// ErrCorrupt reports stored data or a file that cannot be read.
	ErrCorrupt = errors.New("corrupt data")
)

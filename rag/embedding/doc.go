// Package embedding holds what embedders of all providers need: [Batch] divides many texts
// into calls of a size that a server accepts, several at a time, and repeats what failed.
package embedding

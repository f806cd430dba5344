//go:build !unix

package descriptors

// Keep does nothing: here a program gets only what it is passed.
func Keep() error { return nil }

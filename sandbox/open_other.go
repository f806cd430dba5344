//go:build !unix

package sandbox

// openFlags: what has the name of a file here opens without waiting.
const openFlags = 0

//go:build !unix

package sandbox

// openFlags is 0: on this system opening a file never waits.
const openFlags = 0

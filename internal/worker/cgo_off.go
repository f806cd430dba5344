//go:build !linux || !cgo

package worker

// cgoEnabled says whether the C library makes the threads, with its stacks and arenas.
const cgoEnabled = false

// environment is what a worker starts with: nothing.
func environment() []string { return []string{} }

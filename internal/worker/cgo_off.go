//go:build linux && !cgo

package worker

// cgoEnabled: threads are the C library's, with its stacks and arenas.
const cgoEnabled = false

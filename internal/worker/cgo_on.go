//go:build linux && cgo

package worker

// cgoEnabled says whether the C library makes the threads, with its stacks and arenas.
const cgoEnabled = true

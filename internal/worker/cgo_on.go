//go:build linux && cgo

package worker

// cgoEnabled says whether the C library makes the threads, with its stacks and arenas.
const cgoEnabled = true

// environment is what a worker starts with. glibc reserves 64 MiB or more of address space
// for each of up to eight arenas a processor, as threads happen to need them, so that the
// room under AddressSpaceCgo would depend on the scheduler. A worker clears it
// before the first request.
func environment() []string { return []string{"MALLOC_ARENA_MAX=1"} }

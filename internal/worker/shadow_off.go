//go:build linux && !race && !asan && !msan

package worker

// shadowMemory: the build maps address space by the terabyte.
const shadowMemory = false

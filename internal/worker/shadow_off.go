//go:build linux && !race && !asan && !msan

package worker

// shadowMemory says whether this build maps terabytes of address space.
const shadowMemory = false

package worker

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets in the kernel's struct seccomp_data, which a filter reads: the call's
// number, the processor, and the low half of an argument (little-endian).
const (
	offsetNumber   = 0
	offsetArch     = 4
	offsetArgument = 16
)

// buildFilter makes the program that the kernel runs at each system call: it allows the
// calls that the Go runtime and the C library's threads need, and refuses all others with
// EPERM. Two calls are checked more closely: clone may make threads only, tgkill may
// reach this process only.
func buildFilter(pid int) []unix.SockFilter {
	const (
		load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		anyBit = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
		atMost = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
		answer = unix.BPF_RET | unix.BPF_K
		refuse = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	)
	var f []unix.SockFilter
	add := func(code uint16, value uint32, yes, no uint8) {
		f = append(f, unix.SockFilter{Code: code, K: value, Jt: yes, Jf: no})
	}
	// Call numbers depend on the processor, so check it first.
	add(load, offsetArch, 0, 0)
	add(equal, auditArch, 1, 0)
	add(answer, unix.SECCOMP_RET_KILL_PROCESS, 0, 0)
	add(load, offsetNumber, 0, 0)
	if foreignCalls > 0 {
		add(atMost, foreignCalls, 0, 1)
		add(answer, refuse, 0, 0)
	}
	// On ENOSYS the C library uses clone instead; any other error makes it end the
	// process because it could not make a thread.
	add(equal, unix.SYS_CLONE3, 0, 1)
	add(answer, unix.SECCOMP_RET_ERRNO|uint32(unix.ENOSYS), 0, 0)
	for _, nr := range allowedCalls {
		add(equal, nr, 0, 1)
		add(answer, unix.SECCOMP_RET_ALLOW, 0, 0)
	}
	add(equal, unix.SYS_CLONE, 0, 4)
	add(load, offsetArgument, 0, 0)
	add(anyBit, unix.CLONE_THREAD, 0, 1)
	add(answer, unix.SECCOMP_RET_ALLOW, 0, 0)
	add(answer, refuse, 0, 0)
	add(equal, unix.SYS_TGKILL, 0, 3)
	add(load, offsetArgument, 0, 0)
	add(equal, uint32(pid), 0, 1)
	add(answer, unix.SECCOMP_RET_ALLOW, 0, 0)
	add(answer, refuse, 0, 0)
	return f
}

// installFilter puts the filter on every thread of the process. The calling
// goroutine must be locked to its thread, which must have no_new_privs.
func installFilter(filter []unix.SockFilter) error {
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return errno
	}
	if thread != 0 {
		return fmt.Errorf("thread %d has another filter", thread)
	}
	return nil
}

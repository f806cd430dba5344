package worker

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// interpret runs a filter on one system call, as the kernel would.
func interpret(t *testing.T, filter []unix.SockFilter, arch, number uint32, argument uint64) uint32 {
	t.Helper()
	var data [64]byte // struct seccomp_data
	binary.LittleEndian.PutUint32(data[0:], number)
	binary.LittleEndian.PutUint32(data[4:], arch)
	binary.LittleEndian.PutUint64(data[16:], argument)
	var a uint32
	for pc := 0; ; pc++ {
		require.Less(t, pc, len(filter), "the filter runs off its end")
		f := filter[pc]
		jump := func(yes bool) {
			if yes {
				pc += int(f.Jt)
			} else {
				pc += int(f.Jf)
			}
		}
		switch f.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			a = binary.LittleEndian.Uint32(data[f.K:])
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			jump(a == f.K)
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			jump(a >= f.K)
		case unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K:
			jump(a&f.K != 0)
		case unix.BPF_RET | unix.BPF_K:
			return f.K
		default:
			t.Fatalf("instruction %#x", f.Code)
		}
	}
}

func TestFilter(t *testing.T) {
	if len(allowedCalls) == 0 {
		t.Skip("no filter for this processor")
	}
	const pid = 4711
	allow, refuse := uint32(unix.SECCOMP_RET_ALLOW), unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM)
	filter := buildFilter(pid)
	call := func(number uint32, argument uint64) uint32 { return interpret(t, filter, auditArch, number, argument) }

	for _, nr := range allowedCalls {
		assert.Equal(t, allow, call(nr, 0), "call %d", nr)
	}
	for name, nr := range map[string]uint32{
		"openat": unix.SYS_OPENAT, "openat2": unix.SYS_OPENAT2, "socket": unix.SYS_SOCKET, "connect": unix.SYS_CONNECT, "bind": unix.SYS_BIND,
		"execve": unix.SYS_EXECVE, "execveat": unix.SYS_EXECVEAT, "ptrace": unix.SYS_PTRACE, "kill": unix.SYS_KILL, "tkill": unix.SYS_TKILL,
		"prctl": unix.SYS_PRCTL, "unshare": unix.SYS_UNSHARE, "setns": unix.SYS_SETNS, "mount": unix.SYS_MOUNT, "bpf": unix.SYS_BPF,
		"io_uring_setup": unix.SYS_IO_URING_SETUP, "memfd_create": unix.SYS_MEMFD_CREATE, "userfaultfd": unix.SYS_USERFAULTFD,
		"process_vm_readv": unix.SYS_PROCESS_VM_READV, "pidfd_getfd": unix.SYS_PIDFD_GETFD, "unlinkat": unix.SYS_UNLINKAT,
		"seccomp": unix.SYS_SECCOMP, "setrlimit": unix.SYS_SETRLIMIT, "prlimit": unix.SYS_PRLIMIT64, "perf_event_open": unix.SYS_PERF_EVENT_OPEN,
		"one that is not there yet": 100_000,
	} {
		assert.Equal(t, refuse, call(nr, 0), name)
	}
	assert.Equal(t, unix.SECCOMP_RET_ERRNO|uint32(unix.ENOSYS), call(unix.SYS_CLONE3, 0), "the C library falls back to clone")
	assert.Equal(t, allow, call(unix.SYS_CLONE, unix.CLONE_VM|unix.CLONE_THREAD), "a thread")
	assert.Equal(t, refuse, call(unix.SYS_CLONE, uint64(unix.SIGCHLD)), "a process")
	assert.Equal(t, allow, call(unix.SYS_TGKILL, pid))
	assert.Equal(t, refuse, call(unix.SYS_TGKILL, pid+1))
	if foreignCalls > 0 {
		assert.Equal(t, refuse, call(unix.SYS_READ|foreignCalls, 0), "another calling convention")
	}
	assert.EqualValues(t, unix.SECCOMP_RET_KILL_PROCESS, interpret(t, filter, auditArch+1, unix.SYS_READ, 0), "another processor")
}

func TestAddressSpace(t *testing.T) {
	size, err := addressSpace()
	require.NoError(t, err)
	assert.Greater(t, size, int64(1<<20))
}

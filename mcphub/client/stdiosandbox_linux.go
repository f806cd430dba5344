package client

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What a rule of Landlock may allow below a folder, and for a file.
const (
	readAccess  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	writeAccess = readAccess | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	fileAccess = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	allAccess  = writeAccess | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// The files of the system that programs need. Those that do not exist are left out.
var (
	systemFiles = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/sys/devices/system/cpu", "/sys/fs/cgroup",
		"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload", "/etc/alternatives", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf",
		"/etc/hosts", "/etc/host.conf", "/etc/resolv.conf", "/etc/services", "/etc/protocols", "/etc/gai.conf", "/etc/localtime", "/etc/timezone", "/etc/os-release",
		"/etc/mime.types", "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs", "/etc/ca-certificates", "/dev/random", "/dev/urandom"}
	// The process that starts the program writes its user ids below /proc.
	systemDevices = []string{"/proc", "/dev/null", "/dev/zero", "/dev/full"}
)

// startLimited starts the program from a thread that has given up what the sandbox does not
// allow: the program inherits that, and the thread ends with the start.
func (s *StdioSandbox) startLimited(cmd *exec.Cmd) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	attr := cmd.SysProcAttr
	if attr.Pdeathsig != 0 {
		return errors.New("a program in a sandbox cannot have Pdeathsig: the thread that starts it ends at once")
	}
	if !s.Network {
		attr.Cloneflags |= unix.CLONE_NEWUSER | unix.CLONE_NEWNET
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	}
	return onSpareThread(func() error {
		err := s.limitThread(cmd.Path)
		if err == nil {
			if err = cmd.Start(); !s.Network && (errors.Is(err, unix.EPERM) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSPC)) {
				err = fmt.Errorf("%w: this system does not let this user make a network namespace (%w): allow it, or give the program the network with \"network\": true", ErrNoSandbox, err)
			}
		}
		return err
	})
}

// onSpareThread runs do on a thread that ends afterwards. It is never the first thread of the
// process, which cannot end: limits of that one would let the program see this process as its
// own kind, in /proc.
func onSpareThread(do func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() {
			done <- onSpareThread(do) // on another thread, as this one is locked
			runtime.UnlockOSThread()
			return
		}
		done <- do() // not unlocked, so that nothing else runs on the thread
	}()
	return <-done
}

// limitThread gives up, for this thread, all files but those that the sandbox allows.
func (s *StdioSandbox) limitThread(program string) error {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 || version < 3 {
		return fmt.Errorf("%w: the kernel has no Landlock of version 3, which Linux 6.2 brought, or it is switched off: take \"sandbox\" out to start the program with the rights of this one", ErrNoSandbox)
	}
	rules := unix.LandlockRulesetAttr{Handled_access_fs: allAccess}
	if version < 5 {
		rules.Handled_access_fs &^= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if version >= 4 && !s.Network {
		rules.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	size := unsafe.Sizeof(rules.Handled_access_fs) + unsafe.Sizeof(rules.Handled_access_net)
	if version >= 6 {
		rules.Scoped, size = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET|unix.LANDLOCK_SCOPE_SIGNAL, size+unsafe.Sizeof(rules.Scoped)
	} else if version < 4 {
		size = unsafe.Sizeof(rules.Handled_access_fs)
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)), size, 0)
	if errno != 0 {
		return fmt.Errorf("%w: Landlock: %w", ErrNoSandbox, errno)
	}
	defer func() { _ = unix.Close(int(fd)) }()
	for _, group := range []struct {
		paths    []string
		access   uint64
		optional bool
	}{
		{systemFiles, readAccess, true},
		{systemDevices, readAccess | unix.LANDLOCK_ACCESS_FS_WRITE_FILE, true},
		{append([]string{program}, s.Read...), readAccess, false},
		{s.Write, writeAccess, false},
	} {
		for _, path := range group.paths {
			err := allow(int(fd), path, group.access)
			if err != nil && (!group.optional || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission)) {
				return fmt.Errorf("the sandbox names %s: %w", path, err)
			}
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("%w: no_new_privs: %w", ErrNoSandbox, err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("%w: Landlock: %w", ErrNoSandbox, errno)
	}
	// A program of root would read other processes with its capabilities. It cannot regain
	// them, because of no_new_privs.
	var none [2]unix.CapUserData
	if err := unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0]); err != nil {
		return fmt.Errorf("%w: capabilities: %w", ErrNoSandbox, err)
	}
	return nil
}

// allow adds a rule for a file, or a folder with everything in it.
func allow(rules int, path string, access uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		return err
	}
	if info.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= fileAccess
	}
	// The kernel's structure is packed: 12 bytes.
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

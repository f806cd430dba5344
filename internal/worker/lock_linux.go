package worker

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"

	"github.com/landlock-lsm/go-landlock/landlock"
	landlocksys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// kernel holds the system calls of lock, whose effects cannot be undone.
type kernel struct {
	restrict   func() error                    // blocks files, sockets and signals
	landlock   func() (version int, err error) // the version that restrict can use
	undumpable func() error                    // blocks debuggers
	filter     func([]unix.SockFilter) error   // filters system calls
}

func thisKernel() kernel {
	return kernel{
		// Without rules, nothing is allowed: no files, no TCP, no signals and no abstract
		// sockets outside the process.
		restrict:   func() error { return landlock.V6.BestEffort().Restrict() },
		landlock:   landlocksys.LandlockGetABIVersion,
		undumpable: func() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) },
		filter:     installFilter,
	}
}

// lock gives up everything that serving requests does not need, and reports
// which layers are in force.
func lock(lim Limits) ([]string, error) {
	os.Clearenv() // see environment
	return lockWith(lim, thisKernel())
}

// lockWith is lock on a given kernel. Layers that the kernel does not have are left out;
// the failure of a layer that it has is an error. The order matters: the size of the
// address space must be read before files are blocked, and the filter of system calls
// comes last.
func lockWith(lim Limits, k kernel) ([]string, error) {
	layers := tune(lim)
	resources, err := limitResources(lim)
	if err != nil {
		return nil, err
	}
	layers = append(layers, resources...)
	// The kernel's signal for the parent's death was set at the start; this check finds a
	// parent that died before.
	if os.Getppid() > 1 {
		layers = append(layers, LayerParentDeath)
	}
	if err := k.restrict(); err != nil {
		return nil, fmt.Errorf("%s: %w", LayerLandlock, err)
	}
	if version, err := k.landlock(); err == nil && version > 0 {
		layers = append(layers, LayerLandlock+"-"+strconv.Itoa(min(version, 6)))
	}
	if k.undumpable() == nil {
		layers = append(layers, LayerNoDump)
	}
	if filtered, err := filterCalls(k.filter); err != nil {
		return nil, err
	} else if filtered {
		layers = append(layers, LayerNoNewPrivs, LayerSeccomp)
	}
	return layers, nil
}

// limitResources sets the limits of the process.
func limitResources(lim Limits) ([]string, error) {
	var layers []string
	set := func(resource int, value uint64, layer string) error {
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: value, Max: value}); err != nil {
			return fmt.Errorf("%s: %w", layer, err)
		}
		layers = append(layers, layer)
		return nil
	}
	if err := set(unix.RLIMIT_CORE, 0, LayerNoCore); err != nil {
		return nil, err
	}
	if lim.OpenFiles > 0 {
		if err := set(unix.RLIMIT_NOFILE, lim.OpenFiles, LayerFiles); err != nil {
			return nil, err
		}
	}
	room := lim.AddressSpace
	if cgoEnabled {
		room = lim.AddressSpaceCgo
	}
	// Race and sanitizer builds map terabytes of shadow memory.
	if room > 0 && !shadowMemory {
		size, err := addressSpace()
		if err != nil {
			return nil, err
		}
		if err := set(unix.RLIMIT_AS, uint64(size+room), LayerAddressSpace); err != nil {
			return nil, err
		}
	}
	return layers, nil
}

// addressSpace is the current size of the address space. A limit must be relative to it:
// an idle Go process has reserved over a gigabyte, and the kernel accepts a limit below
// that, which is then fatal at the next growth. So a failure here must be an error, never
// a zero.
func addressSpace() (int64, error) {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, fmt.Errorf("%s: %w", LayerAddressSpace, err)
	}
	field, _, _ := bytes.Cut(data, []byte(" "))
	pages, err := strconv.ParseInt(string(field), 10, 64)
	if err != nil || pages <= 0 {
		return 0, fmt.Errorf("%s: /proc/self/statm says %q", LayerAddressSpace, field)
	}
	return pages * int64(os.Getpagesize()), nil
}

// filterCalls installs the filter of system calls on all threads. It returns false if
// there is no list for this processor.
func filterCalls(install func([]unix.SockFilter) error) (bool, error) {
	if len(allowedCalls) == 0 {
		return false, nil
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return false, fmt.Errorf("%s: %w", LayerNoNewPrivs, err)
	}
	if err := install(buildFilter(os.Getpid())); err != nil {
		return false, fmt.Errorf("%s: %w", LayerSeccomp, err)
	}
	return true, nil
}

// Package worker runs a part of this program in child processes without rights.
//
// A worker is the same binary, started again with a marker in argv[0], an empty
// environment, / as its directory and two pipes. It reads its requests as frames, one at
// a time. Before the first request it gives up as much as the system allows: memory and
// stack beyond a bound, files, sockets, signals, other programs. The parent trusts
// nothing that a worker sends, and ends it by killing it.
//
// The package handles frames, processes and limits. Its user, package sandbox, defines
// the content of the frames.
package worker

import "time"

// Limits are the limits that a worker sets for itself. The first frame carries them. A
// zero field means no limit.
type Limits struct {
	// MemoryTarget is the memory limit of the garbage collector in bytes, GCPercent the
	// growth between collections below it, MaxStack the largest native stack of one
	// goroutine in bytes.
	MemoryTarget int64
	GCPercent    int
	MaxStack     int
	// The watchdog ends the worker when its memory from the system exceeds MaxHeld bytes,
	// or its live heap exceeds MaxLive bytes. It looks every WatchEvery while a request
	// is served.
	MaxHeld, MaxLive int64
	WatchEvery       time.Duration
	// AddressSpace is how many bytes the address space may grow beyond its size at the
	// start; with cgo, which reserves stacks and arenas for each thread, AddressSpaceCgo
	// is used instead.
	AddressSpace, AddressSpaceCgo int64
	// OpenFiles bounds the number of file descriptors.
	OpenFiles uint64
	// Processors bounds the threads that run Go code at the same time.
	Processors int
}

// Exit codes of a worker.
const (
	ExitOK       = 0  // the parent closed the pipe
	ExitMemory   = 81 // the watchdog saw too much memory
	ExitOrphan   = 82 // the parent is gone
	ExitProtocol = 83 // a frame was invalid
	ExitSetup    = 84 // the first frame was invalid, or a limit could not be set
	ExitMisuse   = 85 // the program started workers but did not begin with serving
)

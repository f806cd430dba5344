// Package worker runs a part of this program in child processes without
// authority.
//
// A worker is the same binary started again under a marker in argv[0], with an
// empty environment, / as its directory and two pipes. It reads its requests as
// frames, one at a time. Before the first it gives up what it can: memory and
// stack beyond a bound, files, sockets, signals, other programs. The parent
// trusts nothing that a worker sends and ends it by killing it.
//
// The package knows frames, processes and limits. What the frames say is its
// user's: package sandbox.
package worker

import "time"

// Limits are what a worker holds itself to. They travel in its first frame. A
// zero field leaves that limit off.
type Limits struct {
	// MemoryTarget is what the garbage collector aims to stay under, GCPercent
	// its growth between collections otherwise, MaxStack the largest native
	// stack of one goroutine.
	MemoryTarget int64
	GCPercent    int
	MaxStack     int
	// The watchdog ends the worker when what it holds from the system exceeds
	// MaxHeld, or what lives on the heap MaxLive. It looks every WatchEvery
	// while a request is served.
	MaxHeld, MaxLive int64
	WatchEvery       time.Duration
	// AddressSpace is how far the address space may grow beyond its size at the
	// start; with cgo, which reserves stacks and arenas for each thread,
	// AddressSpaceCgo counts instead.
	AddressSpace, AddressSpaceCgo int64
	// OpenFiles bounds descriptors.
	OpenFiles uint64
	// Threads that run Go code at the same time.
	Processors int
}

// Exit codes of a worker.
const (
	ExitOK       = 0  // the parent closed the pipe
	ExitMemory   = 81 // the watchdog saw too much memory
	ExitOrphan   = 82 // the parent is gone
	ExitProtocol = 83 // a frame made no sense
	ExitSetup    = 84 // the first frame or the limits failed
	ExitMisuse   = 85 // the program started workers without being ready to be one
)

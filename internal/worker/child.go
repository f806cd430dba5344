package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"time"
)

// marker returns the argv[0] that makes a process a worker.
func marker(name string) string { return name + "-worker" }

// Is reports whether this process was started as a worker of this name.
func Is(name string) bool { return len(os.Args) > 0 && os.Args[0] == marker(name) }

// Misuse ends a worker process whose program did not begin with serving: otherwise
// workers would start workers.
func Misuse(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(ExitMisuse)
}

// Child is a worker as seen from inside its process. Only one goroutine may use it.
type Child struct {
	*Conn
	watch *watchdog
}

// NewChild returns a child without limits, for tests of request handlers.
func NewChild(r io.Reader, w io.Writer, maxFrame int) *Child {
	return &Child{Conn: NewConn(r, w, maxFrame), watch: newWatchdog(Limits{}, os.Getppid, os.Exit)}
}

// Serve runs a worker: it reads the first frame from r, gives up the process's rights,
// answers on w, and passes every further frame to the function that setup returned, until
// the parent closes the pipe. It returns the exit code.
//
// setup receives the caller's part of the first frame and runs before the process gives
// up its rights, so it can load files. It returns the caller's part of the answer and the
// request handler. The handler's payload is valid until it receives another frame; an
// error from it ends the worker.
func Serve(r io.Reader, w io.Writer, maxFrame int, setup func(data []byte) (answer []byte, handle func(*Child, Frame) error, err error)) int {
	return serve(r, w, maxFrame, setup, lock)
}

type locker func(Limits) ([]string, error)

func serve(r io.Reader, w io.Writer, maxFrame int, setup func([]byte) ([]byte, func(*Child, Frame) error, error), lock locker) int {
	c := NewChild(r, w, maxFrame)
	f, err := c.Receive()
	var first initFrame
	if err != nil || f.Kind != kindInit || len(f.Payload) > maxInitSize || json.Unmarshal(f.Payload, &first) != nil {
		return ExitProtocol
	}
	hello := helloFrame{Protocol: protocol}
	var handle func(*Child, Frame) error
	if first.Protocol == protocol {
		if hello.Answer, handle, err = setup(first.Setup); err == nil {
			hello.Layers, err = lock(first.Limits)
		}
		if err != nil {
			hello.Failure = err.Error()
		}
	}
	answer, err := json.Marshal(hello)
	if err != nil || c.Send(kindHello, 0, answer) != nil || hello.Failure != "" || first.Protocol != protocol {
		return ExitSetup
	}
	c.watch = newWatchdog(first.Limits, os.Getppid, os.Exit)
	return c.loop(handle)
}

// loop serves until the pipe closes.
func (c *Child) loop(handle func(*Child, Frame) error) int {
	for {
		f, err := c.Receive()
		if errors.Is(err, io.EOF) {
			return ExitOK
		}
		if err != nil || f.Kind < KindUser {
			return ExitProtocol
		}
		c.watch.watch()
		err = handle(c, f)
		c.watch.unwatch()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return ExitProtocol
		}
	}
}

// Held returns how much memory the process holds, in bytes, as the watchdog counts it.
func (c *Child) Held() int64 {
	held, _ := c.watch.sample()
	return held
}

// Grown returns how much memory the process held when the present request began, and the
// most that was measured since, in bytes. Call Held first for an up-to-date measurement.
func (c *Child) Grown() (before, most int64) {
	c.watch.mu.Lock()
	defer c.watch.mu.Unlock()
	return c.watch.before, c.watch.most
}

// tune sets the limits that the Go runtime can enforce itself.
func tune(lim Limits) []string {
	var layers []string
	if lim.Processors > 0 {
		runtime.GOMAXPROCS(lim.Processors)
	}
	if lim.GCPercent > 0 {
		debug.SetGCPercent(lim.GCPercent)
	}
	if lim.MemoryTarget > 0 {
		debug.SetMemoryLimit(lim.MemoryTarget)
		layers = append(layers, LayerMemoryTarget)
	}
	if lim.MaxStack > 0 {
		debug.SetMaxStack(lim.MaxStack)
		layers = append(layers, LayerStack)
	}
	if lim.WatchEvery > 0 {
		layers = append(layers, LayerWatchdog)
	}
	// A worker uses UTC: the machine's time zone would reveal something about it, and
	// reading it later would need a file.
	time.Local = time.UTC
	return append(layers, LayerEnvironment)
}

// The layers of confinement that a worker can have, as it reports them.
const (
	LayerEnvironment  = "no-environment"
	LayerMemoryTarget = "memory-target"
	LayerStack        = "stack-limit"
	LayerWatchdog     = "memory-watchdog"
	LayerAddressSpace = "address-space-limit"
	LayerNoCore       = "no-core-dump"
	LayerFiles        = "descriptor-limit"
	LayerNoDump       = "no-ptrace"
	LayerParentDeath  = "dies-with-parent"
	LayerNoNewPrivs   = "no-new-privileges"
	LayerLandlock     = "landlock"
	LayerSeccomp      = "seccomp"
)

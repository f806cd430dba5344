package worker

import (
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

// watchdog ends the process when it holds too much memory or has lost its parent. It
// looks only while a request is served: between requests, the end of the input shows that
// the parent is gone.
type watchdog struct {
	limits  Limits
	parent  int
	getppid func() int
	exit    func(int)
	running atomic.Bool
	timer   *time.Timer

	mu      sync.Mutex
	samples [3]metrics.Sample
	before  int64 // held when the request began
	most    int64 // the most held since then
}

func newWatchdog(limits Limits, getppid func() int, exit func(int)) *watchdog {
	w := &watchdog{limits: limits, parent: getppid(), getppid: getppid, exit: exit}
	w.samples[0].Name = "/memory/classes/total:bytes"
	w.samples[1].Name = "/memory/classes/heap/released:bytes"
	w.samples[2].Name = "/gc/heap/live:bytes"
	if limits.WatchEvery > 0 {
		w.timer = time.AfterFunc(time.Hour, w.tick)
		w.timer.Stop()
	}
	return w
}

func (w *watchdog) watch() {
	held, _ := w.sample()
	w.mu.Lock()
	w.before, w.most = held, held
	w.mu.Unlock()
	if w.timer != nil {
		w.running.Store(true)
		w.timer.Reset(w.limits.WatchEvery)
	}
}

func (w *watchdog) unwatch() {
	if w.timer != nil {
		w.running.Store(false)
		w.timer.Stop()
	}
}

func (w *watchdog) tick() {
	if !w.running.Load() {
		return
	}
	w.look()
	w.timer.Reset(w.limits.WatchEvery)
}

func (w *watchdog) look() {
	held, live := w.sample()
	if w.limits.MaxHeld > 0 && held > w.limits.MaxHeld || w.limits.MaxLive > 0 && live > w.limits.MaxLive {
		w.exit(ExitMemory)
	}
	if w.getppid() != w.parent {
		w.exit(ExitOrphan)
	}
}

// sample returns the bytes that the process holds from the system, and the bytes that
// were live on its heap after the last collection. The second shows a heap that the
// collector can keep within its bounds only by running all the time.
func (w *watchdog) sample() (held, live int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	metrics.Read(w.samples[:])
	held = int64(w.samples[0].Value.Uint64() - w.samples[1].Value.Uint64())
	w.most = max(w.most, held)
	return held, int64(w.samples[2].Value.Uint64())
}

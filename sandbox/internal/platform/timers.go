package platform

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/dop251/goja"
)

// Timers holds the pending timers of one run. It has its own clock, which only the owner
// of the runtime advances: when all other work is done, the owner gets the next timer,
// waits, and fires it. The delay of a timer counts from the time of the clock when the
// timer was set, and the clock does not move while code runs, as in Node. So two timers
// keep their order even if the code takes a while between two calls of setTimeout.
//
//	for at, ok := timers.Next(); ok && !settled(); at, ok = timers.Next() {
//		wait(at - time.Since(start))
//		timers.Advance(time.Since(start))
//		if err := timers.Fire(); err != nil {
//			return err
//		}
//	}
type Timers struct {
	p       *host
	now     time.Duration
	last    int64   // last id assigned
	pending []timer // ordered by due time, then by id
}

type timer struct {
	due      time.Duration
	id       int64
	interval time.Duration // 0 if the timer fires only once
	call     goja.Callable
	args     []goja.Value
}

func (p *host) timerQueue() *Timers {
	if p.timers == nil {
		p.timers = &Timers{p: p}
	}
	return p.timers
}

// Next returns when the next timer is due, on the clock of the timers, which starts at 0;
// ok is false if no timer is pending.
func (t *Timers) Next() (at time.Duration, ok bool) {
	if len(t.pending) == 0 {
		return 0, false
	}
	return t.pending[0].due, true
}

// Advance sets the clock to the time elapsed since the run began. The clock never goes
// back. Call Advance after work outside the code, and after waiting.
func (t *Timers) Advance(to time.Duration) { t.now = max(t.now, to) }

// Fire runs the callback of the next timer, and then the jobs that the callback queued.
// If the clock has not reached the due time, Fire advances the clock to it. The error is
// what the callback threw, a *goja.Exception, or what stopped the runtime; it is nil if
// no timer is pending.
func (t *Timers) Fire() error {
	if len(t.pending) == 0 {
		return nil
	}
	next := t.pending[0]
	t.pending = t.pending[1:]
	t.Advance(next.due)
	if next.interval > 0 {
		again := next
		again.due = t.now + next.interval
		t.insert(again)
	}
	_, err := next.call(goja.Undefined(), next.args...)
	return err
}

func (t *Timers) insert(one timer) {
	at, _ := slices.BinarySearchFunc(t.pending, one, func(a, b timer) int {
		if a.due != b.due {
			return int(max(min(a.due-b.due, 1), -1))
		}
		return int(max(min(a.id-b.id, 1), -1))
	})
	t.pending = slices.Insert(t.pending, at, one)
}

// maxDelay is the longest delay in milliseconds; a longer one counts as 1, as in browsers
// and Node.
const maxDelay = math.MaxInt32

// Set implements setTimeout and, if repeat, setInterval.
func (t *Timers) Set(name string, call goja.FunctionCall, repeat bool) goja.Value {
	f, ok := goja.AssertFunction(call.Argument(0))
	if !ok {
		panic(t.p.typeError(name + " takes a function"))
	}
	ms := 1.0
	if v := call.Argument(1); !goja.IsUndefined(v) {
		if _, symbol := v.(*goja.Symbol); symbol || goja.IsBigInt(v) {
			panic(t.p.typeError(name + " takes a delay in milliseconds"))
		}
		ms = math.Trunc(v.ToFloat())
	}
	if !(ms >= 1 && ms <= maxDelay) {
		ms = 1
	}
	if len(t.pending) >= t.p.Limits.Timers {
		panic(t.p.failure(&Failure{kindLimit, "timers", "too-many-timers",
			name + ": more than " + strconv.Itoa(t.p.Limits.Timers) + " timers are pending"}))
	}
	t.last++
	one := timer{id: t.last, call: f, due: t.now + time.Duration(ms)*time.Millisecond}
	if repeat {
		one.interval = time.Duration(ms) * time.Millisecond
	}
	if len(call.Arguments) > 2 {
		one.args = slices.Clone(call.Arguments[2:])
	}
	t.insert(one)
	return t.p.vm.ToValue(one.id)
}

func (p *host) newSetTimeout() goja.Value  { return p.newTimerSetter("setTimeout", false) }
func (p *host) newSetInterval() goja.Value { return p.newTimerSetter("setInterval", true) }

func (p *host) newTimerSetter(name string, repeat bool) goja.Value {
	return p.freeze(p.function(name, 1, func(call goja.FunctionCall) goja.Value {
		return p.timerQueue().Set(name, call, repeat)
	}))
}

func (p *host) newClearTimeout() goja.Value  { return p.newTimerClearer("clearTimeout") }
func (p *host) newClearInterval() goja.Value { return p.newTimerClearer("clearInterval") }

// newTimerClearer creates a function that clears the timer with a given number; it
// ignores any other argument.
func (p *host) newTimerClearer(name string) goja.Value {
	return p.freeze(p.function(name, 1, func(call goja.FunctionCall) goja.Value {
		v := call.Argument(0)
		if goja.IsNumber(v) || goja.IsString(v) {
			id, t := v.ToInteger(), p.timerQueue()
			t.pending = slices.DeleteFunc(t.pending, func(one timer) bool { return one.id == id })
		}
		return goja.Undefined()
	}))
}

// Awaiting undefined queues a separate job, even if the code has replaced
// Promise.prototype.then.
var microtaskProgram = program("(async function (run, task) { await undefined; run(task) })")

func (p *host) newQueueMicrotask() goja.Value {
	v, err := p.vm.RunProgram(microtaskProgram())
	p.check(err)
	enqueue, _ := goja.AssertFunction(v)
	run := p.function("", 1, func(call goja.FunctionCall) goja.Value {
		task, _ := goja.AssertFunction(call.Argument(0))
		if thrown := p.vm.Try(func() {
			_, err := task(goja.Undefined())
			p.check(err)
		}); thrown != nil && p.uncaught == nil {
			p.uncaught = thrown
		}
		return goja.Undefined()
	})
	return p.freeze(p.function("queueMicrotask", 1, func(call goja.FunctionCall) goja.Value {
		p.callback(call.Argument(0), "queueMicrotask")
		_, err := enqueue(goja.Undefined(), run, call.Argument(0))
		p.check(err)
		return goja.Undefined()
	}))
}

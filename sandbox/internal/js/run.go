package js

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"

	"github.com/localpass/localpass/sandbox/internal/hostcall"
	"github.com/localpass/localpass/sandbox/internal/platform"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
)

// Input is the input of one run.
type Input struct {
	// Globals are bound by value; Unset names are bound to undefined.
	Globals []toolspec.Global
	Unset   []string
	// Statements is the maximum number of function entries and loop iterations of a
	// program compiled with Count. 0 means no limit.
	Statements int64
	// CallTool calls another tool; nil if there are none. It is called on the goroutine
	// of Run, one call at a time.
	CallTool func(name string, arguments json.RawMessage) (*toolspec.Result, error)
	// Host performs operations that the code cannot do itself; nil if none are granted.
	// It is called on the goroutine of Run.
	Host   hostcall.Func
	Grants Grants
	// Console receives each line as it is printed. May be nil.
	Console func(activity.ConsoleLine)
	// Guarded caps some long native calls, see [run.guard].
	Guarded bool
	// Now replaces the clock, and Random the source of random bytes. Either may be nil.
	Now    func() time.Time
	Random io.Reader
	// Zones loads time zones by name. If nil, it is time.LoadLocation.
	Zones func(name string) (*time.Location, error)
}

// run is one run of a program.
type run struct {
	ctx     context.Context
	program *Program
	limits  *Limits
	vm      *goja.Runtime
	input   *Input
	console console
	tools   tools
	spent   int64 // statements

	platform *platform.Platform // nil if the code uses none of it
	noted    map[*goja.Object]*toolspec.CallError
	started  time.Time
	asked    int // number of requests to the host program
}

// Run runs the program once in a new runtime, at most until ctx is done. It never panics
// and always returns an outcome; the caller sets its Runtime and Usage.Duration. A native
// call that does not end blocks Run, so the caller must be able to abandon the call or
// end the process.
func (p *Program) Run(ctx context.Context, in *Input) (out *toolspec.Outcome) {
	r := &run{ctx: ctx, program: p, limits: p.limits, input: in, started: time.Now()}
	r.console = console{run: r, emit: in.Console}
	defer func() {
		if err := recovered(recover(), nil); err != nil {
			out = r.outcome(nil, false, r.stopped(err))
		}
	}()
	if ctx.Err() != nil {
		return r.outcome(nil, false, r.contextError())
	}
	vm := goja.New()
	r.vm = vm
	vm.SetMaxCallStackSize(r.limits.CallDepth)
	if err := r.install(); err != nil {
		return r.outcome(nil, false, err)
	}
	stop := context.AfterFunc(ctx, func() { vm.Interrupt(ctx.Err()) })
	defer stop()
	return r.execute()
}

// install creates the globals of the run.
func (r *run) install() *toolspec.CallError {
	vm, global := r.vm, r.vm.GlobalObject()
	// Strings must never become code: eval and the function constructors all parse with
	// these options, which throw.
	vm.SetParserOptions(refuse(parser.WithDisableSourceMaps, vm))
	for _, name := range r.program.hidden {
		if err := global.Delete(name); err != nil {
			return r.broken(err)
		}
	}
	r.sources()
	if err := r.hostGlobals(global); err != nil {
		return r.broken(err)
	}
	for _, name := range r.input.Unset {
		if err := define(global, name, goja.Undefined()); err != nil {
			return badGlobal(name, err)
		}
	}
	for _, g := range r.input.Globals {
		v, err := bind(vm, g.Value, r.limits.ValueDepth)
		if err != nil {
			return badGlobal(g.Name, err)
		}
		if err := define(global, g.Name, v); err != nil {
			return badGlobal(g.Name, err)
		}
	}
	return nil
}

// refuse returns a parser option that throws. Its type is inferred from another option,
// since the package does not export the option type.
func refuse[O any](_ func(O), vm *goja.Runtime) func(O) {
	return func(O) {
		panic(vm.NewTypeError("code cannot be made from text here"))
	}
}

// sources sets the sources of random numbers and the time.
func (r *run) sources() {
	var generator *rand.Rand
	r.vm.SetRandSource(func() float64 {
		if generator == nil { // seeded on first use, since most code needs no random numbers
			generator = rand.New(rand.NewChaCha8(r.seed()))
		}
		return generator.Float64()
	})
	if r.input.Now != nil {
		r.vm.SetTimeSource(r.input.Now)
	}
}

func (r *run) hostGlobals(global *goja.Object) error {
	if err := r.language(global); err != nil {
		return err
	}
	if err := r.helpers(global); err != nil {
		return err
	}
	if r.program.console {
		if err := frozen(r.vm, global, "console", r.console.object(r.vm)); err != nil {
			return err
		}
	}
	if r.program.tools && r.input.CallTool != nil {
		r.tools = tools{run: r}
		if err := frozen(r.vm, global, "localpass", r.tools.object(r.vm)); err != nil {
			return err
		}
	}
	if r.input.Guarded {
		return r.guard()
	}
	return nil
}

// execute runs the program and converts its result.
func (r *run) execute() *toolspec.Outcome {
	promise, err := r.start()
	if err == nil {
		err = r.settle(promise)
	}
	if err != nil {
		return r.outcome(nil, false, r.failure(err))
	}
	if promise.State() == goja.PromiseStateRejected {
		return r.outcome(nil, false, r.thrown(promise.Result(), nil))
	}
	value := promise.Result()
	conv := converter{vm: r.vm, done: r.done, budget: budget{r.limits.ValueDepth, r.limits.ResultNodes, r.limits.ResultBytes}}
	var failed error
	if err := protect(r.vm, func() { failed = conv.top(value) }); err != nil {
		return r.outcome(nil, false, r.failure(err))
	}
	if failed != nil {
		return r.outcome(nil, false, r.failure(failed))
	}
	return r.outcome(conv.out, value == nil || goja.IsUndefined(value), nil)
}

// start calls the function whose body is the code.
func (r *run) start() (*goja.Promise, error) {
	v, err := r.vm.RunProgram(r.program.program)
	if err != nil {
		return nil, err
	}
	if r.program.counted {
		outer, _ := goja.AssertFunction(v)
		if v, err = outer(goja.Undefined(), r.vm.ToValue(r.tick)); err != nil {
			return nil, err
		}
	}
	fn, ok := goja.AssertFunction(v)
	if !ok {
		return nil, errors.New("the code did not compile to a function")
	}
	if v, err = fn(goja.Undefined()); err != nil {
		return nil, err
	}
	promise, ok := v.Export().(*goja.Promise)
	if !ok {
		return nil, errors.New("the code did not give a promise")
	}
	return promise, nil
}

// tick counts one statement and ends the run at the limit with an interrupt, which no
// catch or finally of the code can intercept.
func (r *run) tick(goja.FunctionCall) goja.Value {
	r.spent++
	if limit := r.input.Statements; limit > 0 && r.spent > limit {
		r.vm.Interrupt(&toolspec.CallError{
			Kind: toolspec.KindResourceLimit, Reason: toolspec.ReasonStatements, Component: componentExecution,
			Message: fmt.Sprintf("the code executed more than %d statements", limit),
		})
	}
	return nil
}

// settle serves calls of other tools, and then timers, until the promise is settled. If
// nothing is left to wait for, a pending promise can never settle.
func (r *run) settle(promise *goja.Promise) error {
	for promise.State() == goja.PromiseStatePending {
		served, err := r.tools.serve()
		if err != nil {
			return err
		}
		if served {
			continue
		}
		fired, err := r.wait()
		if err != nil {
			return err
		}
		if !fired {
			return errPending
		}
	}
	return r.uncaught()
}

// uncaught returns the error that a callback of queueMicrotask threw, which no code can
// catch.
func (r *run) uncaught() error {
	if r.platform != nil {
		if thrown := r.platform.Uncaught(); thrown != nil {
			return thrown
		}
	}
	return nil
}

var errPending = errors.New("the result is a promise that never settles")

// failure converts the error that ended the run.
func (r *run) failure(err error) *toolspec.CallError {
	if e := r.stopped(err); e != nil {
		return e
	}
	var thrown *goja.Exception
	if errors.As(err, &thrown) {
		return r.thrown(thrown.Value(), thrown.Stack())
	}
	if errors.Is(err, errPending) {
		return &toolspec.CallError{Kind: toolspec.KindRuntimeError, Reason: toolspec.ReasonPendingPromise, Component: componentExecution,
			Message: "the code awaits a promise that nothing will ever settle"}
	}
	return &toolspec.CallError{Kind: toolspec.KindRuntimeError, Reason: toolspec.ReasonPanic, Component: componentExecution, Message: "the code could not be run", Err: err}
}

// contextError returns the error for a run that has exceeded its time, or whose caller
// has canceled it.
func (r *run) contextError() *toolspec.CallError {
	if errors.Is(r.ctx.Err(), context.Canceled) {
		return &toolspec.CallError{Kind: toolspec.KindCancelled, Component: componentExecution, Message: "the call was cancelled", Err: context.Canceled}
	}
	return &toolspec.CallError{Kind: toolspec.KindTimeout, Reason: toolspec.ReasonDeadline, Component: componentExecution, Message: "the run took too long", Err: context.DeadlineExceeded}
}

// done returns the reason why Go code that works for the run should stop, nil to
// continue.
func (r *run) done() error {
	if r.ctx.Err() == nil {
		return nil
	}
	e := r.contextError()
	return &convertError{kind: e.Kind, reason: e.Reason, message: e.Message}
}

func (r *run) broken(err error) *toolspec.CallError {
	return &toolspec.CallError{Kind: toolspec.KindRuntimeError, Reason: toolspec.ReasonPanic, Component: componentExecution, Message: "the runtime could not be set up", Err: err}
}

func badGlobal(name string, err error) *toolspec.CallError {
	return &toolspec.CallError{Kind: toolspec.KindInvalidInput, Reason: toolspec.ReasonArguments, Component: componentArguments,
		Message: "the value of " + strconv.Quote(cutRunes(name, 64)) + " cannot be bound", Err: err}
}

func (r *run) outcome(result json.RawMessage, undefined bool, failed *toolspec.CallError) *toolspec.Outcome {
	return &toolspec.Outcome{
		Result: result, Undefined: undefined, Err: failed, Console: r.console.lines,
		Usage:   activity.Usage{Statements: r.spent, HostCalls: r.tools.served + r.asked},
		Denials: r.tools.denials,
	}
}

// recovered converts the result of recover to an error; it returns err if there was no
// panic.
func recovered(x any, err error) error {
	switch x := x.(type) {
	case nil:
		return err
	case *goja.InterruptedError:
		return x
	case *goja.StackOverflowError:
		return x
	case *goja.Exception:
		return x
	}
	return &panicError{value: x, stack: debug.Stack()}
}

package js

import (
	"fmt"
	"time"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/sandbox/internal/fetch"
	"github.com/localpass/localpass/sandbox/internal/files"
	"github.com/localpass/localpass/sandbox/internal/hostcall"
	"github.com/localpass/localpass/sandbox/internal/parser"
	"github.com/localpass/localpass/sandbox/internal/platform"
	"github.com/localpass/localpass/toolspec"
)

// Grants are the helpers that a run gets beside the platform. They hold no
// authority: Input.Host judges each request by itself.
type Grants struct {
	Network     bool // fetch
	FileRead    bool // the reading half of safety.fs
	FileWrite   bool // the writing half
	Destructive bool // move, delete, deleteDir
}

// helpers installs what the code may use of the platform, fetch and safety. What
// the code does not name is not installed, and costs nothing.
func (r *run) helpers(global *goja.Object) error {
	if !r.program.features.None() {
		r.platform = platform.Install(r.vm, &platform.Options{
			Clock: r.input.Now, Random: r.input.Random, Zones: r.input.Zones, Features: r.program.features,
		})
	}
	if r.program.fetch && r.input.Grants.Network && r.input.Host != nil {
		err := fetch.Install(r.vm, fetch.Options{Call: r.hostCall, Thrown: r.note, Stopped: r.over})
		if err != nil {
			return err
		}
	}
	if !r.program.safety {
		return nil
	}
	safety := r.vm.NewObject()
	if err := parser.Install(r.vm, safety, &parser.Options{
		Stopped: r.over, Failed: func(e *toolspec.CallError) goja.Value { return r.safetyError(e) }, Warn: r.console.warn,
	}); err != nil {
		return err
	}
	if g := r.input.Grants; r.input.Host != nil && (g.FileRead || g.FileWrite) {
		if err := files.Install(r.vm, safety, &files.Options{Read: g.FileRead, Write: g.FileWrite, Call: r.hostCall, Failure: r.safetyError}); err != nil {
			return err
		}
	}
	return global.DefineDataProperty("safety", safety, goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// hostCall has the program do something. Too many requests end the run.
func (r *run) hostCall(req hostcall.Request) (hostcall.Reply, *toolspec.CallError) {
	if r.asked++; r.asked > r.limits.HostCalls {
		e := &toolspec.CallError{Kind: toolspec.KindResourceLimit, Reason: "host-calls", Component: componentExecution,
			Message: fmt.Sprintf("the code asks for files and the network more than %d times", r.limits.HostCalls)}
		r.vm.Interrupt(e)
		return hostcall.Reply{}, e
	}
	reply, failed := r.input.Host(req)
	if r.ctx.Err() != nil { // whatever it says: the time was up
		e := r.contextError()
		r.vm.Interrupt(e)
		return hostcall.Reply{}, e
	}
	if r.platform != nil { // a timer that is set from here on counts from now
		r.platform.Timers().Advance(time.Since(r.started))
	}
	return reply, failed
}

// over reports that the run has ended: native loops ask it now and then.
func (r *run) over() bool { return r.ctx.Err() != nil }

// safetyError is the Error that code sees of a helper's failure (specification
// section 8.4). It carries the message for models, never the operator's cause.
func (r *run) safetyError(failed *toolspec.CallError) *goja.Object {
	vm := r.vm
	// Of a class that code cannot put its own in the place of.
	obj := vm.NewTypeError("%s", cutRunes(failed.Message, r.limits.ErrorRunes))
	for _, m := range [...][2]string{{"name", "SafetyError"}, {"kind", string(failed.Kind)}, {"helper", failed.Component}, {"reason", failed.Reason}} {
		if err := obj.DefineDataProperty(m[0], vm.ToValue(m[1]), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
			break
		}
	}
	r.note(obj, failed)
	return obj
}

// maxNoted is how many errors of helpers are recognised when they come back
// uncaught. After more of them the earlier ones are no longer recognised.
const maxNoted = 1000

// note remembers the failure behind an error object: what code throws
// itself is none, whatever it looks like.
func (r *run) note(obj *goja.Object, failed *toolspec.CallError) {
	if len(r.noted) >= maxNoted {
		clear(r.noted)
	}
	if r.noted == nil {
		r.noted = map[*goja.Object]*toolspec.CallError{}
	}
	r.noted[obj] = failed
}

// helperFailure gives the failure behind an uncaught value, nil for
// what the code threw itself.
func (r *run) helperFailure(v goja.Value) *toolspec.CallError {
	obj, ok := v.(*goja.Object)
	if !ok {
		return nil
	}
	if failed := r.noted[obj]; failed != nil {
		e := *failed
		return &e
	}
	if r.platform != nil {
		if f, ok := r.platform.Failure(v); ok {
			return &toolspec.CallError{Kind: toolspec.Kind(f.Kind), Reason: f.Reason, Component: f.Helper, Message: f.Message}
		}
	}
	return nil
}

// wait lets the next timer fire. It reports false when there is none.
func (r *run) wait() (bool, error) {
	if r.platform == nil {
		return false, nil
	}
	timers := r.platform.Timers()
	at, ok := timers.Next()
	if !ok {
		return false, nil
	}
	if rest := at - time.Since(r.started); rest > 0 {
		timer := time.NewTimer(rest)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.ctx.Done():
			return false, r.contextError()
		}
	}
	timers.Advance(time.Since(r.started))
	return true, timers.Fire()
}

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

// Grants lists the helpers that a run gets in addition to the platform. They give no
// access by themselves: Input.Host checks each request.
type Grants struct {
	Network     bool // fetch
	FileRead    bool // the reading functions of safety.fs
	FileWrite   bool // the writing functions of safety.fs
	Destructive bool // move, delete, deleteDir
}

// helpers installs the parts of the platform, fetch and safety that the code may use.
// Parts that the code does not name are not installed and cost nothing.
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

// hostCall sends a request to the host program. Too many requests end the run.
func (r *run) hostCall(req hostcall.Request) (hostcall.Reply, *toolspec.CallError) {
	if r.asked++; r.asked > r.limits.HostCalls {
		e := &toolspec.CallError{Kind: toolspec.KindResourceLimit, Reason: "host-calls", Component: componentExecution,
			Message: fmt.Sprintf("the code asks for files and the network more than %d times", r.limits.HostCalls)}
		r.vm.Interrupt(e)
		return hostcall.Reply{}, e
	}
	reply, failed := r.input.Host(req)
	if r.ctx.Err() != nil { // the run has ended, whatever the reply is
		e := r.contextError()
		r.vm.Interrupt(e)
		return hostcall.Reply{}, e
	}
	if r.platform != nil { // timers set from here on count from now
		r.platform.Timers().Advance(time.Since(r.started))
	}
	return reply, failed
}

// over reports whether the run has ended; native loops call it at intervals.
func (r *run) over() bool { return r.ctx.Err() != nil }

// safetyError creates the Error that code gets for the failure of a helper (specification
// section 8.4). It contains the message for models, never the cause, which is for the
// operator.
func (r *run) safetyError(failed *toolspec.CallError) *goja.Object {
	vm := r.vm
	// The class of this error cannot be replaced by code.
	obj := vm.NewTypeError("%s", cutRunes(failed.Message, r.limits.ErrorRunes))
	for _, m := range [...][2]string{{"name", "SafetyError"}, {"kind", string(failed.Kind)}, {"helper", failed.Component}, {"reason", failed.Reason}} {
		if err := obj.DefineDataProperty(m[0], vm.ToValue(m[1]), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
			break
		}
	}
	r.note(obj, failed)
	return obj
}

// maxNoted is the number of helper errors that are recognized when they are not caught.
// Beyond that number, the earlier ones are no longer recognized.
const maxNoted = 1000

// note records the failure behind an error object, so that errors created by code are
// never taken for failures of helpers.
func (r *run) note(obj *goja.Object, failed *toolspec.CallError) {
	if len(r.noted) >= maxNoted {
		clear(r.noted)
	}
	if r.noted == nil {
		r.noted = map[*goja.Object]*toolspec.CallError{}
	}
	r.noted[obj] = failed
}

// helperFailure returns the failure behind an uncaught value, nil for a value that the
// code created.
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

// wait waits for the next timer and fires it. It returns false if there is none.
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

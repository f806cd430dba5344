package js

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
)

// tools implements calls of other tools from code:
//
//	const rate = await localpass.callTool("exchangeRate", {from: "EUR", to: "USD"})
//
// The promise resolves to the structured result of the tool, or to its text if there is
// no structured result. It rejects with an Error named ToolError that has kind and
// reason. Calls are made one at a time, in the order of the code, when the code has
// nothing left to do but wait for them.
type tools struct {
	run     *run
	errors  *goja.Object // the Error constructor, saved before code could replace it
	queue   []toolCall
	made    int
	served  int
	denials []activity.Denial
}

type toolCall struct {
	name            string
	arguments       json.RawMessage
	resolve, reject func(any) error
}

func (t *tools) object(vm *goja.Runtime) *goja.Object {
	t.errors = vm.Get("Error").ToObject(vm)
	obj := vm.NewObject()
	method(vm, obj, "callTool", t.callTool)
	return obj
}

// callTool queues a call and returns its promise.
func (t *tools) callTool(call goja.FunctionCall) goja.Value {
	vm := t.run.vm
	name, ok := call.Argument(0).(goja.String)
	if !ok || name.Length() == 0 || name.Length() > 128 {
		panic(vm.NewTypeError("callTool takes the name of a tool and an object of arguments"))
	}
	arguments := json.RawMessage("{}")
	if arg := call.Argument(1); !goja.IsUndefined(arg) && !goja.IsNull(arg) {
		obj, ok := arg.(*goja.Object)
		if !ok {
			panic(vm.NewTypeError("callTool takes the name of a tool and an object of arguments"))
		}
		conv := converter{vm: vm, done: t.run.done, budget: budget{t.run.limits.ValueDepth, t.run.limits.ResultNodes, t.run.limits.ResultBytes}}
		if err := conv.top(obj); err != nil {
			panic(vm.NewTypeError("%s", "the arguments cannot be sent: "+err.Error()))
		}
		if conv.out[0] != '{' {
			panic(vm.NewTypeError("callTool takes the name of a tool and an object of arguments"))
		}
		arguments = conv.out
	}
	if t.made++; t.made > t.run.limits.ToolCalls {
		vm.Interrupt(&toolspec.CallError{Kind: toolspec.KindResourceLimit, Reason: "tool-calls", Component: "callTool",
			Message: fmt.Sprintf("the code makes more than %d calls of other tools", t.run.limits.ToolCalls)})
		return goja.Undefined()
	}
	promise, resolve, reject := vm.NewPromise()
	t.queue = append(t.queue, toolCall{name: name.String(), arguments: arguments, resolve: resolve, reject: reject})
	return vm.ToValue(promise)
}

// serve makes the next call and settles its promise, which runs the code that waits for
// it. It returns false if no call is queued.
func (t *tools) serve() (bool, error) {
	if len(t.queue) == 0 {
		return false, nil
	}
	next := t.queue[0]
	t.queue = t.queue[1:]
	t.served++
	result, err := t.run.input.CallTool(next.name, next.arguments)
	if ctxErr := t.run.ctx.Err(); ctxErr != nil {
		return true, t.run.contextError()
	}
	var failed *toolspec.CallError
	switch {
	case err != nil:
		if !errors.As(err, &failed) {
			failed = &toolspec.CallError{Kind: toolspec.KindRuntimeError, Component: next.name, Message: "the tool could not be called", Err: err}
		}
	case result == nil:
		failed = &toolspec.CallError{Kind: toolspec.KindRuntimeError, Component: next.name, Message: "the tool gave nothing"}
	case result.IsError:
		if failed = result.Err; failed == nil {
			failed = &toolspec.CallError{Kind: toolspec.KindRuntimeError, Component: next.name, Message: result.Text()}
		}
	}
	if failed != nil {
		if failed.Kind == toolspec.KindSecurity {
			t.denials = append(t.denials, activity.Denial{Component: "callTool", Reason: failed.Reason, Detail: next.name})
		}
		return true, next.reject(t.toolError(failed))
	}
	v, err := t.resultValue(result)
	if err != nil {
		return true, next.reject(t.toolError(&toolspec.CallError{Kind: toolspec.KindHelperRuntime, Reason: ReasonResultType, Component: next.name, Message: "the tool's result cannot be read"}))
	}
	return true, next.resolve(v)
}

func (t *tools) resultValue(result *toolspec.Result) (goja.Value, error) {
	if len(result.Structured) > 0 {
		return bind(t.run.vm, result.Structured, t.run.limits.ValueDepth)
	}
	return t.run.vm.ToValue(result.Text()), nil
}

// toolError creates the Error that code gets for a failed call. It contains the message
// for models, never the cause, which is for the operator.
func (t *tools) toolError(failed *toolspec.CallError) *goja.Object {
	vm := t.run.vm
	obj, err := vm.New(t.errors, vm.ToValue(cutRunes(failed.ModelText(), t.run.limits.ErrorRunes)))
	if err != nil {
		obj = vm.NewObject()
	}
	for name, text := range map[string]string{"name": "ToolError", "kind": string(failed.Kind), "reason": failed.Reason} {
		if err := obj.DefineDataProperty(name, vm.ToValue(text), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
			break
		}
	}
	return obj
}

package fetch

import (
	"encoding/json"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/sandbox/internal/hostcall"
	"github.com/localpass/localpass/toolspec"
)

// Options configures fetch.
type Options struct {
	// Call performs a request. Required.
	Call hostcall.Func
	// Thrown receives each error object before it is thrown to code, so that the owner of
	// the runtime can recognize the error if code does not catch it. May be nil.
	Thrown func(*goja.Object, *toolspec.CallError)
	// Stopped reports whether the run has ended. It is called in long loops of native
	// code, which cannot be interrupted otherwise. If nil, they are never stopped.
	Stopped func() bool
}

// Install defines fetch on the global object of vm; everything else is built when fetch
// is first called. Like the runtime, it must be used by one goroutine at a time.
func Install(vm *goja.Runtime, opts Options) error {
	h := &half{vm: vm, opts: opts, limits: DefaultLimits(), send: egress.DefaultLimits().Send}
	fn, ok := vm.ToValue(h.fetch).(*goja.Object)
	if !ok {
		return errNotFunction
	}
	if err := fn.DefineDataProperty("name", vm.ToValue("fetch"), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		return err
	}
	return vm.GlobalObject().DefineDataProperty("fetch", fn, goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

type installError string

func (e installError) Error() string { return string(e) }

const errNotFunction = installError("fetch: the engine made no function")

// half is the part of fetch in the runtime; [Service] is the other part.
type half struct {
	vm     *goja.Runtime
	opts   Options
	limits Limits
	send   int64
}

// fetch is the global function. Every failure rejects the promise.
func (h *half) fetch(call goja.FunctionCall) goja.Value {
	promise, resolve, reject := h.vm.NewPromise()
	var answer *goja.Object
	if thrown := h.vm.Try(func() { answer = h.perform(call.Argument(0), call.Argument(1)) }); thrown != nil {
		settle(reject(thrown.Value()))
	} else {
		settle(resolve(answer))
	}
	return h.vm.ToValue(promise)
}

// settle passes on an error that code cannot catch, such as the end of the run.
func settle(err error) {
	if err != nil {
		panic(err)
	}
}

// perform reads the arguments, performs the request and builds its response. It panics
// with the value to throw to code.
func (h *half) perform(url, init goja.Value) *goja.Object {
	r, body := h.arguments(url, init)
	data := h.uploaded(&r, body)
	args, err := json.Marshal(&r)
	if err != nil {
		h.throw(toolspec.KindInvalidInput, ReasonRequest, "the request cannot be described")
	}
	reply := h.call(hostcall.Request{Op: opFetch, Args: args, Data: data})
	var answer response
	if err := json.Unmarshal(reply.Value, &answer); err != nil || answer.Size < len(reply.Data) || int64(answer.Size) > 1<<30 {
		h.throw(toolspec.KindHelperRuntime, egress.ReasonIO, "the response cannot be read")
	}
	return h.response(&answer, reply.Data)
}

// uploaded sends the part of the body that does not fit into one request ahead, and
// returns the rest.
func (h *half) uploaded(r *request, body []byte) []byte {
	for part := 0; len(body) > hostcall.MaxData; part++ {
		up := hostcall.Request{Op: opUpload, Data: body[:hostcall.MaxData]}
		if part == 0 {
			up.Args = json.RawMessage(`{"reset":true}`)
		}
		h.call(up)
		r.Upload, body = true, body[hostcall.MaxData:]
	}
	return body
}

func (h *half) call(req hostcall.Request) hostcall.Reply {
	reply, failed := h.opts.Call(req)
	if failed != nil {
		panic(h.failure(failed))
	}
	return reply
}

func (h *half) throw(kind toolspec.Kind, reason, what string) {
	panic(h.failure(&toolspec.CallError{Kind: kind, Reason: reason, Component: component, Message: "[fetch] " + what}))
}

// failure creates the Error that code gets for a failed call. It uses a constructor of
// the engine, so it works even if code has replaced the global ones.
func (h *half) failure(failed *toolspec.CallError) *goja.Object {
	e := h.vm.NewTypeError("%s", failed.Message)
	if proto := e.Prototype(); proto != nil && proto.Prototype() != nil {
		_ = e.SetPrototype(proto.Prototype()) // makes it an Error instead of a TypeError; fails only if code froze it
	}
	for _, m := range [...][2]string{{"name", "SafetyError"}, {"kind", string(failed.Kind)}, {"helper", component}, {"reason", failed.Reason}} {
		if err := e.DefineDataProperty(m[0], h.vm.ToValue(m[1]), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
			break
		}
	}
	if h.opts.Thrown != nil {
		h.opts.Thrown(e, failed)
	}
	return e
}

package fetch

import (
	"encoding/json"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/sandbox/internal/hostcall"
	"github.com/localpass/localpass/toolspec"
)

// Options say what fetch works with.
type Options struct {
	// Call performs a request. Required.
	Call hostcall.Func
	// Thrown receives each error object that is made for code, before code sees
	// it, so that its owner recognises it when it comes back uncaught. May
	// be nil.
	Thrown func(*goja.Object, *toolspec.CallError)
	// Stopped reports that the run has ended. It is asked in long loops of native
	// code, which nothing else interrupts. nil: never.
	Stopped func() bool
}

// Install puts fetch on the global object of vm, and builds nothing else until
// it is called. Like the runtime, it serves one goroutine at a time.
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

// half is the side of fetch that lives in the runtime.
type half struct {
	vm     *goja.Runtime
	opts   Options
	limits Limits
	send   int64
}

// fetch is the global function. Whatever goes wrong rejects the promise.
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

// settle passes on what cannot be caught, such as the end of the run.
func settle(err error) {
	if err != nil {
		panic(err)
	}
}

// perform reads the arguments, has the request made and builds its response. It
// panics with what code is to see thrown.
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

// uploaded sends ahead what does not fit into one request, and gives the rest.
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

// failure makes the Error that code sees of a failed call. It is made from the
// engine's own constructor, whatever code has done to the global ones.
func (h *half) failure(failed *toolspec.CallError) *goja.Object {
	e := h.vm.NewTypeError("%s", failed.Message)
	if proto := e.Prototype(); proto != nil && proto.Prototype() != nil {
		_ = e.SetPrototype(proto.Prototype()) // an Error, not a TypeError; refused only if code froze it
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

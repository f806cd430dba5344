package files

import (
	"encoding/json"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/sandbox/internal/hostcall"
	"github.com/localpass/localpass/toolspec"
)

// Options configures the JavaScript part. It grants no access by itself: the [Service]
// checks every permission again.
type Options struct {
	// Read and Write say which groups of functions are granted. If neither is, safety.fs
	// does not exist; the functions of a group that is not granted throw SECURITY
	// capability-not-granted.
	Read, Write bool
	// Call performs a request. Required.
	Call hostcall.Func
	// Failure creates the Error that code gets for a failed operation. If nil, it is a
	// SafetyError with kind, helper and reason (section 8.4).
	Failure func(*toolspec.CallError) *goja.Object
	// Limits holds the limits of the service; zero fields have their defaults. Here they
	// only save sending what the service would refuse.
	Limits Limits
}

// Install defines fs on the object safety, as an accessor that builds fs on first use. If
// neither group is granted, it does nothing. Like the runtime, the installed functions
// must be used by one goroutine at a time. In opts only Call is required.
func Install(vm *goja.Runtime, safety *goja.Object, opts *Options) error {
	if !opts.Read && !opts.Write {
		return nil
	}
	var object *goja.Object
	getter := vm.ToValue(func(goja.FunctionCall) goja.Value {
		if object == nil {
			h := &half{vm: vm, opts: *opts, limits: opts.Limits.withDefaults()}
			object = h.fsObject()
		}
		return object
	}).(*goja.Object)
	if err := getter.DefineDataProperty("name", vm.ToValue("get fs"), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE); err != nil {
		return err
	}
	return safety.DefineAccessorProperty("fs", getter, nil, goja.FLAG_FALSE, goja.FLAG_TRUE)
}

// half is the JavaScript part of fs in one runtime.
type half struct {
	vm     *goja.Runtime
	opts   Options
	limits Limits
}

// function is one function of fs.
type function struct {
	name   string
	length int
	group  group
	call   func(h *half, args []goja.Value) goja.Value
}

func functions() []function {
	return []function{
		{"workspace", 0, groupAny, func(h *half, _ []goja.Value) goja.Value { return h.text("workspace", nil, nil) }},
		{"readRoots", 0, groupAny, func(h *half, _ []goja.Value) goja.Value { return h.strings("readRoots", nil) }},

		{"readText", 1, groupRead, (*half).readText},
		{"readBytes", 1, groupRead, (*half).readBytes},
		{"list", 0, groupRead, (*half).list},
		{"exists", 1, groupRead, (*half).exists},
		{"stat", 1, groupRead, (*half).stat},
		{"grep", 2, groupRead, (*half).grep},
		{"lineCount", 1, groupRead, (*half).lineCount},
		{"slice", 1, groupRead, (*half).slice},
		{"cut", 2, groupRead, (*half).cut},
		{"sort", 1, groupRead, (*half).sort},
		{"find", 0, groupRead, (*half).find},
		{"searchInFiles", 3, groupRead, (*half).searchInFiles},

		{"writeText", 1, groupWrite, (*half).writeText},
		{"writeBytes", 2, groupWrite, (*half).writeBytes},
		{"appendText", 1, groupWrite, (*half).appendText},
		{"editText", 3, groupWrite, (*half).editText},
		{"copy", 2, groupWrite, (*half).copy},
		{"move", 2, groupWrite, (*half).move},
		{"delete", 1, groupWrite, (*half).delete},
		{"deleteDir", 1, groupWrite, (*half).deleteDir},
	}
}

// fsObject creates fs, whose functions cannot be replaced and do not reveal that they are
// written in Go.
func (h *half) fsObject() *goja.Object {
	o := h.vm.NewObject()
	for _, f := range functions() {
		fn := h.vm.ToValue(func(call goja.FunctionCall) goja.Value {
			if f.group == groupRead && !h.opts.Read || f.group == groupWrite && !h.opts.Write {
				// The call is still sent, so that the service refuses it and records the
				// denial.
				h.hostCall(f.name, h.named(f.name, call.Arguments), nil)
				return goja.Undefined()
			}
			return f.call(h, call.Arguments)
		}).(*goja.Object)
		h.fixed(fn, "name", h.vm.ToValue(f.name), goja.FLAG_FALSE)
		h.fixed(fn, "length", h.vm.ToValue(f.length), goja.FLAG_FALSE)
		h.freeze(fn)
		h.fixed(o, f.name, fn, goja.FLAG_TRUE)
	}
	h.freeze(o)
	return o
}

// named returns the path that code passed to an operation that is not granted, for the
// record of the denial. Only a short string is read.
func (h *half) named(name string, args []goja.Value) *arguments {
	i := 0
	if name == "grep" {
		i = 1
	}
	if s, ok := at(args, i).(goja.String); ok && s.Length() <= h.limits.PathBytes {
		return &arguments{Path: s.String()}
	}
	return nil
}

// fixed defines a read-only property.
func (h *half) fixed(o *goja.Object, name string, v goja.Value, enumerable goja.Flag) {
	if err := o.DefineDataProperty(name, v, goja.FLAG_FALSE, goja.FLAG_FALSE, enumerable); err != nil {
		panic(err) // cannot happen with a fresh object; the engine would turn the panic into an error
	}
}

// own defines an ordinary property of a result. It does not call setters that code has
// defined on prototypes.
func (h *half) own(o *goja.Object, name string, v any) {
	if err := o.DefineDataProperty(name, h.vm.ToValue(v), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
		panic(err)
	}
}

// freeze makes an object immutable by calling Object.freeze. If code has replaced that
// function, the only effect is that it can add properties to fs.
func (h *half) freeze(o *goja.Object) {
	object, ok := h.vm.Get("Object").(*goja.Object)
	if !ok {
		return
	}
	if f, ok := object.Get("freeze").(*goja.Object); ok {
		if native, ok := f.Export().(func(goja.FunctionCall) goja.Value); ok {
			native(goja.FunctionCall{This: object, Arguments: []goja.Value{o}})
		}
	}
}

// hostCall performs an operation; if body is too large for one request, parts of it are
// sent ahead. A failure is thrown.
func (h *half) hostCall(name string, args *arguments, body []byte) hostcall.Reply {
	if args == nil {
		args = &arguments{}
	}
	for first := true; len(body) > hostcall.MaxData; first = false {
		h.request(opStage, &arguments{First: first}, body[:hostcall.MaxData])
		body = body[hostcall.MaxData:]
		args.Staged = true
	}
	return h.request(name, args, body)
}

func (h *half) request(name string, args *arguments, body []byte) hostcall.Reply {
	encoded, err := json.Marshal(args)
	if err != nil {
		panic(h.failure(&toolspec.CallError{Kind: toolspec.KindInvalidInput, Reason: "invalid-arguments", Component: Helper, Message: name + ": the arguments cannot be sent"}))
	}
	reply, failed := h.opts.Call(hostcall.Request{Op: OpPrefix + name, Args: encoded, Data: body})
	if failed != nil {
		panic(h.failure(failed))
	}
	return reply
}

// throw throws an error about the arguments of a function.
func (h *half) throw(name, reason, message string) {
	panic(h.failure(&toolspec.CallError{Kind: toolspec.KindInvalidInput, Reason: reason, Component: Helper, Message: name + ": " + message}))
}

// garbled throws an error about an invalid reply.
func (h *half) garbled(name string) {
	panic(h.failure(&toolspec.CallError{Kind: toolspec.KindHelperRuntime, Reason: ReasonIO, Component: Helper, Message: name + ": the answer of the program cannot be read"}))
}

// failure creates the error to throw. It uses nothing that code could have replaced.
func (h *half) failure(e *toolspec.CallError) *goja.Object {
	if h.opts.Failure != nil {
		return h.opts.Failure(e)
	}
	o := h.vm.NewTypeError("%s", e.Message)
	if proto := o.Prototype(); proto != nil && proto.Prototype() != nil {
		// Replace TypeError.prototype with its parent Error.prototype, since the error is
		// not a TypeError.
		if err := o.SetPrototype(proto.Prototype()); err != nil {
			return o
		}
	}
	h.own(o, "name", "SafetyError")
	h.own(o, "kind", string(e.Kind))
	h.own(o, "helper", Helper)
	h.own(o, "reason", e.Reason)
	return o
}

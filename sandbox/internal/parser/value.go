package parser

import (
	"errors"
	"fmt"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/toolspec"
)

// Reasons of the failures of the parsers.
const (
	ReasonMissingInput    = "missing-input"
	ReasonInvalidArgument = "invalid-argument"
	ReasonInvalidSelector = "invalid-selector"
	ReasonIndex           = "index-out-of-range"
	ReasonParseFailed     = "parse-failed"
	ReasonOutput          = "output-too-large"
	ReasonNoParent        = "no-parent"
	ReasonStopped         = "stopped"
)

// errStopped reports that the run ended during parsing.
var errStopped = errors.New("the run is over")

// pollEvery is the number of small steps between two checks whether the run has ended.
const pollEvery = 1024

// clock counts steps and polls Stopped at intervals.
type clock struct {
	stopped func() bool
	steps   int
}

func (c *clock) tick() error {
	if c.steps++; c.steps%pollEvery == 0 && c.stopped != nil && c.stopped() {
		return errStopped
	}
	return nil
}

// throw ends the native function with a failure.
func (h *host) throw(kind toolspec.Kind, helper, reason, message string) {
	e := &toolspec.CallError{Kind: kind, Reason: reason, Component: "safety.parser." + helper, Message: "safety.parser." + helper + ": " + message}
	if h.opts.Failed != nil {
		panic(h.opts.Failed(e))
	}
	panic(h.failure(e))
}

// invalid throws the failure for an invalid argument.
func (h *host) invalid(helper, reason, message string) {
	h.throw(toolspec.KindInvalidInput, helper, reason, message)
}

// failed throws the failure for text that cannot be parsed.
func (h *host) failed(helper string, err error) {
	if errors.Is(err, errStopped) {
		h.throw(toolspec.KindHelperRuntime, helper, ReasonStopped, "the run is over")
	}
	h.throw(toolspec.KindHelperRuntime, helper, ReasonParseFailed, "parse failed: "+err.Error())
}

// failure creates the Error for a failure. It starts from a TypeError of the engine,
// since the script may have replaced the global Error.
func (h *host) failure(e *toolspec.CallError) goja.Value {
	obj := h.vm.NewTypeError("%s", e.Message)
	if types := obj.Prototype(); types != nil && types.Prototype() != nil {
		_ = obj.SetPrototype(types.Prototype()) // Error.prototype; if this fails, the error stays a TypeError
	}
	for _, m := range [...][2]string{{"name", "SafetyError"}, {"kind", string(e.Kind)}, {"helper", e.Component}, {"reason", e.Reason}} {
		must(obj.DefineDataProperty(m[0], h.vm.ToValue(m[1]), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	}
	return obj
}

// input returns the text to parse. It converts only primitives, since converting an
// object could run code of the script.
func (h *host) input(call goja.FunctionCall, helper string) string {
	return h.str(call.Argument(0), helper, "the text")
}

func (h *host) str(v goja.Value, helper, what string) string {
	if s, ok := h.optional(v, helper, what); ok {
		return s
	}
	h.invalid(helper, ReasonMissingInput, what+" is missing")
	return ""
}

// optional returns a string argument, and false if it is absent.
func (h *host) optional(v goja.Value, helper, what string) (string, bool) {
	if v == nil || goja.IsUndefined(v) || goja.IsNull(v) {
		return "", false
	}
	switch v := v.(type) {
	case goja.String:
		return v.String(), true
	case *goja.Object, *goja.Symbol:
		h.invalid(helper, ReasonInvalidArgument, what+" is no string")
	}
	if goja.IsBigInt(v) { // writing its digits could take long
		h.invalid(helper, ReasonInvalidArgument, what+" is no string")
	}
	return v.String(), true
}

// tooLong returns an error if text is longer than limit.
func tooLong(text string, limit int) error {
	if len(text) > limit {
		return fmt.Errorf("the text has %d bytes; at most %d are parsed", len(text), limit)
	}
	return nil
}

// setProperty defines a property of a plain object under construction, whatever its
// name and whatever the script has put on the prototype.
func setProperty(obj *goja.Object, name string, v goja.Value) {
	must(obj.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE))
}

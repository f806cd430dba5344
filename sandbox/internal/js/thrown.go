package js

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strconv"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/sandbox/internal/jstext"
	"github.com/localpass/localpass/toolspec"
)

// ReasonThrownValue is the reason of a JS_ERROR if the thrown value is not an Error
// object. For an Error, the reason is the name of its class.
const ReasonThrownValue = "thrown-value"

// componentUser is the component of a failure in the code of the tool itself.
const (
	componentUser      = "user-code"
	componentExecution = "execution"
	componentResult    = "result"
	componentArguments = "arguments"
)

// primitiveText returns the text of a primitive. A BigInt is formatted only if it is
// short, since formatting takes more than linear time.
func primitiveText(v goja.Value) string {
	if goja.IsBigInt(v) {
		if x, ok := v.Export().(*big.Int); ok && x.BitLen() > 4096 {
			return "[BigInt of " + strconv.Itoa(x.BitLen()) + " bits]"
		}
	}
	if _, ok := v.(*goja.Symbol); ok {
		return "Symbol(" + v.String() + ")"
	}
	return v.String()
}

// describe returns a description of a thrown value, made from strings only: the name and
// message of an object if they are strings. It never calls methods of the object.
func (r *run) describe(v goja.Value) string {
	limit := r.limits.ErrorRunes
	obj, ok := v.(*goja.Object)
	if !ok {
		if v == nil {
			return "undefined"
		}
		if s, ok := v.(goja.String); ok && s.Length() > limit {
			return cutRunes(s.Substring(0, limit).String()+"…", limit)
		}
		return cutRunes(primitiveText(v), limit)
	}
	name, message := r.stringMember(obj, "name"), r.stringMember(obj, "message")
	switch {
	case name == "" && message == "":
		return "an object that is no Error was thrown"
	case message == "":
		return cutRunes(name, limit)
	case name == "":
		return cutRunes(message, limit)
	}
	return cutRunes(name+": "+message, limit)
}

// stringMember returns a property if it is a string, cut to the limit; otherwise "".
func (r *run) stringMember(obj *goja.Object, name string) string {
	s, ok := obj.Get(name).(goja.String)
	if !ok {
		return ""
	}
	if s.Length() > r.limits.ErrorRunes {
		return s.Substring(0, r.limits.ErrorRunes).String() + "…"
	}
	return s.String()
}

// errorClass returns the reason for a thrown error.
func (r *run) errorClass(v goja.Value) string {
	obj, ok := v.(*goja.Object)
	if !ok || obj.ExportType() != typeObject || obj.ClassName() != "Error" {
		return ReasonThrownValue
	}
	switch name := r.stringMember(obj, "name"); name {
	case "TypeError", "ReferenceError", "SyntaxError", "RangeError", "URIError", "EvalError", "AggregateError":
		return name
	}
	return "Error"
}

// thrown converts a value that code threw to a JS_ERROR, or to the failure of a helper
// that the code did not catch.
func (r *run) thrown(v goja.Value, stack []goja.StackFrame) *toolspec.CallError {
	helper := r.helperFailure(v)
	e := &toolspec.CallError{Kind: toolspec.KindJSError, Component: componentUser, Reason: ReasonThrownValue, Message: "the code threw something that cannot be described"}
	line, column := 0, 0
	for _, frame := range stack {
		if p := frame.Position(); p.Line > 0 && frame.SrcName() == fileName {
			line, column = p.Line, p.Column
			break
		}
	}
	// Reading a thrown object can run its code, which may throw again.
	if err := protect(r.vm, func() {
		e.Reason = r.errorClass(v)
		e.Message = r.describe(v)
		if obj, ok := v.(*goja.Object); ok && line == 0 {
			if s, ok := obj.Get("stack").(goja.String); ok && s.Length() < 1<<16 {
				line, column = stackPosition(s.String())
			}
		}
	}); err != nil && r.stopped(err) != nil {
		return r.stopped(err)
	}
	if helper != nil {
		e = helper
	}
	if line > 1 {
		e.Line, e.Column = r.authorPlace(line, column)
	}
	return e
}

// authorPlace converts a line and a byte column in the compiled text, which includes the
// line before the code, to a place in the author's code. It returns 0, 0 if the author
// did not write that place.
func (r *run) authorPlace(line, column int) (authorLine, authorColumn int) {
	offset := lineOffset(r.program.code, line-1, column)
	return r.program.places.Author(jstext.Position(r.program.code, offset))
}

var stackLine = regexp.MustCompile(`\b` + fileName + `:(\d{1,7}):(\d{1,7})\(`)

// stackPosition returns the innermost place in the code that a stack trace contains.
func stackPosition(stack string) (line, column int) {
	m := stackLine.FindStringSubmatch(stack)
	if m == nil {
		return 0, 0
	}
	line, _ = strconv.Atoi(m[1])
	column, _ = strconv.Atoi(m[2])
	return line, column
}

// panicError is a panic in the engine itself.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string {
	return fmt.Sprintf("the engine panicked: %v\n%s", e.value, e.stack)
}

// protect calls f and returns what it threw, was interrupted with, or panicked with.
func protect(vm *goja.Runtime, f func()) (err error) {
	defer func() { err = recovered(recover(), err) }()
	if ex := vm.Try(f); ex != nil {
		return ex
	}
	return nil
}

// stopped returns the failure if err is one that code cannot catch: an interrupt, an
// exceeded call depth, a panic. It returns nil if err is an ordinary exception.
func (r *run) stopped(err error) *toolspec.CallError {
	var interrupted *goja.InterruptedError
	var overflow *goja.StackOverflowError
	var panicked *panicError
	var convert *convertError
	var call *toolspec.CallError
	switch {
	case errors.As(err, &call):
		return call
	case errors.As(err, &interrupted):
		if e, ok := interrupted.Value().(*toolspec.CallError); ok {
			return e
		}
		return r.contextError()
	case errors.As(err, &overflow):
		return &toolspec.CallError{Kind: toolspec.KindResourceLimit, Reason: toolspec.ReasonStack, Component: componentExecution,
			Message: "calls nest deeper than " + strconv.Itoa(r.limits.CallDepth) + " levels"}
	case errors.As(err, &panicked):
		return &toolspec.CallError{Kind: toolspec.KindRuntimeError, Reason: toolspec.ReasonPanic, Component: componentExecution,
			Message: "the engine failed on this code", Err: panicked}
	case errors.As(err, &convert):
		if convert.kind == toolspec.KindTimeout || convert.kind == toolspec.KindCancelled {
			return r.contextError()
		}
		return &toolspec.CallError{Kind: convert.kind, Reason: convert.reason, Component: componentResult, Message: "the result cannot be returned: " + convert.message}
	}
	return nil
}

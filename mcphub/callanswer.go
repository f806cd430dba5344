package mcphub

import (
	"errors"

	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec"
)

// callAnswer is the answer to a call: its result, a question that the client has to
// answer before it calls again, or a protocol error.
type callAnswer struct {
	kind answerKind
	// result is never nil. If there is a question or an error, result is only used for
	// the audit record and the span of the call, and is not sent to the client.
	result   *toolspec.Result
	question *question  // for answeredByQuestion
	refusal  *rpc.Error // for answeredByError
}

// answerKind distinguishes the kinds of answers to a call.
type answerKind uint8

const (
	answeredByResult answerKind = iota // the result may be a failure
	answeredByQuestion
	answeredByError
)

func answerWith(result *toolspec.Result) callAnswer { return callAnswer{result: result} }

// answerFailure returns an answer whose result says why the call failed.
func answerFailure(kind toolspec.Kind, reason, component, message string, err error) callAnswer {
	return answerWith(failure(kind, reason, component, message, err))
}

func failure(kind toolspec.Kind, reason, component, message string, err error) *toolspec.Result {
	return toolspec.ErrorResult(&toolspec.CallError{Kind: kind, Reason: reason, Component: component, Message: message, Err: err})
}

// failure returns how the call failed, as named in spans; "" if it did not fail. A call
// that ends with a question to the client has not failed.
func (a *callAnswer) failure() (kind string, err error) {
	switch {
	case !a.result.IsError, a.kind == answeredByQuestion:
		return "", nil
	case a.result.Err == nil:
		return "tool_error", nil
	}
	return string(a.result.Err.Kind), a.result.Err
}

// withClientFault replaces a failure that only the client can resolve with the protocol
// error of the client's version: the client did not declare a capability that a question
// of the tool needs, or the user has to open a page first.
func (a callAnswer) withClientFault(x *exchange) callAnswer {
	if a.kind == answeredByResult && a.result.Err != nil {
		if fault := x.clientFault(a.result.Err); fault != nil {
			a.kind, a.refusal = answeredByError, fault
		}
	}
	return a
}

// clientFault returns the protocol error for an err that only the client can resolve; nil
// for any other error.
func (x *exchange) clientFault(err error) *rpc.Error {
	var lacks *lacksError
	if x.modern && errors.As(err, &lacks) {
		return lacks.asError()
	}
	var page *rpc.URLRequired
	if x.session != nil && errors.As(err, &page) {
		return page.AsError()
	}
	return nil
}

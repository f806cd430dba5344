package mcphub

import (
	"errors"

	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec"
)

// callAnswer is what a call is answered with: its result, a question that the client
// has to answer before it calls again, or a protocol error.
type callAnswer struct {
	kind answerKind
	// result is never nil. Beside a question or an error it is what the audit record
	// and the span of the call say, and the client does not get it.
	result   *toolspec.Result
	question *question  // with answeredByQuestion
	refusal  *rpc.Error // with answeredByError
}

// answerKind distinguishes what a call is answered with.
type answerKind uint8

const (
	answeredByResult answerKind = iota // it may be a failure
	answeredByQuestion
	answeredByError
)

func answerWith(result *toolspec.Result) callAnswer { return callAnswer{result: result} }

// answerFailure answers a call with a result that says why it failed.
func answerFailure(kind toolspec.Kind, reason, component, message string, err error) callAnswer {
	return answerWith(failure(kind, reason, component, message, err))
}

func failure(kind toolspec.Kind, reason, component, message string, err error) *toolspec.Result {
	return toolspec.ErrorResult(&toolspec.CallError{Kind: kind, Reason: reason, Component: component, Message: message, Err: err})
}

// failure is how the call failed, as spans name it; "" when it did not. A call whose
// client is asked has not failed.
func (a *callAnswer) failure() (kind string, err error) {
	switch {
	case !a.result.IsError, a.kind == answeredByQuestion:
		return "", nil
	case a.result.Err == nil:
		return "tool_error", nil
	}
	return string(a.result.Err.Kind), a.result.Err
}

// withClientFault replaces a failure that only the client can do something about by the
// protocol error that its version has for it: it did not declare a capability that a
// question of the tool needs, or a person has to open a page first.
func (a callAnswer) withClientFault(x *exchange) callAnswer {
	if a.kind == answeredByResult && a.result.Err != nil {
		if fault := x.clientFault(a.result.Err); fault != nil {
			a.kind, a.refusal = answeredByError, fault
		}
	}
	return a
}

// clientFault is the protocol error for an err that only the client can do something
// about; nil for any other.
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

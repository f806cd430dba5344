package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/localpass/localpass/toolspec"
)

// QuestionKind is what a server's question asks its client for. The zero value is an
// unknown question.
type QuestionKind uint8

// The kinds of questions.
const (
	UnknownQuestion    QuestionKind = iota
	FormQuestion                    // the user fills in a form
	URLQuestion                     // the user opens a page
	ModelQuestion                   // a completion of the client's model
	ModelToolsQuestion              // a completion that may use tools
	RootsQuestion                   // the folders in which the client works
)

// KindOfQuestion returns what a question asks for.
func KindOfQuestion(method string, params []byte) QuestionKind {
	members := Object(params)
	switch method {
	case MethodElicit:
		switch mode, ok := Text(members["mode"]); {
		case mode == "url":
			return URLQuestion
		case mode == "form", !ok && members["mode"] == nil:
			return FormQuestion
		}
	case MethodSample:
		if members["tools"] != nil || members["toolChoice"] != nil {
			return ModelToolsQuestion
		}
		return ModelQuestion
	case MethodRoots:
		return RootsQuestion
	}
	return UnknownQuestion
}

// ParseElicited parses the answer to an elicitation.
func ParseElicited(raw []byte) (answer toolspec.ElicitResult) {
	_ = Members(raw, func(name, value []byte) error { // visit never fails
		switch string(name) {
		case "action":
			action, _ := Text(value)
			answer.Action = toolspec.ElicitAction(action)
		case "content":
			answer.Content = value
		}
		return nil
	})
	return answer
}

// ClientError is a client's refusal to answer a question.
type ClientError struct {
	Code    int
	Message string
}

// Error returns the client's message. Like the text of URLRequired, it names no package:
// the package that returns the error puts its own name before it.
func (e *ClientError) Error() string {
	text := fmt.Sprintf("the client refused: %s (%d)", e.Message, e.Code)
	if e.Code == CodeMethodNotFound {
		text += ": " + errors.ErrUnsupported.Error()
	}
	return text
}

// Is makes the error match errors.ErrUnsupported if the client does not have the method.
func (e *ClientError) Is(target error) bool {
	return target == errors.ErrUnsupported && e.Code == CodeMethodNotFound
}

// URLRequired says (up to 2025-11-25) that the user has to open pages before a server
// continues.
type URLRequired struct {
	Data json.RawMessage // the data of the protocol error
}

// Error says that pages have to be opened.
func (e *URLRequired) Error() string {
	return "a page has to be opened first (" + strconv.Itoa(CodeURLRequired) + ")"
}

// AsError returns the protocol error that reports this to a client with a session.
func (e *URLRequired) AsError() *Error {
	return &Error{Code: CodeURLRequired, Message: "a page has to be opened first", Data: e.Data}
}

package toolspec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Peer lets a tool send messages and requests to its caller while the call runs. If the
// caller does not support a method, it returns an error that matches
// errors.ErrUnsupported; the tool should then continue without it. A Peer is safe for
// concurrent use and stops working once its call has returned.
type Peer interface {
	// Progress reports the progress of the call.
	Progress(ctx context.Context, p Progress) error
	// Log sends a log message to the caller.
	Log(ctx context.Context, m LogMessage) error
	// Elicit asks the caller's user for input and waits for the answer.
	Elicit(ctx context.Context, req *ElicitRequest) (*ElicitResult, error)
	// Sample asks the caller's model for a completion.
	Sample(ctx context.Context, req *SampleRequest) (*SampleResult, error)
	// Roots lists the folders in which the caller works.
	Roots(ctx context.Context) ([]Root, error)
}

// Progress is the progress of a call: Done of Total, in any unit; a Total of 0 means unknown.
// Done must grow from one message to the next.
type Progress struct {
	Done, Total float64
	Message     string
}

// LogMessage is one log line for the caller. Level is one of MCP's levels (RFC 5424): debug,
// info, notice, warning, error, critical, alert, emergency.
type LogMessage struct {
	Level  string
	Logger string
	Data   json.RawMessage // any JSON value
}

// ElicitRequest is a question to the caller's user. With a Schema it is a form: a flat
// JSON Schema object of primitive properties. With a URL it asks the user to open a page.
type ElicitRequest struct {
	Message string
	Schema  json.RawMessage
	URL     string
}

// ElicitAction is how the user responded to a question.
type ElicitAction string

// The responses to a question. Only accept has content.
const (
	ElicitAccept  ElicitAction = "accept"
	ElicitDecline ElicitAction = "decline"
	ElicitCancel  ElicitAction = "cancel"
)

// ElicitResult is the answer to an [ElicitRequest].
type ElicitResult struct {
	Action  ElicitAction
	Content json.RawMessage // an object that matches the schema
}

// SampleMessage is one message of a completion: Role is "user" or "assistant".
type SampleMessage struct {
	Role    string
	Content Content
}

// SampleRequest asks the caller's model for a completion.
type SampleRequest struct {
	System      string
	Messages    []SampleMessage
	MaxTokens   int
	Temperature *float64
	Stop        []string
}

// SampleResult is the completion.
type SampleResult struct {
	SampleMessage
	Model      string
	StopReason string
}

// Root is one folder, or other location, in which the caller works.
type Root struct {
	URI  string
	Name string
}

// Detacher is the upgrade of a [Peer] whose caller can reconnect to get the answer.
type Detacher interface {
	// Detach closes the connection on which the caller waits, so that a long call holds
	// none: the caller reconnects later and gets the messages that it missed. If the
	// caller cannot do this, the error matches errors.ErrUnsupported.
	Detach(ctx context.Context) error
}

// Detach calls the method Detach of a peer that is a [Detacher]; otherwise the error matches
// errors.ErrUnsupported.
func Detach(ctx context.Context, p Peer) error {
	if d, ok := p.(Detacher); ok {
		return d.Detach(ctx)
	}
	return unsupported("answers that it comes back for")
}

// NoPeer is the Peer of a call whose caller cannot be reached: every method returns an
// error that matches errors.ErrUnsupported.
var NoPeer Peer = noPeer{}

type noPeer struct{}

func unsupported(what string) error {
	return fmt.Errorf("toolspec: the caller takes no %s: %w", what, errors.ErrUnsupported)
}

func (noPeer) Progress(context.Context, Progress) error { return unsupported("progress") }
func (noPeer) Log(context.Context, LogMessage) error    { return unsupported("log messages") }
func (noPeer) Elicit(context.Context, *ElicitRequest) (*ElicitResult, error) {
	return nil, unsupported("questions")
}
func (noPeer) Sample(context.Context, *SampleRequest) (*SampleResult, error) {
	return nil, unsupported("sampling requests")
}
func (noPeer) Roots(context.Context) ([]Root, error) { return nil, unsupported("roots requests") }

// Question is one of several questions that are sent to the caller together: exactly one of
// Elicit, Sample and Roots is set.
type Question struct {
	// Key names the question in protocols where questions have names (MCP since 2026-07-28): 1
	// to 64 characters of A-Z a-z 0-9 . _ and -, unique among the open questions. Empty: a key
	// is generated.
	Key string
	// Anticipated accepts an answer under Key that the caller sent before the question was
	// asked. Otherwise answers to questions that were not asked are ignored.
	Anticipated bool

	Elicit *ElicitRequest
	Sample *SampleRequest
	Roots  bool
}

// Answer is the answer to a [Question]: the field of the same name, or Err.
type Answer struct {
	Elicit *ElicitResult
	Sample *SampleResult
	Roots  []Root
	Err    error
}

// Asker is an optional upgrade of a [Peer] that can ask several questions in one round. Use it
// through [Ask].
type Asker interface {
	// Ask returns one answer per question, in the same order, once all are answered.
	Ask(ctx context.Context, questions []Question) []Answer
}

// Ask asks the caller several questions: together if its [Peer] can, otherwise one after
// another. It returns one answer per question, in the same order.
func Ask(ctx context.Context, peer Peer, questions ...Question) []Answer {
	if peer == nil {
		peer = NoPeer
	}
	if asker, ok := peer.(Asker); ok {
		return asker.Ask(ctx, questions)
	}
	answers := make([]Answer, len(questions))
	for i := range questions {
		q, a := &questions[i], &answers[i]
		switch {
		case q.Check() != nil:
			a.Err = q.Check()
		case q.Elicit != nil:
			a.Elicit, a.Err = peer.Elicit(ctx, q.Elicit)
		case q.Sample != nil:
			a.Sample, a.Err = peer.Sample(ctx, q.Sample)
		default:
			a.Roots, a.Err = peer.Roots(ctx)
		}
	}
	return answers
}

// Check reports what is wrong with the question itself, without considering the caller.
func (q *Question) Check() error {
	n := 0
	for _, set := range []bool{q.Elicit != nil, q.Sample != nil, q.Roots} {
		if set {
			n++
		}
	}
	switch {
	case n != 1:
		return errors.New("toolspec: a question asks for one thing: set Elicit, Sample or Roots")
	case len(q.Key) > 64 || strings.Trim(q.Key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") != "":
		return fmt.Errorf("toolspec: %.64q cannot be the key of a question: use 1 to 64 characters of A-Z a-z 0-9 . _ and -", q.Key)
	case q.Anticipated && q.Key == "":
		return errors.New("toolspec: a question whose answer may come first needs a key")
	}
	return nil
}

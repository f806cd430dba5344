package openai

import (
	"encoding/json"
	"errors"

	oai "github.com/sashabaranov/go-openai"

	"github.com/localpass/localpass/chat"
)

// eventKind is the type of an event of a Responses stream, as far as it means
// something here.
type eventKind uint8

const (
	eventUnknown eventKind = iota
	eventItemAdded
	eventItemDone
	eventTextDelta
	eventTextDone
	eventRefusalDelta
	eventRefusalDone
	eventArgsDelta
	eventArgsDone
	eventSummaryDelta
	eventSummaryDone
	eventThoughtDelta
	eventThoughtDone
	eventCreated
	eventCompleted
	eventIncomplete
	eventFailed
	eventDone // as the status of the response says
	eventError
)

// UnmarshalJSON reads a type. Two names of the realtime API are taken for what
// they stand for: some proxies send them.
func (k *eventKind) UnmarshalJSON(name []byte) error {
	if len(name) < 2 || name[0] != '"' {
		return nil
	}
	switch oai.ResponseStreamEventType(name[1 : len(name)-1]) {
	case oai.ResponseStreamEventOutputTextDelta, "response.text.delta":
		*k = eventTextDelta
	case oai.ResponseStreamEventOutputTextDone, "response.text.done":
		*k = eventTextDone
	case oai.ResponseStreamEventFunctionArgumentsDelta:
		*k = eventArgsDelta
	case oai.ResponseStreamEventFunctionArgumentsDone:
		*k = eventArgsDone
	case oai.ResponseStreamEventReasoningSummaryTextDelta:
		*k = eventSummaryDelta
	case oai.ResponseStreamEventReasoningSummaryTextDone:
		*k = eventSummaryDone
	case oai.ResponseStreamEventReasoningTextDelta:
		*k = eventThoughtDelta
	case oai.ResponseStreamEventReasoningTextDone:
		*k = eventThoughtDone
	case oai.ResponseStreamEventRefusalDelta:
		*k = eventRefusalDelta
	case oai.ResponseStreamEventRefusalDone:
		*k = eventRefusalDone
	case oai.ResponseStreamEventOutputItemAdded:
		*k = eventItemAdded
	case oai.ResponseStreamEventOutputItemDone:
		*k = eventItemDone
	case oai.ResponseStreamEventCreated, oai.ResponseStreamEventQueued, oai.ResponseStreamEventInProgress:
		*k = eventCreated
	case oai.ResponseStreamEventCompleted:
		*k = eventCompleted
	case oai.ResponseStreamEventIncomplete:
		*k = eventIncomplete
	case oai.ResponseStreamEventFailed, "response.cancelled":
		*k = eventFailed
	case "response.done":
		*k = eventDone
	case oai.ResponseStreamEventError:
		*k = eventError
	}
	return nil
}

// responseEvent is an event. It is decoded again and again into the same place.
type responseEvent struct {
	Kind        eventKind       `json:"type"`
	OutputIndex *int            `json:"output_index"`
	ItemID      string          `json:"item_id"`
	Content     int             `json:"content_index"`
	Summary     int             `json:"summary_index"`
	Delta       string          `json:"delta"`
	Text        string          `json:"text"`
	Refusal     string          `json:"refusal"`
	Arguments   string          `json:"arguments"`
	Item        json.RawMessage `json:"item"`
	Response    json.RawMessage `json:"response"`
	Error       json.RawMessage `json:"error"`
	Object      string          `json:"object"` // of an answer that is no stream
}

// decode reads one event. A member of another type than ours is no mistake in an
// event that means nothing here.
func (e *responseEvent) decode(line []byte) error {
	*e = responseEvent{}
	err := json.Unmarshal(line, e)
	var other *json.UnmarshalTypeError
	if err != nil && e.Kind == eventUnknown && errors.As(err, &other) {
		return nil
	}
	return err
}

// outputItem is an item of a response's output.
type outputItem struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Status    string          `json:"status"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // a text; an object with some servers
	Content   []itemText      `json:"content"`
	Summary   []itemText      `json:"summary"`
	Encrypted json.RawMessage `json:"encrypted_content"`
}

type itemText struct {
	Type        string            `json:"type"`
	Text        string            `json:"text"`
	Refusal     string            `json:"refusal"`
	Annotations []json.RawMessage `json:"annotations"`
}

// arguments returns the arguments as text, whichever way they came.
func (it *outputItem) arguments() string {
	return textOf(it.Arguments)
}

// given reports whether a member is there and not null.
func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// textOf returns the text of a JSON string, and other JSON as it is written.
func textOf(raw json.RawMessage) string {
	var s string
	switch {
	case !given(raw):
		return ""
	case json.Unmarshal(raw, &s) == nil:
		return s
	}
	return string(raw)
}

// responseObject is the response as a whole.
type responseObject struct {
	ID         string            `json:"id"`
	Status     string            `json:"status"`
	Error      json.RawMessage   `json:"error"`
	Incomplete *incompleteReason `json:"incomplete_details"`
	Output     []json.RawMessage `json:"output"`
	Usage      *responseUsage    `json:"usage"`
}

type incompleteReason struct {
	Reason string `json:"reason"`
}

type responseUsage struct {
	Input   int `json:"input_tokens"`
	Output  int `json:"output_tokens"`
	Total   int `json:"total_tokens"`
	InputOf struct {
		Cached  int `json:"cached_tokens"`
		Written int `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
	OutputOf struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

func (u *responseUsage) usage() *chat.Usage {
	out := &chat.Usage{Input: u.Input, Output: u.Output, Total: u.Total, Reasoning: u.OutputOf.Reasoning,
		CacheRead: u.InputOf.Cached, CacheWrite: u.InputOf.Written}
	if out.Total == 0 {
		out.Total = out.Input + out.Output
	}
	return out
}

package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/canon"
)

// timeFormat is RFC 3339 with milliseconds.
const timeFormat = "2006-01-02T15:04:05.000Z07:00"

// AppendEvent appends an event in JSON, on one line:
//
//	{"type":"text.delta","seq":7,"ts":"…","conversationId":"…","turnId":"…","round":1,"data":{"text":"Hi"}}
//
// data holds the members that are specific to the type. If the event cannot be encoded, AppendEvent
// returns an error and dst unchanged.
func AppendEvent(dst []byte, e Event) ([]byte, error) {
	start := len(dst)
	h := e.Header()
	dst = canon.AppendString(append(dst, `{"type":`...), string(e.Type()))
	dst = strconv.AppendInt(append(dst, `,"seq":`...), h.Seq, 10)
	dst = h.Time.UTC().AppendFormat(append(dst, `,"ts":"`...), timeFormat)
	dst = canon.AppendString(append(dst, `","conversationId":`...), h.Conversation)
	dst = canon.AppendString(append(dst, `,"turnId":`...), h.Turn)
	dst = strconv.AppendInt(append(dst, `,"round":`...), int64(h.Round), 10)
	dst = append(dst, `,"data":`...)
	switch e := e.(type) {
	case *TextDelta: // frequent events, encoded without reflection
		dst = append(canon.AppendString(append(dst, `{"text":`...), e.Text), '}')
	case *ReasoningDelta:
		dst = append(canon.AppendString(append(dst, `{"text":`...), e.Text), '}')
	case *ToolCallArguments:
		dst = canon.AppendString(append(dst, `{"callId":`...), e.CallID)
		dst = append(canon.AppendString(append(dst, `,"fragment":`...), e.Fragment), '}')
	case *UnknownEvent:
		if len(e.Raw) == 0 {
			dst = append(dst, "{}"...)
		} else {
			dst = append(dst, e.Raw...)
		}
	default:
		data, err := json.Marshal(e)
		if err != nil {
			return dst[:start], fmt.Errorf("chat: event %s: %w", e.Type(), err)
		}
		dst = append(dst, data...)
	}
	return append(dst, '}'), nil
}

// MarshalEvent returns an event in JSON. See [AppendEvent].
func MarshalEvent(e Event) ([]byte, error) { return AppendEvent(nil, e) }

// UnmarshalEvent reads what [AppendEvent] wrote. An event of an unknown type becomes an [*UnknownEvent].
func UnmarshalEvent(data []byte) (Event, error) {
	var in struct {
		Type         EventType       `json:"type"`
		Seq          int64           `json:"seq"`
		Time         time.Time       `json:"ts"`
		Conversation string          `json:"conversationId"`
		Turn         string          `json:"turnId"`
		Round        int             `json:"round"`
		Data         json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return nil, fmt.Errorf("chat: event: %w", err)
	}
	if in.Type == "" {
		return nil, fmt.Errorf(`chat: event: the member "type" is missing: %w`, llm.ErrInvalid)
	}
	e := newEvent(in.Type)
	if e == nil {
		e = &UnknownEvent{Name: in.Type, Raw: bytes.Clone(in.Data)}
	} else if len(in.Data) > 0 {
		if err := json.Unmarshal(in.Data, e); err != nil {
			return nil, fmt.Errorf("chat: event %s: %w", in.Type, err)
		}
	}
	*e.Header() = EventHeader{Seq: in.Seq, Time: in.Time, Conversation: in.Conversation, Turn: in.Turn, Round: in.Round}
	return e, nil
}

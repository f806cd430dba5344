package sandbox

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/localpass/localpass/sandbox/internal/hostcall"
	"github.com/localpass/localpass/toolspec"
)

// toolCallMessage is a call of another tool.
type toolCallMessage struct {
	name      string
	arguments json.RawMessage
}

func (m *toolCallMessage) encode(buf []byte) []byte {
	e := encoder{buf: buf}
	e.text(m.name)
	e.bytes(m.arguments)
	return e.buf
}

func decodeToolCall(data []byte) (*toolCallMessage, error) {
	d := decoder{buf: data}
	m := &toolCallMessage{name: d.text(), arguments: json.RawMessage(d.text())}
	if err := d.done(); err != nil {
		return nil, err
	}
	if m.name == "" || len(m.name) > 4*128 || !utf8.ValidString(m.name) || len(m.arguments) == 0 || m.arguments[0] != '{' || !json.Valid(m.arguments) {
		return nil, errWire
	}
	return m, nil
}

// replyMessage is the result of a called tool: structured JSON, else text, or a failure.
type replyMessage struct {
	structured json.RawMessage
	text       string
	failed     *toolspec.CallError
}

func (m *replyMessage) encode(buf []byte) []byte {
	e := encoder{buf: buf}
	e.bytes(m.structured)
	e.text(m.text)
	e.flag(m.failed != nil)
	if m.failed != nil {
		encodeError(&e, m.failed)
	}
	return e.buf
}

func decodeReply(data []byte) (*replyMessage, error) {
	d := decoder{buf: data}
	m := &replyMessage{structured: json.RawMessage(d.text()), text: d.text()}
	if d.flag() {
		m.failed = decodeError(&d)
	}
	return m, d.done()
}

// result returns the reply in the form for the engine.
func (m *replyMessage) result() (*toolspec.Result, error) {
	if m.failed != nil {
		return nil, m.failed
	}
	r := toolspec.TextResult(m.text)
	if len(m.structured) > 0 {
		r.Structured = m.structured
	}
	return r, nil
}

// hostCallMessage is a request of the code to the program.
type hostCallMessage struct{ HostRequest }

func (m *hostCallMessage) encode(buf []byte) []byte {
	e := encoder{buf: buf}
	e.text(m.Op)
	e.bytes(m.Args)
	e.bytes(m.Data)
	return e.buf
}

func decodeHostCall(data []byte) (*hostCallMessage, error) {
	d := decoder{buf: data}
	m := &hostCallMessage{HostRequest{Op: d.text(), Args: json.RawMessage(d.text()), Data: bytes.Clone(d.bytes())}}
	if err := d.done(); err != nil {
		return nil, err
	}
	if slug(m.Op) == "" || len(m.Data) > hostcall.MaxData || !json.Valid(m.Args) {
		return nil, errWire
	}
	return m, nil
}

// hostReplyMessage answers it.
type hostReplyMessage struct {
	reply  HostReply
	failed *toolspec.CallError
}

func (m *hostReplyMessage) encode(buf []byte) []byte {
	e := encoder{buf: buf}
	e.bytes(m.reply.Value)
	e.bytes(m.reply.Data)
	e.flag(m.failed != nil)
	if m.failed != nil {
		encodeError(&e, m.failed)
	}
	return e.buf
}

func decodeHostReply(data []byte) (*hostReplyMessage, error) {
	d := decoder{buf: data}
	m := &hostReplyMessage{reply: HostReply{Value: json.RawMessage(d.text()), Data: bytes.Clone(d.bytes())}}
	if d.flag() {
		m.failed = decodeError(&d)
	}
	return m, d.done()
}

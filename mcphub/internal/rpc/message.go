package rpc

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/internal/canon/scan"
)

// Message is one parsed JSON-RPC message. Its slices point into the text from which it
// was parsed.
type Message struct {
	ID     []byte // as the sender wrote it; nil if absent
	Method string
	Params []byte
	Result []byte
	Error  []byte

	// The members of params that the hub itself reads.
	Name      []byte
	Arguments []byte
	Meta      []byte
	Answers   []byte // inputResponses (2026-07-28)
	State     []byte // requestState (2026-07-28)
	Task      []byte // task (2025-11-25)

	// The members of params._meta that the protocol defines.
	ProgressToken []byte
	Version       string
	Capabilities  []byte
	ClientInfo    []byte
	LogLevel      string
}

// Error is a JSON-RPC error: the request itself is invalid or not supported. A failed
// tool is a result, not an Error.
type Error struct {
	Code    int
	Message string
	Data    any
}

func (e *Error) Error() string { return e.Message }

func BadRequest(format string, args ...any) *Error {
	return &Error{Code: mcp.INVALID_REQUEST, Message: fmt.Sprintf(format, args...)}
}

func BadParams(format string, args ...any) *Error {
	return &Error{Code: mcp.INVALID_PARAMS, Message: fmt.Sprintf(format, args...)}
}

func (m *Message) IsRequest() bool      { return m.Method != "" && m.ID != nil }
func (m *Message) IsNotification() bool { return m.Method != "" && m.ID == nil }

// Parse parses data into m. A member that matters must not occur twice: otherwise two
// readers could disagree on which one counts, which an attacker could exploit. If parsing
// fails after the id was read, m.ID is set.
func (m *Message) Parse(data []byte) *Error {
	span, bad := scan.Text(data, canon.MaxDepth)
	if bad != nil {
		line, column := scan.Position(data, bad.Offset)
		return &Error{Code: mcp.PARSE_ERROR, Message: fmt.Sprintf("the message is not JSON: %v (line %d, column %d)", bad, line, column)}
	}
	data = span.Of(data)
	if !IsObject(data) {
		return BadRequest("a message is one JSON object: only a session of " + BatchVersion + " takes batches")
	}
	var version, method []byte
	err := Members(data, func(name, value []byte) error {
		var field *[]byte
		switch string(name) {
		case "jsonrpc":
			field = &version
		case "id":
			field = &m.ID
		case "method":
			field = &method
		case "params":
			field = &m.Params
		case "result":
			field = &m.Result
		case "error":
			field = &m.Error
		default:
			return nil
		}
		return SetOnce(field, name, value)
	})
	if m.ID != nil && !isID(m.ID) {
		m.ID = nil
		return BadRequest(`"id" must be a string or a number`)
	}
	switch {
	case err != nil:
		return BadRequest("%v", err)
	case string(version) != `"2.0"`:
		return BadRequest(`"jsonrpc" must be "2.0"`)
	case method == nil:
		if m.ID == nil || (m.Result == nil) == (m.Error == nil) {
			return BadRequest("the message is neither a request, nor a notification, nor a response")
		}
		return nil
	}
	if m.Method, _ = Text(method); m.Method == "" {
		return BadRequest(`"method" must be a string that is not empty`)
	}
	return m.parseParams()
}

func (m *Message) parseParams() *Error {
	if m.Params != nil && !IsObject(m.Params) {
		return BadParams(`"params" must be an object`)
	}
	err := Members(m.Params, func(name, value []byte) error {
		switch string(name) {
		case "name":
			return SetOnce(&m.Name, name, value)
		case "arguments":
			return SetOnce(&m.Arguments, name, value)
		case "_meta":
			return SetOnce(&m.Meta, name, value)
		case "inputResponses":
			return SetOnce(&m.Answers, name, value)
		case "requestState":
			return SetOnce(&m.State, name, value)
		case "task":
			return SetOnce(&m.Task, name, value)
		}
		return nil
	})
	if err == nil && m.Meta != nil {
		if !IsObject(m.Meta) {
			return BadParams(`"_meta" must be an object`)
		}
		err = Members(m.Meta, func(name, value []byte) error {
			switch string(name) {
			case "progressToken":
				if !isID(value) {
					return BadParams("a progress token must be a string or a number")
				}
				m.ProgressToken = value
			case mcp.MetaKeyProtocolVersion:
				m.Version, _ = Text(value)
			case mcp.MetaKeyClientCapabilities:
				return SetOnce(&m.Capabilities, name, value)
			case mcp.MetaKeyClientInfo:
				return SetOnce(&m.ClientInfo, name, value)
			case mcp.MetaKeyLogLevel:
				m.LogLevel, _ = Text(value)
			}
			return nil
		})
	}
	if err != nil {
		return BadParams("%v", err)
	}
	return nil
}

// Pick returns the members of params with these names, nil for absent ones.
func (m *Message) Pick(names ...string) ([][]byte, *Error) {
	values := make([][]byte, len(names))
	err := Members(m.Params, func(name, value []byte) error {
		for i, wanted := range names {
			if string(name) == wanted {
				return SetOnce(&values[i], name, value)
			}
		}
		return nil
	})
	if err != nil {
		return nil, BadParams("%v", err)
	}
	return values, nil
}

func SetOnce(field *[]byte, name, value []byte) error {
	if *field != nil {
		return fmt.Errorf("the member %q occurs twice", name)
	}
	*field = value
	return nil
}

// isID reports whether a value is a valid request id: a string or a number.
func isID(raw []byte) bool {
	kind := scan.KindOf(raw)
	return kind == scan.String || kind == scan.Number
}

// Capabilities are what a client declares that it can do for a tool.
type Capabilities struct {
	Form, URL, Sampling, SamplingTools, Roots bool
	Tasks                                     bool // the extension of 2026-07-28
}

// Any reports whether the client can be asked any question.
func (c *Capabilities) Any() bool { return c.Form || c.URL || c.Sampling || c.Roots }

func ParseCapabilities(raw []byte) (c Capabilities) {
	_ = Members(raw, func(name, value []byte) error { // visit never fails
		if !IsObject(value) {
			return nil
		}
		switch string(name) {
		case "sampling":
			c.Sampling = true
			c.SamplingTools = IsObject(Object(value)["tools"])
		case "roots":
			c.Roots = true
		case "extensions":
			c.Tasks = IsObject(Object(value)[ExtensionTasks])
		case "elicitation":
			modes := Object(value)
			c.URL = modes["url"] != nil
			c.Form = modes["form"] != nil || !c.URL // an empty object means form mode
		}
		return nil
	})
	return c
}

// AppendHead starts a response to the request with this id; the id is null if it is
// unknown.
func AppendHead(dst, id []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	if id == nil {
		return append(dst, "null"...)
	}
	return append(dst, id...)
}

// AppendError writes the whole error response.
func AppendError(dst, id []byte, e *Error) []byte {
	dst = append(AppendHead(dst, id), `,"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(e.Code), 10)
	dst = append(dst, `,"message":`...)
	dst = AppendString(dst, e.Message)
	if e.Data != nil {
		if data, err := json.Marshal(e.Data); err == nil {
			dst = append(append(dst, `,"data":`...), data...)
		}
	}
	return append(dst, "}}"...)
}

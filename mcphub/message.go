package mcphub

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/internal/canon/scan"
)

// message is one JSON-RPC message, taken apart once. Its slices point into the
// text it was read from.
type message struct {
	id     []byte // as the sender wrote it; nil when absent
	method string
	params []byte
	result []byte
	fault  []byte

	// The members of params that the hub itself reads.
	name      []byte
	arguments []byte
	meta      []byte
	answers   []byte // inputResponses (2026-07-28)
	state     []byte // requestState (2026-07-28)
	task      []byte // task (2025-11-25)

	// The members of params._meta that the protocol defines.
	progressToken []byte
	version       string
	capabilities  []byte
	clientInfo    []byte
	logLevel      string
}

// rpcError is a JSON-RPC error: the request itself was wrong, or nobody serves
// it. A tool that fails is a result, not one of these.
type rpcError struct {
	code    int
	message string
	data    any
}

func (e *rpcError) Error() string { return e.message }

func badRequest(format string, args ...any) *rpcError {
	return &rpcError{code: mcp.INVALID_REQUEST, message: fmt.Sprintf(format, args...)}
}

func badParams(format string, args ...any) *rpcError {
	return &rpcError{code: mcp.INVALID_PARAMS, message: fmt.Sprintf(format, args...)}
}

func (m *message) isRequest() bool      { return m.method != "" && m.id != nil }
func (m *message) isNotification() bool { return m.method != "" && m.id == nil }

// parse takes data apart into m. A member that matters must not stand there
// twice: readers that disagree on which of the two counts can be played off
// against each other. When it fails after the id was read, m.id is set.
func (m *message) parse(data []byte) *rpcError {
	span, bad := scan.Text(data, canon.MaxDepth)
	if bad != nil {
		line, column := scan.Position(data, bad.Offset)
		return &rpcError{code: mcp.PARSE_ERROR, message: fmt.Sprintf("the message is not JSON: %v (line %d, column %d)", bad, line, column)}
	}
	data = span.Of(data)
	if !isObject(data) {
		return badRequest("a message is one JSON object: only a session of " + batchVersion + " takes batches")
	}
	var version, method []byte
	err := members(data, func(name, value []byte) error {
		var field *[]byte
		switch string(name) {
		case "jsonrpc":
			field = &version
		case "id":
			field = &m.id
		case "method":
			field = &method
		case "params":
			field = &m.params
		case "result":
			field = &m.result
		case "error":
			field = &m.fault
		default:
			return nil
		}
		return setOnce(field, name, value)
	})
	if m.id != nil && !isID(m.id) {
		m.id = nil
		return badRequest(`"id" must be a string or a number`)
	}
	switch {
	case err != nil:
		return badRequest("%v", err)
	case string(version) != `"2.0"`:
		return badRequest(`"jsonrpc" must be "2.0"`)
	case method == nil:
		if m.id == nil || (m.result == nil) == (m.fault == nil) {
			return badRequest("the message is neither a request, nor a notification, nor a response")
		}
		return nil
	}
	if m.method, _ = text(method); m.method == "" {
		return badRequest(`"method" must be a string that is not empty`)
	}
	return m.parseParams()
}

func (m *message) parseParams() *rpcError {
	if m.params != nil && !isObject(m.params) {
		return badParams(`"params" must be an object`)
	}
	err := members(m.params, func(name, value []byte) error {
		switch string(name) {
		case "name":
			return setOnce(&m.name, name, value)
		case "arguments":
			return setOnce(&m.arguments, name, value)
		case "_meta":
			return setOnce(&m.meta, name, value)
		case "inputResponses":
			return setOnce(&m.answers, name, value)
		case "requestState":
			return setOnce(&m.state, name, value)
		case "task":
			return setOnce(&m.task, name, value)
		}
		return nil
	})
	if err == nil && m.meta != nil {
		if !isObject(m.meta) {
			return badParams(`"_meta" must be an object`)
		}
		err = members(m.meta, func(name, value []byte) error {
			switch string(name) {
			case "progressToken":
				if !isID(value) {
					return badParams("a progress token must be a string or a number")
				}
				m.progressToken = value
			case mcp.MetaKeyProtocolVersion:
				m.version, _ = text(value)
			case mcp.MetaKeyClientCapabilities:
				return setOnce(&m.capabilities, name, value)
			case mcp.MetaKeyClientInfo:
				return setOnce(&m.clientInfo, name, value)
			case mcp.MetaKeyLogLevel:
				m.logLevel, _ = text(value)
			}
			return nil
		})
	}
	if err != nil {
		return badParams("%v", err)
	}
	return nil
}

// take returns the members of params of these names, nil where there is none.
func (m *message) take(names ...string) ([][]byte, *rpcError) {
	values := make([][]byte, len(names))
	err := members(m.params, func(name, value []byte) error {
		for i, wanted := range names {
			if string(name) == wanted {
				return setOnce(&values[i], name, value)
			}
		}
		return nil
	})
	if err != nil {
		return nil, badParams("%v", err)
	}
	return values, nil
}

func setOnce(field *[]byte, name, value []byte) error {
	if *field != nil {
		return fmt.Errorf("the member %q stands there twice", name)
	}
	*field = value
	return nil
}

// isID reports whether a value can name a request: a string or a number.
func isID(raw []byte) bool {
	kind := scan.KindOf(raw)
	return kind == scan.String || kind == scan.Number
}

// capabilities are what a client says it can do for a tool.
type capabilities struct {
	form, url, sampling, samplingTools, roots bool
	tasks                                     bool // the extension (2026-07-28)
}

// any reports whether the client can be asked anything.
func (c *capabilities) any() bool { return c.form || c.url || c.sampling || c.roots }

func parseCapabilities(raw []byte) (c capabilities) {
	_ = members(raw, func(name, value []byte) error { // visit never fails
		if !isObject(value) {
			return nil
		}
		switch string(name) {
		case "sampling":
			c.sampling = true
			c.samplingTools = isObject(rawMap(value)["tools"])
		case "roots":
			c.roots = true
		case "extensions":
			c.tasks = isObject(rawMap(value)[extensionTasks])
		case "elicitation":
			modes := rawMap(value)
			c.url = modes["url"] != nil
			c.form = modes["form"] != nil || !c.url // an empty object means forms
		}
		return nil
	})
	return c
}

// appendHead begins a response to the request with this id; null when it is not
// known.
func appendHead(dst, id []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	if id == nil {
		return append(dst, "null"...)
	}
	return append(dst, id...)
}

// appendError writes the whole error response.
func appendError(dst, id []byte, e *rpcError) []byte {
	dst = append(appendHead(dst, id), `,"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(e.code), 10)
	dst = append(dst, `,"message":`...)
	dst = appendString(dst, e.message)
	if e.data != nil {
		if data, err := json.Marshal(e.data); err == nil {
			dst = append(append(dst, `,"data":`...), data...)
		}
	}
	return append(dst, "}}"...)
}

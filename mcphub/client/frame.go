package client

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/mark3labs/mcp-go/mcp"
)

// rawMember is a member of an object.
type rawMember struct {
	name  string
	value []byte
}

// frame writes the message of a request, or of a notification if the request has no id.
// params are unchanged except for _meta and the members in extra, which replace members
// of the same name.
func (s *session) frame(rq *request, params json.RawMessage, opts *CallOptions, extra []rawMember) error {
	dst := make([]byte, 0, len(params)+len(s.meta)+128)
	dst = append(dst, `{"jsonrpc":"2.0","method":`...)
	dst = rpc.AppendString(dst, rq.method)
	if rq.id != 0 {
		dst = strconv.AppendInt(append(dst, `,"id":`...), rq.id, 10)
	}
	rq.params = params
	token := rq.id
	if opts.Progress == nil {
		token = 0
	}
	var own []byte
	start := len(dst)
	dst = append(dst, `,"params":{`...)
	open := len(dst)
	if params != nil {
		err := rpc.ScanObject(params, func(token, name, value []byte) {
			if string(name) == "_meta" {
				own = value
				return
			}
			if rq.names(name) {
				rq.name, _ = rpc.Text(value)
			}
			if slices.ContainsFunc(extra, func(m rawMember) bool { return m.name == string(name) }) {
				return
			}
			dst = rpc.AppendMember(dst, token, value)
		})
		if err != nil {
			return fmt.Errorf("client: %s: params must be one JSON object: %w", rq.method, err)
		}
	}
	for _, m := range extra {
		dst = rpc.AppendRaw(append(rpc.AppendString(rpc.Comma(dst), m.name), ':'), m.value)
	}
	if s.modern || token != 0 || len(opts.Meta) > 0 || own != nil {
		var err error
		if dst, err = s.appendMeta(append(rpc.Comma(dst), `"_meta":`...), own, opts, token); err != nil {
			return fmt.Errorf("client: %s: %w", rq.method, err)
		}
	}
	if len(dst) == open && params == nil {
		dst = append(dst[:start], '}') // no params at all
	} else {
		dst = append(dst, "}}"...)
	}
	if int64(len(dst)) > s.opts.MaxMessage {
		return s.failure(rq.method, false, fmt.Errorf("%w: %d bytes to send, and the limit is %d", ErrTooLarge, len(dst), s.opts.MaxMessage))
	}
	rq.frame = dst
	return nil
}

// names reports whether the header Mcp-Name repeats this member of params.
func (rq *request) names(member []byte) bool {
	switch mcp.MCPMethod(rq.method) {
	case mcp.MethodToolsCall, mcp.MethodPromptsGet:
		return string(member) == "name"
	case mcp.MethodResourcesRead:
		return string(member) == "uri"
	case mcp.MethodTasksGet, mcp.MethodTasksCancel, rpc.MethodTasksUpdate:
		return string(member) == "taskId"
	}
	return false
}

// appendMeta writes _meta: the members of the protocol win over those of the call's
// options, and these win over those of the params.
func (s *session) appendMeta(dst, own []byte, opts *CallOptions, token int64) ([]byte, error) {
	more := opts.Meta
	dst = append(dst, '{')
	taken := func(name string) bool {
		switch name {
		case "progressToken":
			return token != 0
		case mcp.MetaKeyProtocolVersion, mcp.MetaKeyClientCapabilities, mcp.MetaKeyClientInfo:
			return s.modern
		case mcp.MetaKeyLogLevel:
			return s.modern && opts.LogLevel != ""
		}
		return false
	}
	if own != nil {
		if !rpc.IsObject(own) {
			return nil, fmt.Errorf(`"_meta" must be an object`)
		}
		_ = rpc.ScanObject(own, func(token, name, value []byte) { // valid, because it was parsed before
			if _, again := more[string(name)]; again || taken(string(name)) {
				return
			}
			dst = rpc.AppendMember(dst, token, value)
		})
	}
	for _, name := range slices.Sorted(maps.Keys(more)) {
		if taken(name) {
			continue
		}
		if !rpc.ValidJSON(more[name]) {
			return nil, fmt.Errorf("the value of %q in Meta is not JSON", name)
		}
		dst = rpc.AppendRaw(append(rpc.AppendString(rpc.Comma(dst), name), ':'), more[name])
	}
	if token != 0 {
		dst = strconv.AppendInt(append(rpc.Comma(dst), `"progressToken":`...), token, 10)
	}
	if s.modern {
		dst = append(rpc.Comma(dst), s.meta...)
		if opts.LogLevel != "" {
			dst = rpc.AppendString(append(dst, `,"`+mcp.MetaKeyLogLevel+`":`...), opts.LogLevel)
		}
	}
	return append(dst, '}'), nil
}

// protocolMeta returns the _meta members that every request must have since 2026-07-28.
func (s *session) protocolMeta(version string) []byte {
	dst := rpc.AppendString([]byte(`"`+mcp.MetaKeyProtocolVersion+`":`), version)
	dst = appendIdentity(append(dst, `,"`+mcp.MetaKeyClientInfo+`":`...), s.opts.Client)
	can := s.opts.Capabilities
	can.Extensions = declareTasks(can.Extensions)
	return can.appendTo(append(dst, `,"`+mcp.MetaKeyClientCapabilities+`":`...), version)
}

func cancelledFrame(id int64, modern bool, meta []byte) []byte {
	dst := strconv.AppendInt([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`), id, 10)
	dst = append(dst, `,"reason":"no longer needed"`...)
	if modern {
		dst = append(append(append(dst, `,"_meta":{`...), meta...), '}')
	}
	return append(dst, "}}"...)
}

package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/mark3labs/mcp-go/mcp"
)

// listPages is the maximum number of list pages that are read to learn headers.
const listPages = 100

// learnHeaders reads the list of tools after a call was refused because of its headers,
// and reports whether the call is worth another try: now it is known which arguments the
// headers must repeat. A call refused for this reason has not run.
func (s *session) learnHeaders(ctx context.Context, params json.RawMessage, refused error) bool {
	var e *RPCError
	if _, http := s.link.(*httpLink); !http || !s.modern || !errors.As(refused, &e) || e.Code != rpc.CodeHeaderMismatch {
		return false
	}
	name, _ := rpc.Text(rpc.Object(params)["name"])
	before := s.remember.tool(name)
	seen := map[string]bool{}
	for page := json.RawMessage(nil); len(seen) < listPages; {
		result, err := s.call(ctx, rpc.MethodToolsList, page, &CallOptions{}, nil)
		if err != nil {
			return false
		}
		cursor := rpc.Object(s.headerTools(result))["nextCursor"]
		if cursor == nil || seen[string(cursor)] {
			break
		}
		seen[string(cursor)] = true
		page = append(append(json.RawMessage(`{"cursor":`), cursor...), '}')
	}
	after := s.remember.tool(name)
	return after != nil && (before == nil || !bytes.Equal(before.RawInputSchema, after.RawInputSchema))
}

// headerTools removes the tools with invalid x-mcp-header annotations from a list, as the
// protocol requires of HTTP clients, and remembers the tools that repeat arguments in
// headers.
func (s *session) headerTools(result json.RawMessage) json.RawMessage {
	all := rpc.Object(result)
	var kept []byte
	dropped := false
	rpc.Elements(all["tools"], func(raw []byte) {
		tool := rpc.Object(raw)
		name, _ := rpc.Text(tool["name"])
		t, bad := headerTool(name, tool["inputSchema"])
		if bad {
			dropped, t = true, nil
		} else {
			kept = append(rpc.Comma(kept), raw...)
		}
		s.remember.setTool(name, t)
	})
	if !dropped {
		return result
	}
	out := []byte{'{'}
	_ = rpc.ScanObject(result, func(token, name, value []byte) { // valid, because it was parsed before
		out = append(append(rpc.Comma(out), token...), ':')
		if string(name) == "tools" {
			out = append(append(append(out, '['), kept...), ']')
		} else {
			out = append(out, value...)
		}
	})
	return append(out, '}')
}

// headerTool returns what is needed to repeat a tool's arguments in headers: nil if none
// are repeated. bad reports that the annotations are invalid.
func headerTool(name string, schema json.RawMessage) (tool *mcp.Tool, bad bool) {
	if !bytes.Contains(schema, []byte("x-mcp-header")) && !bytes.Contains(schema, []byte(`\u`)) {
		return nil, false
	}
	t := &mcp.Tool{Name: name, RawInputSchema: schema}
	if mcp.ValidateParamHeaderAnnotations(t) != nil {
		return nil, true
	}
	if len(mcp.ExtractParamHeaderBindings(t)) == 0 {
		return nil, false
	}
	return t, false
}

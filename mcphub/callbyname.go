package mcphub

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/toolspec"
)

// Call calls a served tool by its name, from Go. args is encoded as JSON and must give an
// object, such as a struct, a map or a json.RawMessage; nil is an object without members.
//
//	result, err := hub.Call(ctx, "greet", map[string]any{"name": "Grace"})
//
// It is a call like any other: the gate asks where approval is needed, the limits hold,
// and the audit log gets a record. The principal is "local", by way of "in-process"; for
// another principal, or with a Peer, call a tool that [Hub.Find] or [Hub.Tools] gives.
//
// The error matches [ErrUnknownTool] when the hub does not serve the name now, and
// otherwise says what is wrong with args. What goes wrong in the call, a refusal
// included, is a result with IsError, and its Err says why.
func (h *Hub) Call(ctx context.Context, name string, args any) (*toolspec.Result, error) {
	e := h.findTool(name)
	if e == nil {
		return nil, fmt.Errorf("%w %s: Hub.Tools lists what is served", ErrUnknownTool, clip.Quote(name, 80))
	}
	call := &toolspec.Call{Principal: toolspec.Principal{Subject: "local"}}
	if args != nil {
		raw, err := json.Marshal(args)
		if err != nil {
			return nil, fmt.Errorf("mcphub: call %q: the arguments: %w", name, err)
		}
		call.Arguments = raw
	}
	return h.callable(e).Call(ctx, call)
}

package mcphub

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/toolspec"
)

// Call calls a served tool by its name, from Go. args is encoded as JSON and must give an
// object: use a struct, a map or a json.RawMessage; nil means an empty object.
//
//	result, err := hub.Call(ctx, "greet", map[string]any{"name": "Grace"})
//
// It is a call like any other: the gate asks for approval if needed, the limits apply,
// and the audit log gets a record. The principal is "local" via "in-process"; to use
// another principal or a Peer, call a tool from [Hub.Find] or [Hub.Tools].
//
// The error matches [ErrUnknownTool] if the hub does not serve the name now; otherwise it
// says what is wrong with args. A failure of the call, including a refusal, is a result
// with IsError set, and its Err says why.
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

package mcphub

import (
	"context"
	"fmt"

	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec"
)

var _ toolspec.Finder = (*Hub)(nil)

// Find returns the tool that is served under a name, as in [Hub.Tools]. If the tool
// belongs to a server that is not connected, Find connects the server and waits for the
// tool. For any other name it waits until such a tool is served or ctx ends. If the
// operator has to approve the tool again, it returns an error that matches
// [servers.ErrWithheld] at once.
func (h *Hub) Find(ctx context.Context, name string) (toolspec.Tool, error) {
	changed := make(chan struct{}, 1)
	defer h.Watch(func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	})()
	connected := false
	for {
		if e := h.findTool(name); e != nil {
			return h.callable(e), nil
		}
		h.mu.Lock()
		composition := h.sources.composition
		h.mu.Unlock()
		if member := composition.named(name); member != nil && !connected {
			switch member.State {
			case MemberMissing:
				connected = true
				if err := composition.conns.Connect(ctx, member.Server); err != nil {
					return nil, fmt.Errorf("mcphub: find %q: %w", name, err)
				}
				continue // what is served has been updated
			case MemberServed:
			default:
				return nil, fmt.Errorf("mcphub: find %q: %w: %s is %s", name, servers.ErrWithheld, &member.Member, member.State)
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, fmt.Errorf("mcphub: find %q: it is not served: %w", name, ctx.Err())
		}
	}
}

// callable wraps an entry for callers in the same process.
func (h *Hub) callable(e *entry) toolspec.Tool {
	if e.server != "" {
		return remoteTool{hubTool{h, e}}
	}
	return hubTool{h, e}
}

// named returns the member that is, or would be, served under a name; nil if there is
// none. A nil Composition has no members.
func (c *Composition) named(name string) *MemberStatus {
	if c == nil {
		return nil
	}
	list := c.list.Load().status
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

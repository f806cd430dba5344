package mcphub

import (
	"context"
	"slices"

	"github.com/localpass/localpass/mcphub/servers"
)

// ChooseShare makes what is shared of a server, its resources, templates and
// prompts, be what its entry says. Where the entry approves, what is chosen is
// approved as the server describes it when it is shared for the first time; what
// it adds or changes later waits for the operator, and so does everything once
// the approval was withdrawn.
//
// Call it when the server is connected, and when what it offers changed. It
// writes only when something is different.
func (c *Composition) ChooseShare(ctx context.Context, e *servers.Entry) error {
	id := e.Record.ID
	var now *Share
	for _, s := range c.Shares() {
		if s.Server == id {
			now = &s.Share
		}
	}
	if e.Share == nil {
		if now == nil {
			return nil
		}
		return c.RemoveShare(ctx, id)
	}
	wanted := Share{Server: id, Resources: e.Share.Resources, Templates: e.Share.Templates, Prompts: e.Share.Prompts, AllowChanges: e.Share.AllowChanges}
	if now != nil && slices.Equal(now.Resources, wanted.Resources) && slices.Equal(now.Templates, wanted.Templates) &&
		slices.Equal(now.Prompts, wanted.Prompts) && now.AllowChanges == wanted.AllowChanges {
		return nil
	}
	snapshot := c.conns.Snapshot(id)
	if e.Approve && now == nil && (snapshot == nil || snapshot.Restored) {
		return nil // a stored snapshot is not enough for an approval
	}
	if err := c.PutShare(ctx, wanted); err != nil || now != nil || !e.Approve {
		return err
	}
	fingerprint, _ := wanted.chosen(snapshot)
	if fingerprint == "" {
		return nil // there is nothing of it
	}
	return c.ApproveShare(ctx, id, fingerprint)
}

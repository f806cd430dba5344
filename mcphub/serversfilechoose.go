package mcphub

import (
	"context"
	"slices"

	"github.com/localpass/localpass/mcphub/servers"
)

// ChooseShare updates the share of a server (resources, templates and prompts) from its
// entry. If the entry approves, the selected items are approved as the server describes
// them when they are shared for the first time. Later additions and changes wait for the
// operator, and so does everything after the approval was withdrawn.
//
// Call it when the server is connected and when its offer has changed. It writes only if
// something differs.
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
		return nil // the server offers nothing that was chosen
	}
	return c.ApproveShare(ctx, id, fingerprint)
}

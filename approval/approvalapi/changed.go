package approvalapi

import (
	"context"

	"github.com/localpass/localpass/approval"
)

// current is a record as it may leave this program, with what has changed since.
// Only tools of this program that are served can be looked up: one that the Tool
// Studio tests need not be.
func (a *API) current(ctx context.Context, rec *approval.Record) approval.View {
	item := a.item(rec)
	if a.opts.Lookup == nil || rec.Status != approval.StatusPending || rec.Request.Server != "" || rec.Request.Side == approval.SideStudio {
		return item
	}
	call, err := a.opts.Lookup(ctx, "", rec.Request.Tool)
	switch {
	case err != nil: // a request that is not found for this caller may still exist
	case call.Definition.Level.Exceeds(rec.Request.Level):
		item.Changed = approval.ChangedRisk
	case call.Fingerprint() != rec.Request.Fingerprint:
		item.Changed = approval.ChangedTool
	}
	return item
}

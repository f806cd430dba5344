package approvalapi

import (
	"context"

	"github.com/localpass/localpass/approval"
)

// current returns a record in the form that may leave this program, together with the
// changes since it was made. Only served tools of this program can be looked up; a tool
// under test in the Tool Studio need not be served.
func (a *API) current(ctx context.Context, rec *approval.Record) approval.View {
	item := a.item(rec)
	if a.opts.Lookup == nil || rec.Status != approval.StatusPending || rec.Request.Server != "" || rec.Request.Side == approval.SideStudio {
		return item
	}
	call, err := a.opts.Lookup(ctx, "", rec.Request.Tool)
	switch {
	case err != nil: // a request that this caller may not see may still exist
	case call.Definition.Level.Exceeds(rec.Request.Level):
		item.Changed = approval.ChangedRisk
	case call.Fingerprint() != rec.Request.Fingerprint:
		item.Changed = approval.ChangedTool
	}
	return item
}

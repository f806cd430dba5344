package server

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/toolspec"
)

// restoredMark is a file in a home that was restored from a backup. It exists until the
// permissions in the backup that would allow actions without asking have been removed.
const restoredMark = ".restored"

// distrust removes everything from a restored backup that would let its creator trigger
// actions here without asking: connections to servers at the start, which may start a
// program, and approvals of calls. Denials are kept. Passes need no such treatment,
// because they are sealed with a key that no backup contains.
func (s *Server) distrust(ctx context.Context) error {
	mark := filepath.Join(s.local.Home, restoredMark)
	if _, err := os.Stat(mark); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	for _, r := range s.mcp.conns.List() {
		if !r.AutoConnect {
			continue
		}
		r.AutoConnect = false
		if _, err := s.mcp.conns.Save(ctx, r); err != nil {
			return err
		}
	}
	by := toolspec.Principal{Subject: "restore"}
	var allowing []approval.Policy
	for p, err := range s.approvals.gate.Policies().List(ctx) {
		if err != nil && !errors.Is(err, approval.ErrInvalid) { // an unreadable policy denies
			return err
		}
		if p.Effect == approval.AlwaysAllow && !p.Fixed {
			allowing = append(allowing, p)
		}
	}
	for _, p := range allowing {
		if err := s.approvals.gate.Policies().Delete(ctx, p.Side, p.Server, p.Tool, by); err != nil {
			return err
		}
	}
	if _, err := s.approvals.gate.Grants().RevokeAll(ctx, approval.GrantFilter{}, by); err != nil {
		return err
	}
	return os.Remove(mark)
}

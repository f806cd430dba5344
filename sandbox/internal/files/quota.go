package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"
)

// Quotas counts the contents of workspaces for all services that run at the same time, so
// that together they stay within the quota of a workspace. The zero value is ready to
// use. It is safe for concurrent use.
type Quotas struct {
	mu         sync.Mutex
	workspaces map[string]*usage
}

// usage is the size of the contents of one workspace. It is counted at the first write by
// any of the services that use the workspace.
type usage struct {
	users int // guarded by Quotas.mu

	mu      sync.Mutex
	counted bool
	bytes   int64
	entries int
}

// acquire returns the usage of a workspace. With a nil q, the usage belongs to this
// caller only.
func (q *Quotas) acquire(workspace string) *usage {
	if q == nil {
		return &usage{}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	u := q.workspaces[workspace]
	if u == nil {
		if q.workspaces == nil {
			q.workspaces = make(map[string]*usage)
		}
		u = &usage{}
		q.workspaces[workspace] = u
	}
	u.users++
	return u
}

// release releases what acquire returned. After the last release, the next acquire counts
// again.
func (q *Quotas) release(workspace string, u *usage) {
	if q == nil || u == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if u.users--; u.users == 0 {
		delete(q.workspaces, workspace)
	}
}

// reserve reserves bytes and entries for a write; both are negative for a write that
// frees some. The workspace must exist.
func (s *Service) reserve(ctx context.Context, bytes int64, entries int) error {
	if s.own {
		return nil
	}
	if s.usage == nil {
		s.usage = s.quotas.acquire(s.workspace.real)
	}
	u := s.usage
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.counted {
		if err := s.count(ctx, u); err != nil {
			return err
		}
		u.counted = true
	}
	if bytes > 0 && u.bytes+bytes > s.limits.WorkspaceBytes {
		return limit(ReasonWorkspaceQuota, "the workspace would hold more than %d bytes; delete what is not needed", s.limits.WorkspaceBytes)
	}
	if entries > 0 && u.entries+entries > s.limits.Entries {
		return limit(ReasonWorkspaceQuota, "the workspace would hold more than %d files and directories; delete what is not needed", s.limits.Entries)
	}
	u.bytes += bytes
	u.entries += entries
	return nil
}

// freed releases bytes and entries that were removed, or were reserved but not written.
func (s *Service) freed(bytes int64, entries int) {
	if u := s.usage; u != nil {
		u.mu.Lock()
		defer u.mu.Unlock()
		if u.counted {
			u.bytes -= bytes
			u.entries -= entries
		}
	}
}

// leftOver is the age from which a temporary file is considered abandoned.
const leftOver = time.Hour

// count counts the contents of the workspace, and removes the temporary files of crashed
// writes.
func (s *Service) count(ctx context.Context, u *usage) error {
	top, err := s.openRoot(s.workspace, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	u.bytes, u.entries = 0, 0
	w := walker{service: s, ctx: ctx, visit: func(dir *os.Root, e entry) error {
		if isTemporary(e.name) && e.info.Mode().IsRegular() && s.now().Sub(e.info.ModTime()) > leftOver {
			if dir.Remove(e.name) == nil {
				return nil
			}
		}
		u.entries++
		if e.info.Mode().IsRegular() {
			u.bytes += e.info.Size()
		}
		return nil
	}}
	return w.walk(top, s.workspace.real)
}

const temporaryPrefix, temporarySuffix = ".localpass-", ".tmp"

// isTemporary reports whether name is that of a temporary file of a write: the prefix, 26
// letters and digits, the suffix.
func isTemporary(name string) bool {
	return len(name) == len(temporaryPrefix)+26+len(temporarySuffix) &&
		strings.HasPrefix(name, temporaryPrefix) && strings.HasSuffix(name, temporarySuffix)
}

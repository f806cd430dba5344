package files

import (
	"fmt"
	"path/filepath"
	"time"
)

// Scope says what one run may do with files. [New] refuses the zero value, since
// Workspace is required.
type Scope struct {
	// Workspace is the directory that may be written, or that holds the workspaces of
	// conversations: an absolute path. If it does not exist, the first write creates it.
	Workspace string
	// ReadRoots are further directories that may be read, with everything below them:
	// absolute paths. If empty, only the workspace may be read.
	ReadRoots []string
	// Backing, if not empty, is the directory that replaces the workspace after Override
	// and Conversation are applied: an absolute path, without links. Operations of code
	// on paths in the workspace take place there. Read roots in the workspace are left
	// out, since they would show the real files.
	Backing string
	// Own says that the workspace is a directory of the user: its contents are not
	// counted, and new files and directories have the usual permissions.
	Own bool
	// Withheld are files and directories that may not be used, with everything below
	// them, wherever the workspace and the read roots lie: absolute paths. WithheldName,
	// if not nil, reports whether everything with a name, below any root, may not be
	// used.
	Withheld     []string
	WithheldName func(name string) bool
	// Conversation is the id of the conversation that the run belongs to. The
	// conversation then has its own directory in Workspace as its workspace, and
	// everything else in Workspace can be neither read nor written. If empty, Workspace
	// itself is the workspace.
	Conversation string
	// Override, if not empty, replaces the workspace and the read roots (the fsBasePath
	// of a spec): an absolute path. It has no effect if it is the same directory as
	// Workspace.
	Override string

	// Read and Write grant the groups of functions; if neither is set, everything is
	// refused.
	Read, Write bool
	// ReadOnly, if not empty, is why nothing is written although Write is set.
	ReadOnly string
	// Destructive grants move, delete and deleteDir, if Write is granted too.
	Destructive bool
	// LooseDestructive lets Write alone grant move, delete and deleteDir, as the
	// reference implementation does.
	LooseDestructive bool

	// Quotas counts the contents of a workspace for all runs at the same time. If nil,
	// the service counts by itself.
	Quotas *Quotas
	// Limits holds the limits of the operations; zero fields have their defaults.
	Limits Limits
	// Now returns the current time, which determines the age of temporary files. If nil,
	// it is time.Now.
	Now func() time.Time
}

// New returns the service for one run. It accesses no file: directories are opened by the
// first operation. It returns an error, which names the path, if a path is not absolute.
func New(scope Scope) (*Service, error) {
	s := &Service{
		read: scope.Read, write: scope.Write, destructive: scope.Destructive || scope.LooseDestructive,
		limits: scope.Limits.withDefaults(), quotas: scope.Quotas, now: scope.Now,
		readOnly: scope.ReadOnly, own: scope.Own, withheld: withheld{names: scope.WithheldName},
	}
	if s.now == nil {
		s.now = time.Now
	}
	base, err := absolute("workspace", scope.Workspace)
	if err != nil && (scope.Workspace != "" || scope.Override == "") {
		return nil, err
	}
	workspace, roots := base, scope.ReadRoots
	name := segment(scope.Conversation)
	if scope.Override != "" {
		override, err := absolute("base path", scope.Override)
		if err != nil {
			return nil, err
		}
		if override != base {
			workspace, roots = override, nil
		}
	}
	for _, path := range scope.Withheld {
		if path, err = absolute("withheld path", path); err != nil {
			return nil, err
		}
		s.withheld.paths = append(s.withheld.paths, path)
	}
	if scope.Backing != "" {
		if scope.Backing, err = absolute("backing directory", scope.Backing); err != nil {
			return nil, err
		}
	}
	s.workspace = &root{given: workspace, writable: true, backing: scope.Backing}
	if name != "" && base != "" {
		s.base, s.segment = base, name
		if workspace == base {
			s.workspace.given, s.workspace.parent, s.workspace.name = filepath.Join(base, name), base, name
		}
	}
	s.roots = append(s.roots, s.workspace)
	for _, r := range roots {
		dir, err := absolute("read root", r)
		if err != nil {
			return nil, err
		}
		s.roots = append(s.roots, &root{given: dir})
	}
	return s, nil
}

func absolute(what, path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("files: the %s must be an absolute path: %q", what, path)
	}
	return filepath.Clean(path), nil
}

// WorkspaceFor returns the workspace of a conversation in base: base itself if the id is
// empty, "." or "..", otherwise a directory in base whose name is the id with every
// character outside A-Z a-z 0-9 . _ - replaced by _. So ids that differ only in other
// characters share a workspace; use only these characters in ids. In ids longer than 128
// characters, a digest replaces the end.
func WorkspaceFor(base, conversation string) string {
	return filepath.Join(base, segment(conversation))
}

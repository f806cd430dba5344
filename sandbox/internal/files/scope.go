package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Scope says what one run may do with files. The zero value is refused by
// [New]: a workspace must be named.
type Scope struct {
	// Workspace is the directory that may be written, or that holds the
	// workspaces of conversations: an absolute path. It is made on the first
	// write when it does not exist.
	Workspace string
	// ReadRoots are directories that may be read beside the workspace, with
	// everything below them: absolute paths. None: the workspace alone.
	ReadRoots []string
	// Backing is the directory that replaces the workspace, with Override and
	// Conversation applied: an absolute path, without links. What code does under
	// the path of the workspace is done there, and read roots within the workspace
	// are left out: they would show the real files. Empty: none does.
	Backing string
	// Conversation is the id of the conversation that the run belongs to. Its
	// workspace is then a directory of its own in Workspace, and everything
	// else in Workspace can be neither read nor written. Empty: Workspace
	// itself.
	Conversation string
	// Override replaces workspace and read roots (the fsBasePath of a spec): an
	// absolute path. Empty, or the same directory as Workspace: it does not.
	Override string

	// Read and Write grant the groups of functions; neither: everything is
	// refused.
	Read, Write bool
	// Destructive grants move, delete and deleteDir, beside Write.
	Destructive bool
	// LooseDestructive lets Write alone grant these three, as the reference
	// does.
	LooseDestructive bool

	// Quotas counts the contents of a workspace across the services of runs at the
	// same time. nil: the service counts alone.
	Quotas *Quotas
	// Limits bounds the operations; zero fields have their defaults.
	Limits Limits
	// Now replaces the clock that determines how old a left-over file is. nil:
	// time.Now.
	Now func() time.Time
}

// New makes the service of one run. It touches no file: directories are opened
// by the first operation. The error names the path that is not absolute.
func New(scope Scope) (*Service, error) {
	s := &Service{
		read: scope.Read, write: scope.Write, destructive: scope.Destructive || scope.LooseDestructive,
		limits: scope.Limits.withDefaults(), quotas: scope.Quotas, now: scope.Now,
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

// WorkspaceFor is the workspace of a conversation in base: base itself when the
// id is empty, "." or "..", else a directory in it named by the id with every
// character outside of A-Z a-z 0-9 . _ - replaced by _. So ids that differ only
// in such characters share a workspace: make ids of these characters only. Of ids
// longer than 128 characters the end is replaced by a digest.
func WorkspaceFor(base, conversation string) string {
	return filepath.Join(base, segment(conversation))
}

// RemoveWorkspace removes the workspace of a conversation that has ended, with
// everything in it. It is no error when there is none; base itself is never
// removed.
func RemoveWorkspace(base, conversation string) error {
	name := segment(conversation)
	if name == "" {
		return nil
	}
	if _, err := absolute("workspace", base); err != nil {
		return err
	}
	dir, err := os.OpenRoot(base)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("files: remove the workspace of a conversation: %w", err)
	}
	defer dir.Close()
	if err := dir.RemoveAll(name); err != nil {
		return fmt.Errorf("files: remove the workspace of a conversation: %w", err)
	}
	return nil
}

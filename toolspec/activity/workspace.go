package activity

// Workspace is where a run found the files that its posture grants.
type Workspace string

// The workspaces, from the one that reaches least.
const (
	// WorkspaceNone: the run was granted no files, or did not begin.
	WorkspaceNone Workspace = ""
	// WorkspaceFixtures: a new directory with the files of the fixtures.
	WorkspaceFixtures Workspace = "fixtures"
	// WorkspaceCopy: a copy of the workspace that a call would have.
	WorkspaceCopy Workspace = "copy"
	// WorkspaceReal: the workspace that a call has.
	WorkspaceReal Workspace = "real"
)

// Further returns the one of the two that reaches further.
func (w Workspace) Further(other Workspace) Workspace {
	for _, most := range []Workspace{WorkspaceReal, WorkspaceCopy, WorkspaceFixtures} {
		if w == most || other == most {
			return most
		}
	}
	return w
}

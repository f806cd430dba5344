package activity

// Workspace is the kind of directory that held the files granted to a run.
type Workspace string

// The workspaces, from the least reach to the most.
const (
	// WorkspaceNone means that the run was granted no files, or did not begin.
	WorkspaceNone Workspace = ""
	// WorkspaceFixtures is a new directory with the files of the fixtures.
	WorkspaceFixtures Workspace = "fixtures"
	// WorkspaceCopy is a copy of the workspace that a call would use.
	WorkspaceCopy Workspace = "copy"
	// WorkspaceReal is the workspace that calls use.
	WorkspaceReal Workspace = "real"
)

// Further returns whichever of w and other reaches further.
func (w Workspace) Further(other Workspace) Workspace {
	for _, most := range []Workspace{WorkspaceReal, WorkspaceCopy, WorkspaceFixtures} {
		if w == most || other == most {
			return most
		}
	}
	return w
}

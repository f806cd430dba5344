package toolspec

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

// further gives the one of the two that reaches further.
func (w Workspace) further(other Workspace) Workspace {
	for _, most := range []Workspace{WorkspaceReal, WorkspaceCopy, WorkspaceFixtures} {
		if w == most || other == most {
			return most
		}
	}
	return w
}

// WorkspaceCopier is the upgrade of a [Runner] that honours [RunRequest].Scratch.
// A test of a tool that was granted files is given to no other Runner, unless
// the test brings its files or may use the real workspace.
type WorkspaceCopier interface {
	Runner
	// CopiesWorkspace reports whether the Runner honours Scratch.
	CopiesWorkspace() bool
}

// files reports whether a posture grants files.
func (p *Posture) files() bool { return p.FileRead || p.FileWrite }

// scratch says whether a run works in a copy of the workspace: every run of a
// test that brings no files, unless a person chose the real one. The error says
// that the runner makes no copies.
func (t *specTool) scratch() (bool, *CallError) {
	if !t.test || t.real || t.fixtures.Files != nil || !t.posture.files() {
		return false, nil
	}
	if copier, ok := t.studio.runner.(WorkspaceCopier); ok && copier.CopiesWorkspace() {
		return true, nil
	}
	return false, &CallError{Kind: KindHelperRuntime, Reason: ReasonWorkspaceCopy, Component: "workspace",
		Message: "this runner makes no copy of the workspace to test in: give the test its files (\"files\" in x-fixtures), or let it use the real workspace"}
}

// add notes a run.
func (r *Report) add(run Run) {
	r.Runs = append(r.Runs, run)
	if run.Result != nil && run.Result.Outcome != nil {
		r.Workspace = r.Workspace.further(run.Result.Outcome.Workspace)
	}
}

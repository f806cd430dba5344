package sandbox

import (
	"context"

	"github.com/localpass/localpass/toolspec"
)

// Tiers runs code in one of two sandboxes according to its risk level: harmless code in
// process, where a call takes half the time, and all other code in workers. It is a
// toolspec.Runner and a toolspec.Checker, and safe for concurrent use. A Local Pass is
// bound to the tier in which it was earned, so a tool whose level changes, or whose
// host's policy changes, has to pass again.
type Tiers struct {
	isolated, inProcess *Sandbox
	upTo                toolspec.Level
}

var (
	_ toolspec.Runner  = (*Tiers)(nil)
	_ toolspec.Checker = (*Tiers)(nil)

	_ toolspec.WorkspaceCopier = (*Tiers)(nil)
	_ toolspec.WorkspaceCopier = (*Sandbox)(nil)
)

// NewTiers combines two sandboxes, which their owner must still close. Code of levels up
// to upTo runs in inProcess, code of a higher or an unknown level in isolated. A level
// says what code may reach, not who wrote it: in-process code can still use up all
// memory, so this is for hosts whose operator reads the code before publishing it.
func NewTiers(isolated, inProcess *Sandbox, upTo toolspec.Level) *Tiers {
	return &Tiers{isolated, inProcess, upTo}
}

func (t *Tiers) pick(level toolspec.Level) *Sandbox {
	if t.upTo != toolspec.LevelUnknown && !level.Exceeds(t.upTo) {
		return t.inProcess
	}
	return t.isolated
}

// Run runs the request in the tier for its level.
func (t *Tiers) Run(ctx context.Context, req *toolspec.RunRequest) (*toolspec.Outcome, error) {
	if req == nil {
		return t.isolated.Run(ctx, req)
	}
	return t.pick(req.Level).Run(ctx, req)
}

// CopiesWorkspace reports whether both sandboxes support toolspec.RunRequest.Scratch.
func (t *Tiers) CopiesWorkspace() bool {
	return t.isolated.CopiesWorkspace() && t.inProcess.CopiesWorkspace()
}

// Runtime returns the runtime for code of a level.
func (t *Tiers) Runtime(level toolspec.Level) toolspec.Runtime {
	return t.pick(level).Runtime(level)
}

// Check checks code in the isolated sandbox, whatever its level.
func (t *Tiers) Check(ctx context.Context, spec *toolspec.Spec, posture *toolspec.Posture) toolspec.Problems {
	return t.isolated.Check(ctx, spec, posture)
}

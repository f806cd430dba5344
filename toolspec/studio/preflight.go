package studio

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/localpass/localpass/toolspec"
)

// prepare returns the tool that a test of the spec runs, and the test values of its
// parameters. If nothing may run, the tool is nil and the problems say why.
func (s *Studio) prepare(spec *toolspec.Spec, status *Status, opts *TestOptions) (*specTool, json.RawMessage, toolspec.Problems) {
	problems := slices.Clone(status.Problems)
	if problems.Err() != nil {
		return nil, nil, problems
	}
	if len(status.Missing) > 0 && !spec.Fixtures.Recorded() {
		return nil, nil, append(problems, noPass(missingProblem(status.Missing)))
	}
	for _, p := range s.lintRefuses(problems, opts) {
		problems = append(problems, noPass(p))
	}
	args, found := spec.TestArguments()
	if problems = append(problems, found...); problems.Err() != nil {
		return nil, nil, problems
	}
	tool, err := s.tool(spec, status.Posture, status.Risk.Level)
	if err != nil {
		return nil, nil, append(problems, noPass(toolspec.Problem{Reason: "output-schema", Pointer: "x-output-schema", Message: err.Error(), Remedy: "give the JSON Schema of an object"}))
	}
	return tool, args, problems
}

// noPass makes a problem that prevents a pass.
func noPass(p toolspec.Problem) toolspec.Problem {
	p.Code, p.Severity = toolspec.CodeLocalPass, toolspec.SeverityError
	return p
}

// Preflight returns the status of the spec. Its Problems contain every reason for which
// [Studio.Test] would refuse the spec before running it: features that this host or
// runtime lacks, unsupported syntax, missing test values, placeholders without a value. It
// runs and records nothing. An error means that the store could not be read or ctx ended.
func (s *Studio) Preflight(ctx context.Context, spec *toolspec.Spec, opts *TestOptions) (*Status, error) {
	if spec == nil {
		return nil, noSpec("preflight")
	}
	spec = spec.Clone()
	status, err := s.Status(ctx, spec)
	if err != nil {
		return nil, err
	}
	_, _, status.Problems = s.prepare(spec, status, opts)
	return status, nil
}

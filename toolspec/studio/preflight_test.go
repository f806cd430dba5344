package studio_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// Preflight refuses just what a test refuses before its first run, with the same
// problems, and runs nothing.
func TestPreflight(t *testing.T) {
	for name, c := range map[string]struct {
		old, new string // what is replaced in the document of a tool that passes
		reason   string // of the refusal; empty: there is none
		state    studio.State
		strict   bool
	}{
		"passes":                     {state: studio.StateDraft},
		"a placeholder":              {old: `"greeting": "hi"`, new: `"key": "${API_KEY}"`, reason: toolspec.ReasonMissingRequirements, state: studio.StateDraft},
		"needs the host's code":      {old: `"sandboxOverrides": {}`, new: `"toolSafety": {"runtime": {"javaInterop": true}}`, reason: toolspec.ReasonHostInterop, state: studio.StateUnsupported},
		"syntax of another time":     {old: "return {text", new: "from the future return {text", reason: "syntax", state: studio.StateUnsupported},
		"strictly, nothing asserted": {old: `"want": {"text": "word"}`, new: `"want": null`, reason: "nothing-asserted", state: studio.StateDraft, strict: true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			b.runner.check = func(spec *toolspec.Spec) toolspec.Problems {
				if !strings.Contains(spec.Code, "from the future") {
					return nil
				}
				return toolspec.Problems{{Code: toolspec.CodeResolver, Severity: toolspec.SeverityError, Reason: "syntax", Pointer: "code", Message: "unexpected token", Line: 1, Column: 1}}
			}
			document := echoSpec
			if c.old != "" {
				require.Contains(t, echoSpec, c.old)
				document = strings.Replace(echoSpec, c.old, c.new, 1)
			}
			if strings.HasPrefix(name, "strictly") {
				document = strings.Replace(document, `, "want": null`, "", 1)
			}
			spec, opts := parse(t, document), &studio.TestOptions{Strict: c.strict}
			status, err := b.Preflight(t.Context(), spec, opts)
			require.NoError(t, err)
			assert.Zero(t, b.runner.runs)
			assert.Equal(t, c.state, status.State)
			report, err := b.Test(t.Context(), spec, opts)
			require.NoError(t, err)
			if c.reason == "" {
				assert.NoError(t, status.Problems.Err())
				assert.True(t, report.OK, report.Err())
				return
			}
			assert.Zero(t, b.runner.runs, "the test did not get further")
			assert.Equal(t, report.Problems, status.Problems)
			var reasons []string
			for _, p := range status.Problems.Errors() {
				reasons = append(reasons, p.Reason)
			}
			assert.Contains(t, reasons, c.reason)
		})
	}
}

// After a pass the state is ACTIVE.
func TestPreflightAfterAPass(t *testing.T) {
	b := newBench(t, nil)
	spec := parse(t, echoSpec)
	admit(t, b.Studio, spec)
	status, err := b.Preflight(t.Context(), spec, nil)
	require.NoError(t, err)
	assert.Equal(t, studio.StateActive, status.State)
	assert.NotNil(t, status.Receipt)
	assert.NoError(t, status.Problems.Err())
}

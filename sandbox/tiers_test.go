package sandbox_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/toolspec"
)

func TestTiers(t *testing.T) {
	isolated := newSandbox(t, &sandbox.Options{Workers: 1})
	inProcess := newSandbox(t, &sandbox.Options{Tier: toolspec.TierInProcess, Workers: 1})
	tiers := sandbox.NewTiers(isolated, inProcess, toolspec.L0)
	for level, want := range map[toolspec.Level]toolspec.Tier{
		toolspec.L0: toolspec.TierInProcess, toolspec.L3: toolspec.TierIsolated, toolspec.L5: toolspec.TierIsolated, toolspec.LevelUnknown: toolspec.TierIsolated,
	} {
		req := request(`return 1`)
		req.Level = level
		out, err := tiers.Run(t.Context(), req)
		require.NoError(t, err)
		assert.Equal(t, want, out.Runtime.Tier, "%v", level)
		assert.Equal(t, out.Runtime, tiers.Runtime(level), "what a pass is bound to is what runs")
	}
	assert.NotEmpty(t, tiers.Check(t.Context(), &toolspec.Spec{Code: "return ("}, nil))
	_, err := tiers.Run(t.Context(), nil)
	assert.Error(t, err)
	all := sandbox.NewTiers(isolated, inProcess, toolspec.LevelUnknown)
	assert.Equal(t, toolspec.TierIsolated, all.Runtime(toolspec.L0).Tier)
}

package observe_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/observe"
	"github.com/localpass/localpass/observe/genai"
)

// A trace is found by the id of its test run, even if that looks like the id of a trace.
func TestTraceOfARun(t *testing.T) {
	c, err := observe.New(&observe.Options{Service: "test"})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	id := strings.Repeat("ab", 16)
	ctx, op := c.Telemetry().StartPass(genai.WithRun(t.Context(), id), "sum")
	op.End(ctx, "", nil)
	require.Eventually(t, func() bool { return c.Trace(id) != nil }, time.Minute, 5*time.Millisecond)
	assert.Equal(t, "local_pass sum", c.Trace(id).Name)
	assert.Nil(t, c.Trace("nothing"))
}

package servers_test

import (
	"encoding/json"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/internal/smoke/peer"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec"
)

// A program of another library, in its own process: its tools, and what happens
// when it ends within a call.
func TestConnectionsToPrograms(t *testing.T) {
	leak.Check(t)
	before := 0
	if runtime.GOOS == "linux" {
		peer.Program(t) // built first: the build has processes too
		before = hubtest.Children(t)
	}
	c := hubtest.Connections(t, hubtest.Fakes{"works": hubtest.Program(t, "mcpgo", nil), "crashes": hubtest.Program(t, "crash", nil), "ends": hubtest.Program(t, "exit", nil)}, nil)
	p := hubtest.ToolProvider(t, c, nil)
	defer p.Close()
	p.Refresh(t.Context())
	require.Eventually(t, func() bool { // there is no warning of one that is being started again
		warnings := p.Warnings()
		return len(warnings) > 0 && warnings[len(warnings)-1].Server == "ends"
	}, hubtest.Patience, time.Millisecond)
	var echo toolspec.Tool
	tools, err := p.Tools(t.Context())
	require.NoError(t, err)
	for _, tool := range tools {
		if tool.Definition().Name == "works_echo" {
			echo = tool
		}
	}
	require.NotNil(t, echo, "%v", hubtest.ToolNamesOf(t, p))
	r, err := echo.Call(t.Context(), &toolspec.Call{Arguments: json.RawMessage(`{"text":"hello"}`)})
	require.NoError(t, err)
	assert.Contains(t, r.Text(), "hello")

	_, err = c.Call(t.Context(), "crashes", "tools/call", json.RawMessage(`{"name":"x","arguments":{}}`), nil)
	require.ErrorIs(t, err, client.ErrSessionLost, "it was sent: it is not repeated")
	require.Eventually(t, func() bool { return hubtest.StateOf(t, c, "crashes") == servers.StateConnected }, hubtest.Patience, 5*time.Millisecond, "started again")
	require.NoError(t, c.Close())
	if runtime.GOOS == "linux" {
		assert.Equal(t, before, hubtest.Children(t), "no process is left")
	}
}

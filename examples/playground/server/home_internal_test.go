package server

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/mcphub/servers"
)

// A server that could not be reached stays on the home page while it is tried again.
func TestServerAttention(t *testing.T) {
	for name, c := range map[string]struct {
		status servers.Status
		want   string
	}{
		"first attempt": {servers.Status{State: servers.StateConnecting}, ""},
		"failed":        {servers.Status{State: servers.StateError, Attempts: 1}, "far cannot be reached."},
		"retry":         {servers.Status{State: servers.StateConnecting, Attempts: 1}, "far cannot be reached."},
		"connected":     {servers.Status{State: servers.StateConnected}, ""},
	} {
		c.status.ID = "far"
		var text string
		if a := serverAttention(&c.status); a != nil {
			text = a.Text
		}
		assert.Equal(t, c.want, text, name)
	}
}

package servers_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/servers"
)

// Stdio and HTTP make records that are saved and lead where they say, whatever the
// texts hold.
func TestRecordsFromGo(t *testing.T) {
	kinds := client.NewRegistry(nil)
	r := servers.Stdio("files", `/opt/"odd" name`, "-y", "a b\n", "${HOME}")
	require.NoError(t, r.Validate())
	assert.JSONEq(t, `{"command":"/opt/\"odd\" name","args":["-y","a b\n","${HOME}"]}`, string(r.Connection))
	r = servers.Stdio("plain", "some-server")
	require.NoError(t, r.Validate())
	assert.JSONEq(t, `{"command":"some-server","args":[]}`, string(r.Connection))
	transport, err := kinds.Transport(r.Kind, r.Connection)
	require.NoError(t, err)
	assert.Equal(t, client.TransportStdio, transport.Describe().Kind)

	r = servers.HTTP("far", "https://mcp.example.com/mcp")
	require.NoError(t, r.Validate())
	transport, err = kinds.Transport(r.Kind, r.Connection)
	require.NoError(t, err)
	assert.Equal(t, client.TransportHTTP, transport.Describe().Kind)
	assert.Equal(t, "https://mcp.example.com/mcp", transport.Describe().Address)
	bad := servers.HTTP("no id", "https://mcp.example.com/mcp")
	require.Error(t, bad.Validate())
}

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/smoke/peer"
)

// resources asks until the URIs are these.
func resources(t *testing.T, p *program, id *int, want ...string) {
	t.Helper()
	var got []string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		*id++
		p.send(t, `{"jsonrpc":"2.0","id":`+strconv.Itoa(*id)+`,"method":"resources/list"}`)
		var list struct{ Resources []struct{ URI string } }
		require.NoError(t, json.Unmarshal(p.answer(t, strconv.Itoa(*id)).Result, &list))
		got = nil
		for _, r := range list.Resources {
			got = append(got, r.URI)
		}
		if assert.ObjectsAreEqual(want, got) {
			return
		}
	}
	require.Equal(t, want, got, p.stderr)
}

func TestConnectShares(t *testing.T) {
	t.Parallel()
	home, file := t.TempDir(), filepath.Join(t.TempDir(), "s.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"mcpServers":{"peer":{"command":"`+peer.Program(t)+`","args":["-as","mcpgo"],"tools":[],"share":true}}}`), 0o600))
	p := launch(t, "-home", home, "-connect", file)
	p.initialize(t)
	id := 10
	resources(t, p, &id)
	const told = "0 of 5 tools served, and 0 resources, templates and prompts; withheld, not approved yet: resource test://one;"
	for deadline := time.Now().Add(patience); !strings.Contains(p.stderr.String(), told); <-time.After(5 * time.Millisecond) {
		require.True(t, time.Now().Before(deadline), p.stderr) // none are there before it is connected, too
	}

	stdout, stderr, code := output(t, "servers", "approve", "-home", home, "-dry-run", "peer")
	require.Equal(t, 0, code, stderr)
	assert.Contains(t, stdout, "peer/resource test://one  not approved yet\n  now      {")
	stdout, stderr, code = output(t, "servers", "approve", "-home", home, "peer")
	require.Equal(t, 0, code, stderr)
	assert.Contains(t, stdout, "peer/resource test://one  approved\n")
	resources(t, p, &id, "test://one")
	p.send(t, `{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"test://one"}}`)
	assert.Contains(t, string(p.answer(t, "2").Result), `"text":"one"`)
	stdout, _, _ = output(t, "servers", "-home", home, "-check", "-json")
	assert.Contains(t, stdout, `"sharedCount":1`)
	stdout, stderr, code = output(t, "servers", "approve", "-home", home, "peer")
	require.Equal(t, 0, code, stderr)
	assert.Equal(t, "peer: nothing to approve\n", stdout)

	stdout, stderr, code = output(t, "servers", "revoke", "-home", home, "peer")
	require.Equal(t, 0, code, stderr)
	assert.Equal(t, "peer  its resources, templates and prompts are withheld\n", stdout)
	resources(t, p, &id)
	stdout, _, _ = output(t, "servers", "-home", home, "-check")
	assert.Contains(t, stdout, "peer: withheld, not approved yet: resource test://one")
}

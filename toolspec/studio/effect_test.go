package studio_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
)

func TestEffect(t *testing.T) {
	network := func(mode toolspec.NetworkMode, hosts ...string) toolspec.Posture {
		return toolspec.Posture{Network: toolspec.NetworkPosture{Mode: mode, Hosts: hosts}}
	}
	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprintf("h%02d.example.com", i))
	}
	for name, c := range map[string]struct {
		posture toolspec.Posture
		want    []string
	}{
		"nothing": {toolspec.Posture{}, []string{"It cannot touch files.", "It cannot use the network."}},
		"reading": {toolspec.Posture{FileRead: true, FSBasePath: "/srv/notes"},
			[]string{"It may read any file below /srv/notes.", "It cannot write files.", "It cannot use the network."}},
		"writing": {toolspec.Posture{FileWrite: true, FSBasePath: "/srv/notes"},
			[]string{"It may write files below /srv/notes.", "It cannot read files.", "It cannot use the network."}},
		"both, in the workspace": {toolspec.Posture{FileRead: true, FileWrite: true},
			[]string{"It may read and write any file in the workspace.", "It cannot use the network."}},
		"destroying": {toolspec.Posture{FileRead: true, FileWrite: true, Destructive: true},
			[]string{"It may read and write any file in the workspace.", "It may delete and move files there.", "It cannot use the network."}},
		"only declared": {toolspec.Posture{Destructive: true},
			[]string{"It says that it removes or moves things.", "It cannot touch files.", "It cannot use the network."}},
		"no mode":  {network(toolspec.NetworkInherit), []string{"It cannot touch files.", "It cannot use the network."}},
		"blocked":  {network(toolspec.NetworkBlocked), []string{"It cannot touch files.", "It cannot use the network."}},
		"no host":  {network(toolspec.NetworkAllowlist), []string{"It cannot touch files.", "It cannot reach any host."}},
		"one host": {network(toolspec.NetworkAllowlist, "api.example.com"), []string{"It may send requests to api.example.com.", "It cannot touch files."}},
		"hosts": {network(toolspec.NetworkAllowlist, "*.b.example", "GET a.example/v1/*", "c.example:8443"),
			[]string{"It may send requests to *.b.example, GET a.example/v1/* and c.example:8443.", "It cannot touch files."}},
		"any host by name": {network(toolspec.NetworkAllowlist, "*"), []string{"It may send requests to any public host.", "It cannot touch files."}},
		"strict":           {network(toolspec.NetworkStrict), []string{"It may send requests to any public host.", "It cannot touch files."}},
		"open": {network(toolspec.NetworkOpen),
			[]string{"It may send requests to any host, also to this machine and its network.", "It cannot touch files."}},
		"a mode of later": {network("sideways"),
			[]string{"It may send requests to any host, also to this machine and its network.", "It cannot touch files."}},
		"many hosts": {network(toolspec.NetworkAllowlist, many...), []string{"It may send requests to h00.example.com, h01.example.com, h02.example.com, " +
			"h03.example.com, h04.example.com, h05.example.com, h06.example.com, h07.example.com, h08.example.com, h09.example.com, h10.example.com, " +
			"h11.example.com and 8 more hosts.", "It cannot touch files."}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, c.posture.Effect())
		})
	}
	var none *toolspec.Posture
	assert.Empty(t, none.Effect())
}

// What is served says what its posture says, and a Go tool, which nothing holds,
// says nothing.
func TestDefinitionEffect(t *testing.T) {
	b := newBench(t, nil)
	passed := admit(t, b.Studio, parse(t, echoSpec))
	assert.Equal(t, []string{"It cannot touch files.", "It cannot use the network."}, passed.Definition().Posture.Effect())
	assert.Equal(t, passed.Posture().Effect(), passed.Definition().Posture.Effect())
	tool, err := toolspec.Func("now", "Tells the time.", func(context.Context, struct{}) (string, error) { return "", nil }, nil)
	require.NoError(t, err)
	assert.Nil(t, tool.Definition().Posture)
}

package toolhost_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/internal/config"
	"github.com/localpass/localpass/examples/internal/toolhost"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

// What tools may do by the configuration: the defaults are the shipped baseline, without
// a ceiling.
func TestHost(t *testing.T) {
	host := func(args ...string) *toolspec.Host {
		c, err := config.Load(config.MCPServer, append(args, "-home", t.TempDir()), secret.Map(nil))
		require.NoError(t, err)
		return toolhost.Host(&c.Tools)
	}
	assert.Equal(t, &toolspec.Host{Baseline: toolspec.Baseline{Limits: toolspec.Limits{Timeout: 30 * time.Second}}}, host())
	got := host("-tool-timeout", "2s", "-set", "tools.statements=500000", "-set", "tools.baseline.network=strict", "-set", "tools.baseline.hosts=a.example,b.example", "-set", "tools.baseline.files=read")
	assert.Equal(t, toolspec.Baseline{AllowNetwork: true, NetworkMode: toolspec.NetworkStrict, AllowedHosts: []string{"a.example", "b.example"}, FileRead: true,
		Limits: toolspec.Limits{Timeout: 2 * time.Second, Statements: 500_000}}, got.Baseline)
	assert.Nil(t, got.Ceiling)
	assert.Equal(t, &toolspec.Ceiling{NetworkMode: toolspec.NetworkAllowlist, Hosts: []string{"*.example.com"}},
		host("-set", "tools.ceiling.network=allowlist", "-set", "tools.ceiling.hosts=*.example.com").Ceiling)
	assert.Equal(t, &toolspec.Ceiling{FileRead: true, FileWrite: true, MaxLevel: toolspec.L4}, host("-set", "tools.ceiling.files=write", "-set", "tools.ceiling.level=L4").Ceiling)
	assert.Equal(t, &toolspec.Ceiling{}, host("-set", "tools.ceiling.network=off").Ceiling, "pure computation")
}

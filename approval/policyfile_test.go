package approval_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

const policyFile = `{
  "version": 1,
  "policies": [
    {"serverId": "", "toolName": "hash", "side": "server", "policy": "ALWAYS_ALLOW", "overridesRequired": true},
    {"serverId": "files", "toolName": "*", "policy": "ASK_USER", "rules": [
      {"pointer": "/path", "operator": "under", "value": "/srv/shared", "not": true, "effect": "deny", "reason": "only the shared folder"}
    ]},
    {"serverId": "*", "toolName": "*", "side": "studio", "policy": "ALWAYS_DENY"}
  ]
}`

func TestPolicyFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "policies.json")
	require.NoError(t, os.WriteFile(name, []byte(policyFile), 0o600))
	policies, err := approval.LoadPolicyFile(name)
	require.NoError(t, err)
	require.Len(t, policies, 3)
	assert.True(t, policies[0].Fixed)

	g := newGate(t, approval.Options{Fixed: policies})
	c := call(tool("hash", toolspec.L0, true), `{}`)
	c.Side = approval.SideServer
	assert.Equal(t, 9, deciding(t, g, c).Number)
	c.Side = approval.SideStudio
	assert.Equal(t, 2, deciding(t, g, c).Number)
	c = call(tool("read", toolspec.L1, false), `{"path":"/etc"}`)
	c.Server = "files"
	row := deciding(t, g, c)
	assert.Equal(t, 4, row.Number)
	assert.Contains(t, row.Detail, "only the shared folder")

	// A stored policy can forbid more than the file, and cannot allow more.
	c = call(tool("hash", toolspec.L0, true), `{}`)
	c.Side = approval.SideServer
	set(t, g, policy("", "hash", "", approval.AlwaysDeny))
	assert.Equal(t, 3, deciding(t, g, c).Number)
	c.Side = approval.SideStudio
	set(t, g, policy("", "hash", approval.SideStudio, approval.AlwaysAllow))
	assert.Equal(t, 2, deciding(t, g, c).Number)
}

func TestPolicyFileErrors(t *testing.T) {
	entry := func(s string) string { return `{"version":1,"policies":[` + s + `]}` }
	for want, text := range map[string]string{
		"not one JSON value":                            `{"version":1`,
		"not one JSON value: ":                          policyFile + policyFile,
		`unknown member "policy"`:                       `{"version":1,"policy":[]}`,
		`unknown member "policies[0].tool"`:             entry(`{"serverId":"s","tool":"t","policy":"ASK_USER"}`),
		`unknown member "policies[0].by"`:               entry(`{"serverId":"s","toolName":"t","policy":"ASK_USER","by":{}}`),
		`unknown member "policies[0].rules[0].Pointer"`: entry(`{"serverId":"s","toolName":"t","policy":"ASK_USER","rules":[{"Pointer":""}]}`),
		"occurs twice":                                  entry(`{"serverId":"s","serverId":"t","toolName":"t","policy":"ASK_USER"}`),
		"version":                                       `{"version":2,"policies":[]}`,
		"version: this program":                         `{"policies":[]}`,
		"policies[0].policy":                            entry(`{"serverId":"s","toolName":"t"}`),
		"policies[0].side":                              entry(`{"serverId":"s","toolName":"t","policy":"ALWAYS_ALLOW"}`),
		"policies[0].rules[0].effect":                   entry(`{"serverId":"s","toolName":"t","policy":"ASK_USER","rules":[{"pointer":"/a","operator":"absent","effect":"allow"}]}`),
		"policies[1]: is for":                           entry(`{"serverId":"s","toolName":"t","policy":"ASK_USER"},{"serverId":"s","toolName":"t","policy":"ALWAYS_DENY"}`),
		"larger than":                                   `{"version":1,` + strings.Repeat(" ", 1<<20) + `"policies":[]}`,
		"cannot unmarshal":                              `{"version":1,"policies":{}}`,
	} {
		_, err := approval.ParsePolicies([]byte(text))
		assert.ErrorContains(t, err, strings.TrimSuffix(want, ": "), want)
	}
	_, err := approval.LoadPolicyFile(filepath.Join(t.TempDir(), "none.json"))
	assert.ErrorIs(t, err, os.ErrNotExist)
	none, err := approval.ParsePolicies([]byte(`{"version":1,"policies":[]}`))
	require.NoError(t, err)
	assert.Empty(t, none)
}

// Any policy file is read or refused. A file that is read can be used and round-trips.
func FuzzPolicyFile(f *testing.F) {
	f.Add([]byte(policyFile))
	f.Add([]byte(`{"version":1,"policies":[{"serverId":"*","toolName":"*","policy":"ASK_USER"}]}`))
	f.Add([]byte(`{"version":1,"policies":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		policies, err := approval.ParsePolicies(data)
		if err != nil {
			assert.Empty(t, policies)
			return
		}
		for _, p := range policies {
			if p.Effect == approval.AlwaysAllow {
				assert.NotEqual(t, approval.Any, p.Server)
				assert.NotEmpty(t, p.Side)
			}
		}
		_, err = approval.NewPolicies(memory.New(), approval.Options{Fixed: policies})
		assert.NoError(t, err)
	})
}

// Any rule compiles or is refused, and for any arguments exactly one row decides.
func FuzzRules(f *testing.F) {
	f.Add("/path", "under", `"/srv"`, `{"path":"/srv/../etc"}`, true)
	f.Add("/u", "host", `"*.example.com"`, `{"u":["https://a.example.com",7]}`, false)
	f.Add("/a/0/b~1c", "oneOf", `[1,"x",null]`, `{"a":[{"b/c":1e2}]}`, true)
	f.Add("", "equals", `{}`, `{}`, false)
	f.Add("/s", "matches", `"^a+$"`, `{"s":"\ud800"}`, false)
	f.Fuzz(func(t *testing.T, pointer, operator, value, arguments string, not bool) {
		r := rule(pointer, approval.Operator(operator), value, approval.EffectDeny)
		r.Not = not
		p := policy("", "t", approval.SideChat, approval.AlwaysAllow)
		p.Rules = []approval.Rule{r}
		g, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true, Fixed: []approval.Policy{p}})
		if err != nil {
			return
		}
		defer g.Close()
		rows := g.Explain(t.Context(), call(tool("t", toolspec.L0, false), arguments))
		if len(rows) == 1 {
			assert.Equal(t, approval.EffectDeny, rows[0].Effect)
			return
		}
		assert.Contains(t, []int{4, 9}, deciding(t, g, call(tool("t", toolspec.L0, false), arguments)).Number)
	})
}

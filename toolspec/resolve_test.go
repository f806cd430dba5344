package toolspec_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
)

func TestResolveShippedBaseline(t *testing.T) {
	p, problems := toolspec.New("x").Resolve(nil)
	require.Empty(t, problems)
	assert.Equal(t, toolspec.NetworkPosture{Mode: toolspec.NetworkBlocked, Hosts: []string{}}, p.Network)
	assert.False(t, p.FileRead || p.FileWrite || p.Destructive)
	assert.Empty(t, p.FSBasePath)
	assert.Len(t, p.AllowClasses, 5)
	assert.Len(t, p.DenyClasses, 12)
	assert.Equal(t, toolspec.Limits{Timeout: 30 * time.Second}, p.Limits)
}

func TestResolve(t *testing.T) {
	network := toolspec.Baseline{AllowNetwork: true, AllowedHosts: []string{"Base.Example."}, FileRead: true, FSBasePath: "/base",
		Limits: toolspec.Limits{Timeout: 5 * time.Second, Statements: 100}}
	for name, tc := range map[string]struct {
		host      toolspec.Host
		overrides string
		check     func(t *testing.T, p *toolspec.Posture)
	}{
		"inherits": {toolspec.Host{Baseline: network}, `{}`, func(t *testing.T, p *toolspec.Posture) {
			assert.Equal(t, toolspec.NetworkPosture{Mode: toolspec.NetworkStrict, Hosts: []string{}}, p.Network)
			assert.True(t, p.FileRead)
			assert.False(t, p.FileWrite)
			assert.Equal(t, "/base", p.FSBasePath)
			assert.Equal(t, toolspec.Limits{Timeout: 5 * time.Second, Statements: 100}, p.Limits)
		}},
		"switches off": {toolspec.Host{Baseline: network}, `{"fileRead":false,"networkMode":"blocked"}`, func(t *testing.T, p *toolspec.Posture) {
			assert.False(t, p.FileRead)
			assert.Equal(t, toolspec.NetworkBlocked, p.Network.Mode)
		}},
		"hosts are a set": {toolspec.Host{Baseline: network}, `{"networkMode":"allowlist","hostsAllow":["z.example","A.example:8443","z.EXAMPLE.","*.b.example"]}`, func(t *testing.T, p *toolspec.Posture) {
			assert.Equal(t, []string{"*.b.example", "a.example:8443", "base.example", "z.example"}, p.Network.Hosts)
		}},
		"hosts of another mode": {toolspec.Host{Baseline: network}, `{"networkMode":"open","hostsAllow":["z.example"]}`, func(t *testing.T, p *toolspec.Posture) {
			assert.Empty(t, p.Network.Hosts)
		}},
		"addresses": {toolspec.Host{}, `{"networkMode":"allowlist","hostsAllow":["::1","[::1]:80","127.0.0.1:80"]}`, func(t *testing.T, p *toolspec.Posture) {
			assert.Equal(t, []string{"127.0.0.1:80", "::1", "[::1]:80"}, p.Network.Hosts)
		}},
		"own base path": {toolspec.Host{Baseline: network}, `{"fsBasePath":"/own","destructive":true,"fileWrite":true}`, func(t *testing.T, p *toolspec.Posture) {
			assert.Equal(t, "/own", p.FSBasePath)
			assert.True(t, p.Destructive && p.FileWrite)
		}},
		"blank base path": {toolspec.Host{Baseline: network}, `{"fsBasePath":" "}`, func(t *testing.T, p *toolspec.Posture) {
			assert.Equal(t, "/base", p.FSBasePath)
		}},
		"classes": {toolspec.Host{Baseline: toolspec.Baseline{AllowClasses: []string{"b", "a"}, DenyClasses: []string{"d", "c"}}},
			`{"addAllowClasses":["e","a"],"removeAllowClasses":["b"],"addDenyClasses":["f"],"removeDenyClasses":["c","f"]}`, func(t *testing.T, p *toolspec.Posture) {
				assert.Equal(t, []string{"a", "e"}, p.AllowClasses)
				assert.Equal(t, []string{"d"}, p.DenyClasses)
			}},
		"profiles, the root first": {toolspec.Host{Profile: "leaf", Baseline: toolspec.Baseline{AllowNetwork: true}, Profiles: map[string]toolspec.Profile{
			"leaf": {Extends: "mid", NetworkMode: toolspec.NetworkAllowlist, Timeout: 2500 * time.Millisecond},
			"mid":  {Extends: "root", FileMode: "read", Statements: 7, Hosts: []string{"mid.example"}, Timeout: time.Hour},
			"root": {FileMode: "read+write", Statements: 9, Hosts: []string{"root.example"}, AllowClasses: []string{"x.Y"}, DenyClasses: []string{"x.Z"}, Level: "L3"},
		}}, `{}`, func(t *testing.T, p *toolspec.Posture) {
			assert.Equal(t, toolspec.NetworkPosture{Mode: toolspec.NetworkAllowlist, Hosts: []string{"mid.example", "root.example"}}, p.Network)
			assert.True(t, p.FileRead)
			assert.False(t, p.FileWrite)
			assert.Equal(t, toolspec.Limits{Timeout: 2 * time.Second, Statements: 7}, p.Limits)
			assert.Contains(t, p.AllowClasses, "x.Y")
			assert.Contains(t, p.DenyClasses, "x.Z")
		}},
		"a profile does not allow the network": {toolspec.Host{Profile: "p", Profiles: map[string]toolspec.Profile{"p": {NetworkMode: toolspec.NetworkOpen, FileMode: "off", Timeout: 1}}}, `{}`,
			func(t *testing.T, p *toolspec.Posture) {
				assert.Equal(t, toolspec.NetworkBlocked, p.Network.Mode)
				assert.Equal(t, time.Second, p.Limits.Timeout, "at least a second")
			}},
	} {
		t.Run(name, func(t *testing.T) {
			spec := withOverrides(t, tc.overrides)
			before := save(t, spec)
			p, problems := spec.Resolve(&tc.host)
			require.NoError(t, problems.Err())
			tc.check(t, p)
			assert.Equal(t, before, save(t, spec), "the spec is left alone")
		})
	}
	assert.Equal(t, []string{"Base.Example."}, network.AllowedHosts, "the host is left alone")
}

func chainOf(n int) map[string]toolspec.Profile {
	profiles := map[string]toolspec.Profile{}
	for i := range n {
		p := toolspec.Profile{}
		if i > 0 {
			p.Extends = fmt.Sprint("p", i-1)
		}
		profiles[fmt.Sprint("p", i)] = p
	}
	return profiles
}

func TestResolveRefusesBrokenHosts(t *testing.T) {
	profile := func(p toolspec.Profile) *toolspec.Host {
		return &toolspec.Host{Profile: "p", Profiles: map[string]toolspec.Profile{"p": p}}
	}
	for want, host := range map[string]*toolspec.Host{
		`the host has no profile "p"; define it, or name another`:                                                 {Profile: "p"},
		`the host's profile "p" extends "q", which is not defined; define it`:                                     profile(toolspec.Profile{Extends: "q"}),
		`the host's profile "p" extends itself by way of "p"; break the circle`:                                   profile(toolspec.Profile{Extends: "p"}),
		`the host's profile "p9" extends more than 8 others; shorten the chain`:                                   {Profile: "p9", Profiles: chainOf(10)},
		`the host's profile "p" has the file mode "write"; use off, read or read+write`:                           profile(toolspec.Profile{FileMode: "write"}),
		`the host's profile "p" has the network mode "custom"; use blocked, allowlist, strict or open`:            profile(toolspec.Profile{NetworkMode: "custom"}),
		`the host's profile "p" asks for interop, native access or threads, which do not exist here; remove that`: profile(toolspec.Profile{CreateThread: true}),
		`the host's baseline has the network mode "on"; use blocked, allowlist, strict or open`:                   {Baseline: toolspec.Baseline{NetworkMode: "on"}},
	} {
		p, problems := toolspec.New("x").Resolve(host)
		assert.Nil(t, p)
		require.Len(t, problems, 1)
		assert.Equal(t, "RESOLVER_REJECT: "+want, problems[0].Error())
		assert.Equal(t, toolspec.LevelUnknown, toolspec.New("x").Risk(host).Level)
	}
	_, problems := toolspec.New("x").Resolve(&toolspec.Host{Profile: "p8", Profiles: chainOf(9)})
	assert.Empty(t, problems, "eight steps are fine")
}

func TestCeiling(t *testing.T) {
	open := toolspec.Ceiling{NetworkMode: toolspec.NetworkOpen, FileRead: true, FileWrite: true}
	hosts := toolspec.Ceiling{NetworkMode: toolspec.NetworkOpen, Hosts: []string{"*.Example.com", "api.other.net:443"}}
	for name, tc := range map[string]struct {
		ceiling   toolspec.Ceiling
		overrides string
		want      string // "" is granted
	}{
		"zero, pure":           {toolspec.Ceiling{}, `{}`, ""},
		"zero, network":        {toolspec.Ceiling{}, `{"networkMode":"allowlist"}`, "sandboxOverrides.networkMode: allowlist is more than this host permits: blocked"},
		"zero, reading":        {toolspec.Ceiling{}, `{"fileRead":true}`, "sandboxOverrides.fileRead: this host permits no reading of files"},
		"zero, writing":        {toolspec.Ceiling{}, `{"fileWrite":true}`, "sandboxOverrides.fileWrite: this host permits no writing of files"},
		"open":                 {open, `{"networkMode":"open","fileRead":true,"fileWrite":true}`, ""},
		"strict":               {toolspec.Ceiling{NetworkMode: toolspec.NetworkStrict}, `{"networkMode":"strict"}`, ""},
		"open above strict":    {toolspec.Ceiling{NetworkMode: toolspec.NetworkStrict}, `{"networkMode":"open"}`, "sandboxOverrides.networkMode: open is more than this host permits: strict"},
		"star within strict":   {toolspec.Ceiling{NetworkMode: toolspec.NetworkStrict}, `{"networkMode":"allowlist","hostsAllow":["*"]}`, ""},
		"star above allowlist": {toolspec.Ceiling{NetworkMode: toolspec.NetworkAllowlist}, `{"networkMode":"allowlist","hostsAllow":["a.example","*"]}`, `sandboxOverrides.hostsAllow[1]: "*" is not among the hosts that this host permits`},
		"any listed host":      {toolspec.Ceiling{NetworkMode: toolspec.NetworkAllowlist}, `{"networkMode":"allowlist","hostsAllow":["a.example"]}`, ""},
		"host below":           {hosts, `{"networkMode":"allowlist","hostsAllow":["api.example.com","example.com","*.sub.example.com","example.com:99","api.other.net:443"]}`, ""},
		"host beside":          {hosts, `{"networkMode":"allowlist","hostsAllow":["example.com","badexample.com"]}`, `sandboxOverrides.hostsAllow[1]: "badexample.com" is not among`},
		"port beside":          {hosts, `{"networkMode":"allowlist","hostsAllow":["api.other.net"]}`, `sandboxOverrides.hostsAllow[0]: "api.other.net" is not among`},
		"exact port":           {hosts, `{"networkMode":"allowlist","hostsAllow":["api.other.net:80"]}`, `sandboxOverrides.hostsAllow[0]: "api.other.net:80" is not among`},
		"exact host": {toolspec.Ceiling{NetworkMode: toolspec.NetworkAllowlist, Hosts: []string{"a.example"}}, `{"networkMode":"allowlist","hostsAllow":["A.example.","a.example:8443","b.a.example"]}`,
			`sandboxOverrides.hostsAllow[2]: "b.a.example" is not among`},
		"star beside":            {hosts, `{"networkMode":"allowlist","hostsAllow":["*"]}`, `sandboxOverrides.hostsAllow[0]: "*" is not among`},
		"strict with hosts":      {hosts, `{"networkMode":"strict"}`, "sandboxOverrides.networkMode: strict reaches more than the hosts that this host permits"},
		"strict with star":       {toolspec.Ceiling{NetworkMode: toolspec.NetworkOpen, Hosts: []string{"*"}}, `{"networkMode":"strict"}`, ""},
		"level":                  {toolspec.Ceiling{NetworkMode: toolspec.NetworkOpen, MaxLevel: toolspec.L3}, `{"networkMode":"open"}`, "sandboxOverrides: the level L4 is above L3, the most that this host permits: networkMode open: can reach any public host, and internal ones that the operator allows (L4)"},
		"level of classes":       {toolspec.Ceiling{MaxLevel: toolspec.L0}, `{"addAllowClasses":["a.B"]}`, "sandboxOverrides: the level L3 is above L0"},
		"level is fine":          {toolspec.Ceiling{NetworkMode: toolspec.NetworkOpen, MaxLevel: toolspec.L3}, `{"networkMode":"strict"}`, ""},
		"destructive by a level": {toolspec.Ceiling{MaxLevel: toolspec.L4}, `{"destructive":true}`, "the level L5 is above L4"},
	} {
		t.Run(name, func(t *testing.T) {
			p, problems := withOverrides(t, tc.overrides).Resolve(&toolspec.Host{Ceiling: &tc.ceiling})
			if tc.want == "" {
				require.NoError(t, problems.Err())
				assert.NotNil(t, p)
				return
			}
			assert.Nil(t, p)
			require.ErrorContains(t, problems.Err(), tc.want)
			assert.Equal(t, toolspec.CodeResolver, problems.Errors()[0].Code)
		})
	}
	_, problems := toolspec.New("x").Resolve(&toolspec.Host{Ceiling: &toolspec.Ceiling{},
		Baseline: toolspec.Baseline{AllowNetwork: true, NetworkMode: toolspec.NetworkAllowlist, AllowedHosts: []string{"a"}, FileRead: true}})

	require.Len(t, problems.Errors(), 2)
	assert.Contains(t, problems.Errors()[0].Remedy, "the host's baseline is above its own ceiling")
	_, problems = withOverrides(t, `{"networkMode":"weird"}`).Resolve(nil)
	assert.EqualError(t, problems.Err(), `RESOLVER_REJECT sandboxOverrides.networkMode: "weird" is no network mode; write blocked, allowlist, strict or open`)
}

func TestResolveClassOverlap(t *testing.T) {
	_, problems := withOverrides(t, `{"addAllowClasses":["java.lang.Thread","java.lang.System"],"removeDenyClasses":["java.lang.System"]}`).Resolve(nil)
	assert.EqualError(t, problems.Err(), "RESOLVER_REJECT sandboxOverrides: allowed and denied at once: java.lang.Thread; allow a class or deny it, not both")
	p, problems := withOverrides(t, `{"addAllowClasses":["a.B"]}`).Resolve(nil)
	assert.NotNil(t, p)
	require.Len(t, problems.Warnings(), 1)
	assert.Equal(t, "class-lists-inert", problems[0].Reason)
}

func TestResolveReadsTheRecordedBlock(t *testing.T) {
	resolve := func(block string, host *toolspec.Host) toolspec.Problems {
		spec := toolspec.New("x")
		spec.ToolSafety = json.RawMessage(block)
		_, problems := spec.Resolve(host)
		return problems
	}
	assert.Empty(t, resolve(`{"version":"1.0","runtime":{"javaInterop":false,"helpers":["safety.parser/v1"],"ecmaVersion":"2024"},"capabilities":{"network":{"mode":"blocked"}}}`, nil))
	assert.Empty(t, resolve(`no JSON`, nil), "Validate and the reader look at the shape")
	assert.Equal(t, "ecma-version", resolve(`{"runtime":{"ecmaVersion":"next"}}`, nil)[0].Reason)

	own := &toolspec.Host{Helpers: []string{"safety.fs/v2"}, Version: "1.4.0"}
	assert.NoError(t, resolve(`{"runtime":{"helpers":["safety.fs/v2"]}}`, own).Err())
	assert.EqualError(t, resolve(`{"runtime":{"helpers":["safety.fs/v2","safety.fs/v1"]}}`, own).Err(),
		`RESOLVER_REJECT toolSafety.runtime.helpers[1]: this runtime does not have "safety.fs/v1"; use one of safety.fs/v2`)
	for needed, older := range map[string]bool{"1.4.0": false, "1.4": false, "v1.3.9": false, "1.4.1": true, "2.0.0-rc.1+b": true, "soon": false} {
		problems := resolve(`{"runtime":{"id":"localpass/goja","minVersion":"`+needed+`"}}`, own)
		assert.Equal(t, older, problems.Err() != nil, needed)
		assert.NoError(t, resolve(`{"runtime":{"id":"spring-ai-playground/polyglot-js","minVersion":"`+needed+`"}}`, own).Err(), "of another runtime it is no number of ours")
	}

	drift := resolve(`{"capabilities":{"network":{"mode":"strict"},"fileRead":true,"fileWrite":true}}`, nil)
	require.Len(t, drift, 1)
	assert.Equal(t, toolspec.SeverityWarning, drift[0].Severity)
	assert.Contains(t, drift[0].Message, "network strict, here blocked; fileRead true, here false; fileWrite true, here false")
	spec := withOverrides(t, `{"networkMode":"allowlist","hostsAllow":["a.example"]}`)
	spec.ToolSafety = json.RawMessage(`{"capabilities":{"network":{"mode":"allowlist","hosts":[]}}}`)
	_, problems := spec.Resolve(nil)
	assert.Contains(t, problems[0].Message, "other hosts")
	spec.ToolSafety = json.RawMessage(`{"capabilities":{"network":{"mode":"allowlist","hosts":["A.example"]}}}`)
	_, problems = spec.Resolve(nil)
	assert.Empty(t, problems)
}

func TestPostureDigest(t *testing.T) {
	base := func() *toolspec.Posture {
		return &toolspec.Posture{Network: toolspec.NetworkPosture{Mode: toolspec.NetworkAllowlist, Hosts: []string{"a", "b"}}, FSBasePath: "/x",
			AllowClasses: []string{"a", "b"}, DenyClasses: []string{"c"}, Limits: toolspec.Limits{Timeout: time.Second}}
	}
	digest := base().Digest()
	assert.Len(t, digest, 64)
	same := base()
	same.Network.Hosts, same.AllowClasses = []string{"b", "a", "b"}, []string{"a", "b", "b"}
	assert.Equal(t, digest, same.Digest(), "order means nothing")
	assert.Equal(t, []string{"b", "a", "b"}, same.Network.Hosts, "left alone")
	seen := map[string]bool{digest: true}
	for _, change := range []func(p *toolspec.Posture){
		func(p *toolspec.Posture) { p.Network.Mode = toolspec.NetworkOpen },
		func(p *toolspec.Posture) { p.Network.Hosts = nil },
		func(p *toolspec.Posture) { p.FileRead = true },
		func(p *toolspec.Posture) { p.FileWrite = true },
		func(p *toolspec.Posture) { p.FSBasePath = "" },
		func(p *toolspec.Posture) { p.Destructive = true },
		func(p *toolspec.Posture) { p.AllowClasses = nil },
		func(p *toolspec.Posture) { p.DenyClasses = []string{"c", "d"} },
		func(p *toolspec.Posture) { p.Limits.Timeout = 2 * time.Second },
		func(p *toolspec.Posture) { p.Limits.Statements = 1 },
	} {
		p := base()
		change(p)
		assert.False(t, seen[p.Digest()])
		seen[p.Digest()] = true
	}
}

func TestToolSafety(t *testing.T) {
	spec := withOverrides(t, `{"networkMode":"allowlist","hostsAllow":["b.example","a.example"],"fileRead":true}`)
	spec.Code = "const r = await fetch(u); safety . fs.readText('x'); const h = safety?.parser; crypto.subtle; obj.atob; // btoa\nreturn 'TextEncoder';"
	p, problems := spec.Resolve(nil)
	require.Empty(t, problems)
	assert.Equal(t, `{"version":"1.0","runtime":{"id":"localpass/goja","minVersion":"0.1.0","ecmaVersion":"2024","javaInterop":false,`+
		`"helpers":["safety.fs/v1","safety.http/v1","safety.parser/v1","tool-safety-helpers/v1#crypto"],"console":true},`+
		`"category":{"source":"user","id":"CUSTOM"},"capabilities":{"network":{"mode":"allowlist","hosts":["a.example","b.example"]},"fileRead":true,"fileWrite":false}}`,
		string(p.ToolSafety(spec)))
	spec.ToolSafety = p.ToolSafety(spec)
	_, problems = spec.Resolve(nil)
	assert.Empty(t, problems, "our own record does not drift")
	for _, problem := range load(t, save(t, spec)).Validate(true) {
		assert.NotContains(t, problem.Pointer, "toolSafety")
	}
	spec.Code, spec.Category = "return btoa(x) + new TextDecoder()", "WEB"
	assert.Contains(t, string(p.ToolSafety(spec)), `"helpers":["tool-safety-helpers/v1#encoding"],"console":true},"category":{"source":"user","id":"WEB"}`)
	spec.Code = "return 1"
	assert.Contains(t, string(p.ToolSafety(spec)), `"helpers":[]`)
}

func TestAnnotations(t *testing.T) {
	spec := toolspec.New("x")
	assert.Equal(t, toolspec.Annotations{}, spec.Annotations(nil))
	for _, tc := range []struct {
		p                                toolspec.Posture
		readOnly, destructive, openWorld bool
	}{
		{toolspec.Posture{Network: toolspec.NetworkPosture{Mode: toolspec.NetworkBlocked}}, true, false, false},
		{toolspec.Posture{Network: toolspec.NetworkPosture{Mode: toolspec.NetworkStrict}, FileRead: true}, true, false, true},
		{toolspec.Posture{Network: toolspec.NetworkPosture{Mode: toolspec.NetworkBlocked}, FileWrite: true}, false, false, false},
		{toolspec.Posture{Destructive: true}, false, true, true},
	} {
		a := spec.Annotations(&tc.p)
		assert.Equal(t, []bool{tc.readOnly, tc.destructive, tc.openWorld}, []bool{*a.ReadOnly, *a.Destructive, *a.OpenWorld})
		assert.Nil(t, a.Idempotent)
	}
}

func TestInputSchema(t *testing.T) {
	spec := everyType()
	spec.Params[0].Required, spec.Params[0].Description = true, "a \"text\" <b>"
	spec.Params[1].Description = " \n"
	spec.Params = append(spec.Params, param("n", toolspec.TypeInteger, true))
	assert.Equal(t, `{"type":"object","properties":{"s":{"type":"string","description":"a \"text\" <b>"},"i":{"type":"integer"},"b":{"type":"boolean"},`+
		`"o":{"type":"object","additionalProperties":true},"a":{"type":"array","items":{}},"n":{"type":"integer"}},"required":["s","n"]}`, string(spec.InputSchema()))
	assert.Equal(t, `{"type":"object","properties":{},"required":[]}`, string(toolspec.New("x").InputSchema()))
}

func ExampleSpec_Resolve() {
	spec := toolspec.New("weather")
	spec.Overrides.NetworkMode = toolspec.NetworkAllowlist
	spec.Overrides.HostsAllow = []string{"wttr.in"}

	posture, _ := spec.Resolve(nil)
	fmt.Println(posture.Network.Mode, posture.Network.Hosts, posture.Limits.Timeout)

	_, problems := spec.Resolve(&toolspec.Host{Ceiling: &toolspec.Ceiling{}})
	fmt.Println(problems.Err())
	// Output:
	// allowlist [wttr.in] 30s
	// RESOLVER_REJECT sandboxOverrides.networkMode: allowlist is more than this host permits: blocked; ask for less, or let the operator raise the ceiling
}

// What a spec asks for is seen where the host refuses it too.
func TestRequestedPosture(t *testing.T) {
	spec := load(t, tiny("x"))
	spec.Overrides.NetworkMode = toolspec.NetworkStrict
	closed := &toolspec.Host{Ceiling: &toolspec.Ceiling{}}
	refused, _ := spec.Resolve(closed)
	require.Nil(t, refused)
	asked, err := spec.RequestedPosture(closed)
	require.NoError(t, err)
	assert.Equal(t, toolspec.NetworkStrict, asked.Network.Mode)

	permitted, problems := spec.Resolve(nil)
	require.Empty(t, problems)
	asked, err = spec.RequestedPosture(nil)
	require.NoError(t, err)
	assert.Equal(t, permitted, asked)

	_, err = (*toolspec.Spec)(nil).RequestedPosture(nil)
	assert.ErrorContains(t, err, "the spec is nil")
	_, err = spec.RequestedPosture(&toolspec.Host{Baseline: toolspec.Baseline{NetworkMode: "odd"}})
	assert.Error(t, err)
}

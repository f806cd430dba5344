package toolspec_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
)

func withOverrides(t *testing.T, overrides string) *toolspec.Spec {
	t.Helper()
	return load(t, `{"name":"x","code":"return 1;","codeType":"Javascript","sandboxOverrides":`+overrides+`}`)
}

// The worked examples of the specification, section 10.1, in its order.
var workedExamples = []struct {
	overrides string
	want      toolspec.Level
}{
	{`{}`, toolspec.L0},
	{`{"networkMode": "blocked"}`, toolspec.L0},
	{`{"networkMode": "allowlist", "hostsAllow": []}`, toolspec.L0},
	{`{"networkMode": "allowlist", "hostsAllow": ["api.example.com"]}`, toolspec.L3},
	{`{"networkMode": "allowlist", "hostsAllow": ["*.example.com"]}`, toolspec.L3},
	{`{"networkMode": "allowlist", "hostsAllow": ["api.example.com", "*"]}`, toolspec.L4},
	{`{"networkMode": "strict"}`, toolspec.L3},
	{`{"networkMode": "open"}`, toolspec.L4},
	{`{"networkMode": null, "hostsAllow": ["api.example.com"]}`, toolspec.L0},
	{`{"fileRead": true}`, toolspec.L3},
	{`{"fileRead": false}`, toolspec.L0},
	{`{"fileWrite": true}`, toolspec.L4},
	{`{"fileRead": true, "fileWrite": true}`, toolspec.L4},
	{`{"fileWrite": true, "destructive": true}`, toolspec.L5},
	{`{"destructive": true}`, toolspec.L5},
	{`{"destructive": false, "fileWrite": true}`, toolspec.L4},
	{`{"networkMode": "strict", "fileRead": true}`, toolspec.L3},
	{`{"networkMode": "strict", "fileWrite": true}`, toolspec.L4},
	{`{"networkMode": "open", "fileWrite": true, "destructive": true}`, toolspec.L5},
	{`{"removeDenyClasses": ["java.lang.Thread"]}`, toolspec.L3},
	{`{"removeDenyClasses": ["java.lang.Thread", "java.lang.ThreadGroup"]}`, toolspec.L3},
	{`{"removeDenyClasses": ["java.lang.Thread", "java.lang.ThreadGroup", "java.lang.Class"]}`, toolspec.L4},
	{`{"removeDenyClasses": ["java.lang.reflect.*"]}`, toolspec.L3},
	{`{"removeDenyClasses": ["java.lang.Runtime"]}`, toolspec.L5},
	{`{"removeDenyClasses": ["java.lang.ProcessBuilder", "java.util.spi.*"]}`, toolspec.L5},
	{`{"removeDenyClasses": ["com.example.NotInBaseline"]}`, toolspec.L0},
	{`{"removeDenyClasses": ["java.lang.Thread"], "addDenyClasses": ["java.lang.Thread"]}`, toolspec.L3},
	{`{"addDenyClasses": ["java.util.Random"]}`, toolspec.L0},
	{`{"removeAllowClasses": ["java.text.*"]}`, toolspec.L0},
	{`{"addAllowClasses": ["java.util.*"]}`, toolspec.L0},
	{`{"addAllowClasses": ["com.acme.Pure"]}`, toolspec.L3},
	{`{"addAllowClasses": ["java.net.URL"]}`, toolspec.L4},
	{`{"addAllowClasses": ["org.jsoup.Jsoup"]}`, toolspec.L4},
	{`{"addAllowClasses": ["java.io.File"]}`, toolspec.L4},
	{`{"addAllowClasses": ["java.io.FileReader"]}`, toolspec.L4},
	{`{"addAllowClasses": ["java.nio.file.Files"]}`, toolspec.L4},
	{`{"addAllowClasses": ["java.io.FileWriter"]}`, toolspec.L5},
	{`{"addAllowClasses": ["java.nio.channels.FileChannel"]}`, toolspec.L5},
	{`{"addAllowClasses": ["java.lang.reflect.Method"]}`, toolspec.L4},
	{`{"addAllowClasses": ["java.lang.RuntimeException"]}`, toolspec.L5},
	{`{"addAllowClasses": ["com.acme.Pure"], "removeAllowClasses": ["com.acme.Pure"]}`, toolspec.L0},
	{`{"networkMode": "allowlist", "hostsAllow": ["a.example"], "addAllowClasses": ["java.net.http.HttpClient"]}`, toolspec.L4},
	{`{"fileRead": true, "removeDenyClasses": ["java.lang.System"]}`, toolspec.L5},
}

func TestRiskOfWorkedExamples(t *testing.T) {
	require.Len(t, workedExamples, 43)
	for i, tc := range workedExamples {
		risk := withOverrides(t, tc.overrides).Risk(nil)
		assert.Equal(t, tc.want, risk.Level, "%d %s", i+1, tc.overrides)
		assert.Equal(t, tc.want == toolspec.L0, len(risk.Why) == 0, "%d: a level above L0 has a reason", i+1)
	}
}

func TestRiskSaysWhy(t *testing.T) {
	for overrides, want := range map[string][]string{
		`{}`: nil,
		`{"networkMode":"open","fileWrite":true,"destructive":true}`: {
			"networkMode open: can reach any public host, and internal ones that the operator allows (L4)", "fileWrite: can change files in its workspace (L4)", "destructive: can remove or relocate data (L5)"},
		`{"networkMode":"allowlist","hostsAllow":["d.example","c.example","b.example","a.example"],"fileRead":true}`: {
			"networkMode allowlist: can reach d.example, c.example, b.example and 1 more (L3)", "fileRead: can read files in its workspace (L3)"},
		`{"networkMode":"strict"}`:                       {"networkMode strict: can reach any public host (L3)"},
		`{"networkMode":"allowlist","hostsAllow":["*"]}`: {"networkMode allowlist with *: can reach any public host (L4)"},
		`{"networkMode":"all"}`:                          {`networkMode "all": is not known, so it counts as open (L4)`},
		`{"addAllowClasses":["a.B"],"removeDenyClasses":["java.lang.System"]}`: {
			"removeDenyClasses: takes the ban off java.lang.System (L5)", "addAllowClasses: allows a.B (L3)"},
	} {
		assert.Equal(t, want, withOverrides(t, overrides).Risk(nil).Why, overrides)
	}
}

// On a host that grants more than the shipped baseline the level must not
// understate what a tool can do.
func TestRiskOnAWiderHost(t *testing.T) {
	shippedAllow := []string{"java.lang.*", "java.math.*", "java.time.*", "java.util.*", "java.text.*"}
	for name, tc := range map[string]struct {
		host      toolspec.Host
		overrides string
		want      toolspec.Level
		why       string
	}{
		"zero host":                   {toolspec.Host{}, `{}`, toolspec.L0, ""},
		"network on":                  {toolspec.Host{Baseline: toolspec.Baseline{AllowNetwork: true}}, `{}`, toolspec.L3, "networkMode strict: can reach any public host, by the host's baseline (L3)"},
		"network on, open":            {toolspec.Host{Baseline: toolspec.Baseline{AllowNetwork: true, NetworkMode: toolspec.NetworkOpen}}, `{}`, toolspec.L4, ""},
		"network on, switched off":    {toolspec.Host{Baseline: toolspec.Baseline{AllowNetwork: true}}, `{"networkMode":"blocked"}`, toolspec.L0, ""},
		"mode without network":        {toolspec.Host{Baseline: toolspec.Baseline{NetworkMode: toolspec.NetworkOpen}}, `{}`, toolspec.L0, ""},
		"files on":                    {toolspec.Host{Baseline: toolspec.Baseline{FileRead: true, FileWrite: true}}, `{}`, toolspec.L4, "fileWrite: can change files in its workspace, by the host's baseline (L4)"},
		"files on, writing off":       {toolspec.Host{Baseline: toolspec.Baseline{FileRead: true, FileWrite: true}}, `{"fileWrite":false}`, toolspec.L3, ""},
		"asked for and there":         {toolspec.Host{Baseline: toolspec.Baseline{FileRead: true}}, `{"fileRead":true}`, toolspec.L3, "fileRead: can read files in its workspace (L3)"},
		"an allow entry more":         {toolspec.Host{Baseline: toolspec.Baseline{AllowClasses: append(shippedAllow, "java.io.FileWriter")}}, `{}`, toolspec.L5, ""},
		"the same lists, other order": {toolspec.Host{Baseline: toolspec.Baseline{AllowClasses: shippedAllow}}, `{}`, toolspec.L0, ""},
		"no deny entry":               {toolspec.Host{Baseline: toolspec.Baseline{DenyClasses: []string{}}}, `{}`, toolspec.L5, ""},
		"stricter lists":              {toolspec.Host{Baseline: toolspec.Baseline{AllowClasses: []string{}}}, `{}`, toolspec.L0, ""},
		"back to the shipped list":    {toolspec.Host{Baseline: toolspec.Baseline{AllowClasses: []string{}}}, `{"addAllowClasses":["java.util.*"]}`, toolspec.L3, ""},
		"by a profile":                {toolspec.Host{Profile: "p", Profiles: map[string]toolspec.Profile{"p": {FileMode: "readwrite"}}}, `{}`, toolspec.L4, ""},
		"broken configuration":        {toolspec.Host{Profile: "p"}, `{}`, toolspec.LevelUnknown, `the host has no profile "p"; define it, or name another`},
	} {
		t.Run(name, func(t *testing.T) {
			risk := withOverrides(t, tc.overrides).Risk(&tc.host)
			assert.Equal(t, tc.want, risk.Level)
			if tc.why != "" {
				assert.Equal(t, []string{tc.why}, risk.Why)
			}
		})
	}
}

// Asking for more never lowers the level, whatever was asked for before and
// whatever the host grants.
func TestRiskIsMonotonic(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	classes := []string{"a.B", "java.io.File", "java.io.FileWriter", "java.net.URL", "java.lang.System", "java.lang.Thread", "java.lang.Class",
		"java.lang.ThreadGroup", "java.util.*", "java.util.spi.*", "java.lang.reflect.*"}
	some := func(list []string) []string {
		var out []string
		for _, e := range list {
			if r.IntN(4) == 0 {
				out = append(out, e)
			}
		}
		return out
	}
	maybe := func() *bool {
		v := r.IntN(2) == 0
		if r.IntN(2) == 0 {
			return nil
		}
		return &v
	}
	modes := []toolspec.NetworkMode{"", toolspec.NetworkBlocked, toolspec.NetworkAllowlist, toolspec.NetworkStrict, toolspec.NetworkOpen}
	hosts := []string{"a.example", "b.example", "*"}
	yes := true
	widen := []func(o *toolspec.Overrides){
		func(o *toolspec.Overrides) { o.FileRead = &yes },
		func(o *toolspec.Overrides) { o.FileWrite = &yes },
		func(o *toolspec.Overrides) { o.Destructive = &yes },
		func(o *toolspec.Overrides) { o.NetworkMode = toolspec.NetworkOpen },
		func(o *toolspec.Overrides) {
			if o.NetworkMode == "" || o.NetworkMode == toolspec.NetworkBlocked {
				o.NetworkMode = toolspec.NetworkStrict
			}
		},
		func(o *toolspec.Overrides) { o.HostsAllow = append(o.HostsAllow, hosts[r.IntN(3)]) },
		func(o *toolspec.Overrides) {
			o.AddAllowClasses = append(o.AddAllowClasses, classes[r.IntN(len(classes))])
		},
		func(o *toolspec.Overrides) {
			o.RemoveDenyClasses = append(o.RemoveDenyClasses, classes[r.IntN(len(classes))])
		},
	}
	for range 5000 {
		host := &toolspec.Host{Baseline: toolspec.Baseline{FileRead: r.IntN(3) == 0, FileWrite: r.IntN(4) == 0}}
		if r.IntN(3) == 0 {
			host.Baseline.AllowClasses = some(classes)
			host.Baseline.DenyClasses = some(classes)
		}
		spec := toolspec.New("x")
		spec.Overrides = toolspec.Overrides{NetworkMode: modes[r.IntN(5)], HostsAllow: some(hosts), FileRead: maybe(), FileWrite: maybe(), Destructive: maybe(),
			AddAllowClasses: some(classes), RemoveAllowClasses: some(classes), AddDenyClasses: some(classes), RemoveDenyClasses: some(classes)}
		before := spec.Risk(host)
		wider := spec.Clone()
		step := r.IntN(len(widen))
		widen[step](&wider.Overrides)
		after := wider.Risk(host)
		require.False(t, before.Level.Exceeds(after.Level), "step %d: %v %v\n%+v\n%+v", step, before, after, spec.Overrides, host.Baseline)
	}
}

func ExampleSpec_Risk() {
	spec := toolspec.New("saveNote")
	yes := true
	spec.Overrides.FileWrite = &yes
	risk := spec.Risk(nil)
	fmt.Println(risk.Level, risk.Why)
	// Output: L4 [fileWrite: can change files in its workspace (L4)]
}

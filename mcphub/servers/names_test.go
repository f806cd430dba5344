package servers_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/mcphub/servers"
)

// refsOf makes tools of "server tool" texts.
func refsOf(pairs ...string) []servers.ToolRef {
	var refs []servers.ToolRef
	for _, p := range pairs {
		server, tool, _ := strings.Cut(p, " ")
		refs = append(refs, servers.ToolRef{Server: server, Tool: &servers.OfferedTool{Name: tool}})
	}
	return refs
}

func TestPrefixed(t *testing.T) {
	long := strings.Repeat("x", 80)
	for _, test := range []struct{ tools, names []string }{
		{[]string{"My.Server--1 get.Item"}, []string{"my_server_1_get_Item"}},
		{[]string{"MCP-Everything get-sum"}, []string{"mcp_everything_get-sum"}},
		{[]string{"--- x", "_a_ ü/y"}, []string{"s_x", "a___y"}},
		// Two servers whose ids come to the same.
		{[]string{"srv-1 search", "srv_1 search", "srv-1 other"}, []string{"srv_1_search_b91142c0", "srv_1_search_" + digestOf("srv_1", "search")[:8], "srv_1_other"}},
		{[]string{"srv-1 search"}, []string{"srv_1_search"}},
		// Of one server.
		{[]string{"s a.b", "s a/b"}, []string{"s_a_b_" + digestOf("s", "a.b")[:8], "s_a_b_" + digestOf("s", "a/b")[:8]}},
		// Server and tool run together.
		{[]string{"a_b c", "a b_c"}, []string{"a_b_c_" + digestOf("a_b", "c")[:8], "a_b_c_" + digestOf("a", "b_c")[:8]}},
		{[]string{"s " + long}, []string{"s_" + long[:53] + "_" + digestOf("s", long)[:8]}},
		{[]string{"s " + long[:62], "s " + long[:63]}, []string{"s_" + long[:62], "s_" + long[:53] + "_" + digestOf("s", long[:63])[:8]}},
		// A plain name that looks like one with digits gives way.
		{[]string{"srv-1 search", "srv_1 search", "srv-1 search_b91142c0"},
			[]string{"srv_1_search_b91142c0", "srv_1_search_" + digestOf("srv_1", "search")[:8], "srv_1_search_b91142c0_" + digestOf("srv-1", "search_b91142c0")[:8]}},
	} {
		assert.Equal(t, test.names, servers.Prefixed{}.Names(refsOf(test.tools...)), "%q", test.tools)
	}
}

func digestOf(server, tool string) string { return servers.NameDigest(server, tool) }

func TestNoPrefix(t *testing.T) {
	assert.Equal(t, []string{"a", "", "", "", ""}, servers.NoPrefix{}.Names(refsOf("x a", "x b", "y b", "y c.d", "y "+strings.Repeat("x", 65))))
}

var everybodyTakes = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// checkNames holds names against what a Namer promises.
func checkNames(t testing.TB, tools []servers.ToolRef) {
	t.Helper()
	names := servers.Prefixed{}.Names(tools)
	byTool := map[string]string{}
	used := map[string]string{}
	for i, ref := range tools {
		key := ref.Server + "\x00" + ref.Tool.Name
		if _, again := byTool[key]; again {
			continue
		}
		byTool[key] = names[i]
		if !everybodyTakes.MatchString(names[i]) {
			t.Fatalf("%q is named %q", key, names[i])
		}
		if other, taken := used[names[i]]; taken {
			t.Fatalf("%q and %q are both named %q", other, key, names[i])
		}
		used[names[i]] = key
	}
	shuffled := append([]servers.ToolRef{}, tools...)
	rand.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	for i, name := range (servers.Prefixed{}).Names(shuffled) {
		key := shuffled[i].Server + "\x00" + shuffled[i].Tool.Name
		if byTool[key] != name {
			t.Fatalf("%q is named %q, and in another order %q", key, byTool[key], name)
		}
	}
}

func TestPrefixedOfMany(t *testing.T) {
	parts := []string{"a", "A", "b", ".", "-", "_", "é", "\x00", "1", strings.Repeat("long", 12)}
	word := func() (s string) {
		for range 1 + rand.IntN(4) {
			s += parts[rand.IntN(len(parts))]
		}
		return s
	}
	for range 200 {
		seen := map[string]bool{}
		var refs []servers.ToolRef
		for range 60 {
			server, tool := word(), word()
			if !seen[server+"\x00"+tool] {
				seen[server+"\x00"+tool] = true
				refs = append(refs, servers.ToolRef{Server: server, Tool: &servers.OfferedTool{Name: tool}})
			}
		}
		checkNames(t, refs)
	}
}

func FuzzPrefixed(f *testing.F) {
	f.Add("srv-1", "search", "srv_1", "search", "search_b91142c0")
	f.Add("", "", "-", ".", strings.Repeat("é", 70))
	f.Add("a_b", "c", "a", "b_c", "\xff\x00")
	f.Fuzz(func(t *testing.T, s1, t1, s2, t2, t3 string) {
		seen := map[string]bool{}
		var refs []servers.ToolRef
		for _, s := range []string{s1, s2} {
			if strings.ContainsRune(s, 0) {
				return // an id holds no zero byte
			}
			for _, name := range []string{t1, t2, t3} {
				if key := s + "\x00" + name; !seen[key] {
					seen[key] = true
					refs = append(refs, servers.ToolRef{Server: s, Tool: &servers.OfferedTool{Name: name}})
				}
			}
		}
		checkNames(t, refs)
	})
}

func TestToolFilters(t *testing.T) {
	yes := true
	refs := refsOf("a x", "a y", "b x")
	refs[1].Tool.Annotations.ReadOnly = &yes
	for name, test := range map[string]struct {
		filter servers.ToolFilter
		want   string
	}{
		"all":       {servers.All(), "111"},
		"any":       {servers.Any(), "000"},
		"server":    {servers.FromServers("b"), "001"},
		"named":     {servers.Named("x"), "101"},
		"named one": {servers.Named("a/x"), "100"},
		"not":       {servers.Not(servers.Named("x")), "010"},
		"read only": {servers.ReadOnly, "010"},
		"both":      {servers.All(servers.FromServers("a"), servers.Named("x")), "100"},
		"either":    {servers.Any(servers.FromServers("b"), servers.ReadOnly), "011"},
	} {
		got := ""
		for _, ref := range refs {
			got += map[bool]string{true: "1", false: "0"}[test.filter(ref)]
		}
		assert.Equal(t, test.want, got, name)
	}
}

func BenchmarkPrefixed(b *testing.B) {
	var refs []servers.ToolRef
	for i := range 1000 {
		refs = append(refs, refsOf(fmt.Sprintf("server-%d tool.%d", i%10, i))...)
	}
	b.ReportAllocs()
	for b.Loop() {
		servers.Prefixed{}.Names(refs)
	}
}

// A prefix stands for the id of the server in names, and names differ as ever.
func TestPrefixedWithPrefixes(t *testing.T) {
	ref := func(server, prefix, tool string) servers.ToolRef {
		return servers.ToolRef{Server: server, Prefix: prefix, Tool: &servers.OfferedTool{Name: tool}}
	}
	digits := func(server, tool string) string { return digestOf(server, tool)[:8] }
	long := strings.Repeat("n", 60)
	for name, test := range map[string]struct {
		tools []servers.ToolRef
		names []string
	}{
		"one":                   {[]servers.ToolRef{ref("My.Server", "fs", "read")}, []string{"fs_read"}},
		"as it is written":      {[]servers.ToolRef{ref("s", "my-fs_", "get.Item")}, []string{"my-fs__get_Item"}},
		"two servers share it":  {[]servers.ToolRef{ref("a", "fs", "read"), ref("b", "fs", "write")}, []string{"fs_read", "fs_write"}},
		"and a tool's name":     {[]servers.ToolRef{ref("a", "fs", "read"), ref("b", "fs", "read")}, []string{"fs_read_" + digits("a", "read"), "fs_read_" + digits("b", "read")}},
		"it is another's id":    {[]servers.ToolRef{ref("fs", "", "read"), ref("b", "fs", "read")}, []string{"fs_read_" + digits("fs", "read"), "fs_read_" + digits("b", "read")}},
		"more than 64 together": {[]servers.ToolRef{ref("a", "fs", long+"nnnn")}, []string{("fs_" + long)[:55] + "_" + digits("a", long+"nnnn")}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.names, servers.Prefixed{}.Names(test.tools))
		})
	}
}

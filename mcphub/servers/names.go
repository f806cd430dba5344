package servers

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// ToolRef describes a tool of a server to a [ToolFilter] or [Namer].
type ToolRef struct {
	// Server is the id of the server.
	Server string
	// Info is what the session negotiated. It is the zero value if the tool is known only
	// from the store, and nil in a Composition. Except for Info.Endpoint, it is the
	// server's claim.
	Info *client.SessionInfo
	Tool *OfferedTool
	// Prefix is the Prefix of the server's [Record]. Empty: none.
	Prefix string
}

// Namer gives names to the tools of several servers at once. The name of a tool may
// depend on the other tools, but not on their order or anything else. A name must match
// ^[A-Za-z0-9_-]{1,64}$, the strictest rule of any model provider, and be unique; a tool
// without a name or with an invalid one is left out.
type Namer interface {
	Names(tools []ToolRef) []string
}

// Prefixed is the default Namer. A name consists of the prefix (or, if there is none, the
// id) of the server, an underscore and the tool's name.
//
// In the id, capitals become lower case, every character except letters, digits and
// underscores becomes an underscore, and repeated underscores become one. In the tool's
// name, letters, digits, underscores and hyphens are kept, and every other character
// becomes an underscore. A name of more than 64 characters is cut to 55, and an
// underscore and 8 hex digits of the SHA-256 of the id, a zero byte and the tool's
// original name are appended. If several names are equal, all of them get these digits.
// For example, the tool get.Item of the server My.Server--1 becomes my_server_1_get_Item,
// unless another tool would get the same name.
type Prefixed struct{}

// NoPrefix is the Namer that leaves names unchanged. Tools with the same name, which
// would be ambiguous, and tools whose name model providers refuse are left out.
type NoPrefix struct{}

const (
	keptName = 55 // length of a name that gets digits: 55 + "_" + 8 is 64
)

// Names implements [Namer].
func (Prefixed) Names(tools []ToolRef) []string {
	names := make([]string, len(tools))
	digits := make([]int, len(tools)) // number of digits that each name has
	for i, t := range tools {
		names[i] = prefixedName(cmp.Or(t.Prefix, serverSlug(t.Server)), t.Tool.Name)
		if len(names[i]) > rpc.MaxToolName {
			digits[i] = 8
		}
	}
	sums := make([]string, len(tools))
	named := func(i int) string {
		if digits[i] == 0 {
			return names[i]
		}
		if sums[i] == "" {
			sums[i] = nameDigest(tools[i].Server, tools[i].Tool.Name)
		}
		kept := names[i]
		if most := keptName + 8 - digits[i]; len(kept) > most {
			kept = kept[:most]
		}
		return kept + "_" + sums[i][:digits[i]]
	}
	out := make([]string, len(tools))
	for {
		used := make(map[string]int, len(tools))
		plain := make(map[string]bool, len(tools))
		for i := range tools {
			out[i] = named(i)
			used[out[i]]++
			plain[out[i]] = plain[out[i]] || digits[i] == 0
		}
		changed := false
		for i, name := range out {
			// If a plain name is equal to a name with digits, the plain name gets digits
			// too. If all of them have digits, they get more digits.
			if used[name] > 1 && (!plain[name] || digits[i] == 0) && digits[i] < 32 {
				digits[i], changed = digits[i]+8, true
			}
		}
		if !changed {
			return out // if they are still equal, they are the same tool
		}
	}
}

func prefixedName(prefix, tool string) string {
	return prefix + "_" + strings.Map(func(r rune) rune {
		if r == '-' || isWord(r) {
			return r
		}
		return '_'
	}, tool)
}

func isWord(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// serverSlug returns the part of a tool's name that represents its server.
func serverSlug(server string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(server) {
		if !isWord(r) {
			r = '_'
		}
		if r == '_' && (b.Len() == 0 || strings.HasSuffix(b.String(), "_")) {
			continue
		}
		b.WriteRune(r)
	}
	return cmp.Or(strings.TrimRight(b.String(), "_"), "s")
}

// nameDigest distinguishes tools whose names are equal.
func nameDigest(server, tool string) string {
	sum := sha256.Sum256([]byte(server + "\x00" + tool))
	return hex.EncodeToString(sum[:])
}

// Names implements [Namer].
func (NoPrefix) Names(tools []ToolRef) []string {
	used := make(map[string]int, len(tools))
	for _, t := range tools {
		used[t.Tool.Name]++
	}
	out := make([]string, len(tools))
	for i, t := range tools {
		if used[t.Tool.Name] == 1 && rpc.IsModelToolName(t.Tool.Name) {
			out[i] = t.Tool.Name
		}
	}
	return out
}

// ToolFilter selects tools of servers. It must be fast and always return the same result
// for the same tool.
type ToolFilter func(ToolRef) bool

// All selects the tools that every filter selects; without filters, all tools.
func All(filters ...ToolFilter) ToolFilter {
	return func(t ToolRef) bool {
		for _, f := range filters {
			if !f(t) {
				return false
			}
		}
		return true
	}
}

// Any selects the tools that at least one filter selects; without filters, none.
func Any(filters ...ToolFilter) ToolFilter {
	return func(t ToolRef) bool {
		for _, f := range filters {
			if f(t) {
				return true
			}
		}
		return false
	}
}

// Not selects the tools that the filter does not select.
func Not(filter ToolFilter) ToolFilter { return func(t ToolRef) bool { return !filter(t) } }

// FromServers selects the tools of these servers.
func FromServers(ids ...string) ToolFilter {
	wanted := setOf(ids)
	return func(t ToolRef) bool { return wanted[t.Server] }
}

// Named selects the tools with these names, as their servers spell them. A name may be
// prefixed with the id of a server and a slash: "files/read".
func Named(names ...string) ToolFilter {
	wanted := setOf(names)
	return func(t ToolRef) bool { return wanted[t.Tool.Name] || wanted[t.Server+"/"+t.Tool.Name] }
}

// ReadOnly selects the tools that claim to change nothing. This is only a claim and no
// protection.
func ReadOnly(t ToolRef) bool {
	return t.Tool.Annotations.ReadOnly != nil && *t.Tool.Annotations.ReadOnly
}

func setOf(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, s := range list {
		set[s] = true
	}
	return set
}

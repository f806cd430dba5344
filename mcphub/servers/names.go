package servers

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// ToolRef is a tool of a server, for what chooses and names tools.
type ToolRef struct {
	// Server is the id of the server.
	Server string
	// Info is what the session agreed on; zero when the tool is known from the
	// store only. It is the server's claim, but for Info.Endpoint.
	Info *client.SessionInfo
	Tool *OfferedTool
	// Prefix is that of the server's record: see [Record]. Empty: none.
	Prefix string
}

// Namer gives names to the tools of several servers, all at once: what name a
// tool gets may depend on what others there are, and on nothing else. It must
// not depend on the order. A name must match ^[A-Za-z0-9_-]{1,64}$, the
// strictest rule of a model provider, and differ from the others; a tool without
// one, or with a bad one, is left out.
type Namer interface {
	Names(tools []ToolRef) []string
}

// Prefixed is the Namer that is used by default: the prefix or, where there is
// none, the id of the server, an underscore, the tool's name.
//
// Of the id capitals become small, what is not a letter, a digit or an
// underscore becomes an underscore, and several underscores one; of the tool's
// name the same signs and - stay as they are. A name of more than 64 characters
// is cut to 55 and followed by an underscore and 8 hex digits of the SHA-256 of
// the id, a zero byte and the tool's name as the server spells it. Where names
// are the same, all of them get these digits. So the tool get.Item of the server
// My.Server--1 is my_server_1_get_Item, whatever else there is that does not
// come to the same.
type Prefixed struct{}

// NoPrefix is the Namer that leaves names as they are. Tools of the same name,
// and those whose name no model provider would take, are left out: which of
// them is meant is not guessed.
type NoPrefix struct{}

const (
	keptName = 55 // of a name that gets digits: 55 + "_" + 8 is 64
)

// Names implements [Namer].
func (Prefixed) Names(tools []ToolRef) []string {
	names := make([]string, len(tools))
	digits := make([]int, len(tools)) // how many each has got
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
			// A plain name that looks like one with digits gives way. Where all
			// have digits, they get more of them.
			if used[name] > 1 && (!plain[name] || digits[i] == 0) && digits[i] < 32 {
				digits[i], changed = digits[i]+8, true
			}
		}
		if !changed {
			return out // what is the same even so is the same tool
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

// serverSlug is the part of a tool's name that represents its server.
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

// nameDigest distinguishes tools whose names do not differ.
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

// ToolFilter chooses among the tools of servers. It must be quick and always say
// the same of the same tool.
type ToolFilter func(ToolRef) bool

// All takes what every filter takes; with none, everything.
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

// Any takes what one of the filters takes; with none, nothing.
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

// Not takes what the filter does not take.
func Not(filter ToolFilter) ToolFilter { return func(t ToolRef) bool { return !filter(t) } }

// FromServers takes the tools of these servers.
func FromServers(ids ...string) ToolFilter {
	wanted := setOf(ids)
	return func(t ToolRef) bool { return wanted[t.Server] }
}

// Named takes the tools of these names, as their servers spell them. A name may
// be led by the id of a server and a slash: "files/read".
func Named(names ...string) ToolFilter {
	wanted := setOf(names)
	return func(t ToolRef) bool { return wanted[t.Tool.Name] || wanted[t.Server+"/"+t.Tool.Name] }
}

// ReadOnly takes the tools that say of themselves that they change nothing. That
// is a claim and no protection.
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

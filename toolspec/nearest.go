package toolspec

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/localpass/localpass/internal/canon/scan"
)

// This file guesses the intended name of a misspelt member.

// misspelt warns about members that have no effect but are named almost like a known
// member.
func (v *validator) misspelt(s *Spec) {
	var free []string // known members that the document does not have
	for i := range specMembers {
		if m := &specMembers[i]; m.empty(s) || m.name == "params" && len(s.Params) == 0 {
			free = append(free, m.name)
		}
	}
	const most = 1000
	names := sortedNames(s.Extra)
	for _, name := range names[:min(len(names), most)] {
		if meant := nearest(name, free); meant != "" {
			v.warn(scan.Join("", name), "member-misspelt", fmt.Sprintf("write %q", meant), "is no member that means something here; it is kept and has no effect")
		}
	}
}

// free returns the known members that a parameter does not have.
func (p *Param) free() []string {
	var out []string
	if strings.TrimSpace(p.Description) == "" {
		out = append(out, "description")
	}
	if p.TestValue == nil {
		out = append(out, "testValue")
	}
	if !p.AllowEmpty {
		out = append(out, memberAllowEmpty)
	}
	return out
}

// free returns the known members that the overrides do not have.
func (o *Overrides) free() []string {
	var out []string
	for _, m := range []struct {
		name  string
		there bool
	}{
		{"networkMode", o.NetworkMode != NetworkInherit}, {"hostsAllow", o.HostsAllow != nil}, {"fileRead", o.FileRead != nil},
		{"fileWrite", o.FileWrite != nil}, {"fsBasePath", o.FSBasePath != nil}, {"destructive", o.Destructive != nil},
		{"addAllowClasses", o.AddAllowClasses != nil}, {"removeAllowClasses", o.RemoveAllowClasses != nil},
		{"addDenyClasses", o.AddDenyClasses != nil}, {"removeDenyClasses", o.RemoveDenyClasses != nil},
	} {
		if !m.there {
			out = append(out, m.name)
		}
	}
	return out
}

// nearest returns the name that was probably intended; empty if there is none.
func nearest(name string, names []string) string {
	if len(name) > 40 { // no member has so long a name
		return ""
	}
	short := bareName(name)
	best, least := "", 3
	for _, candidate := range names {
		bare := bareName(candidate)
		if bare == bareName(otherWord(short)) {
			return candidate
		}
		d := levenshtein.ComputeDistance(short, bare)
		if swapped(short, bare) {
			d = 1
		}
		if d < least && (d == 0 || d == 1 && len(bare) > 3 || d == 2 && len(bare) > 5) {
			best, least = candidate, d
		}
	}
	return best
}

// otherWord maps the name of a member in other formats to its name here.
func otherWord(name string) string {
	switch name {
	case "parameters", "arguments", "args", "inputschema", "input":
		return "params"
	case "sandbox", "overrides", "permissions":
		return "sandboxOverrides"
	case "approval", "hitl":
		return "humanInTheLoop"
	case "variables", "env", "secrets":
		return "staticVariables"
	case "hosts", "allowedhosts", "allowhosts":
		return "hostsAllow"
	case "network":
		return "networkMode"
	case "read":
		return "fileRead"
	case "write":
		return "fileWrite"
	case "example":
		return "testValue"
	case "cases":
		return "x-tests"
	case "timeout":
		return "x-limits"
	case "desc":
		return "description"
	}
	return name
}

// bareName returns a name in lower case, without punctuation and the vendor prefix.
func bareName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == ' ' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(name, "x-"), "X-")))
}

// swapped reports whether two names differ only by two exchanged letters, the most
// frequent misspelling: "nmae".
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) - 1 {
		if a[i] != b[i] {
			return a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		}
	}
	return false
}

func sortedNames(m map[string]json.RawMessage) []string { return slices.Sorted(maps.Keys(m)) }

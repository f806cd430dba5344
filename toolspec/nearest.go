package toolspec

import (
	"fmt"
	"strings"

	"github.com/localpass/localpass/internal/canon/scan"
)

// This file guesses what a misspelt member was meant to be.

// misspelt warns of members that have no effect and nearly the name of one that
// would.
func (v *validator) misspelt(s *Spec) {
	var free []string // what the document does not have
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

// free lists the members that a parameter does not have.
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

// free lists the members that the overrides do not have.
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

// nearest finds the name that was probably meant; empty when there is none.
func nearest(name string, names []string) string {
	short := bareName(name)
	best, least := "", 3
	for _, candidate := range names {
		bare := bareName(candidate)
		if bare == bareName(otherWord(short)) {
			return candidate
		}
		d := distance(short, bare)
		if d < least && (d == 0 || d == 1 && len(bare) > 3 || d == 2 && len(bare) > 5) {
			best, least = candidate, d
		}
	}
	return best
}

// otherWord maps what other formats call a member to what it is called here.
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

// bareName is a name without case, signs and the mark of vendors.
func bareName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == ' ' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(name, "x-"), "X-")))
}

// distance counts the letters to add, drop, replace or swap to make one name of
// the other, up to three: what is further apart is not alike.
func distance(a, b string) int {
	const longest, far = 40, 3
	if len(a) > longest || len(b) > longest || len(a)-len(b) >= far || len(b)-len(a) >= far {
		return far
	}
	var before, last, now [longest + 1]int
	for j := range last {
		last[j], now[j] = j, far
	}
	for i := 1; i <= len(a); i++ {
		now = [longest + 1]int{}
		now[0] = i
		// Further from the diagonal the distance is too long already.
		first, end := max(1, i-far), min(len(b), i+far)
		if first > 1 {
			now[first-1] = far
		}
		for j := first; j <= end; j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			now[j] = min(last[j]+1, now[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				now[j] = min(now[j], before[j-2]+1)
			}
		}
		if end < len(b) {
			now[end+1] = far
		}
		before, last = last, now
	}
	return min(last[len(b)], far)
}

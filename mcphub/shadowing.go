package mcphub

import (
	"regexp"
	"slices"
	"strings"

	"github.com/localpass/localpass/mcphub/scan"
	"github.com/localpass/localpass/mcphub/servers"
)

// Rule is a shadowing rule: a reason why a member of a [Composition] is withheld for the sake of
// another tool.
type Rule string

// The rules.
const (
	// RuleAliasCollision: a member that was approved earlier has the name.
	RuleAliasCollision Rule = "R1_ALIAS_COLLISION"
	// RuleCrossServerReference: the served description tells the model to call a member of
	// another server. A description of the operator's own replaces it.
	RuleCrossServerReference Rule = "R2_CROSS_SERVER_REFERENCE"
	// RuleReservedName: the name belongs to a tool of this program.
	RuleReservedName Rule = "R4_RESERVED_NAME"
	// RuleConfusableAlias: the name can be taken for that of a tool of this program, or of a
	// member of another server that was approved earlier ([scan.LookAlike]).
	RuleConfusableAlias Rule = "R5_CONFUSABLE_ALIAS"
)

// Clash says which rule withholds a member, and the other tool: its name if it is one of this
// program, else "server/tool".
type Clash struct {
	Rule Rule   `json:"rule"`
	With string `json:"with"`
}

// shadows applies the rules to all members.
type shadows struct {
	reserved []string
	members  []Member
	names    []string
	looks    []string
	before   []int            // indices of the approved members, in the order of their approval
	named    map[string][]int // indices of the approved members by name in lower case, as it is and as it is served
}

func (c *Composition) shadowsOf(members []Member, names []string) *shadows {
	s := &shadows{reserved: c.opts.Reserved, members: members, names: names, looks: make([]string, len(names)), named: map[string][]int{}}
	for i := range members {
		s.looks[i] = scan.Skeleton(names[i])
		if members[i].Approved != "" {
			s.before = append(s.before, i)
			for _, name := range []string{members[i].Tool, names[i]} {
				name = strings.ToLower(name)
				s.named[name] = append(s.named[name], i)
			}
		}
	}
	slices.SortStableFunc(s.before, func(a, b int) int { return members[a].ApprovedAt.Compare(members[b].ApprovedAt) })
	return s
}

// of returns the state of an approved member that t is served for, and what it clashes with.
func (s *shadows) of(i int, t *servers.OfferedTool) (MemberState, *Clash) {
	for _, name := range s.reserved {
		if s.names[i] == name || s.looks[i] == scan.Skeleton(name) {
			return nameClash(s.names[i], name)
		}
	}
	m := &s.members[i]
	for _, j := range s.before {
		if j == i { // the others were approved later
			break
		}
		other := &s.members[j]
		switch {
		case s.names[j] == s.names[i]:
			return MemberNameTaken, &Clash{RuleAliasCollision, other.String()}
		case other.Server == m.Server:
		case s.looks[j] == s.looks[i],
			// Without an alias the operator's prefixes tell the two apart.
			(m.Alias != "" || other.Alias != "") && scan.LookAlike(s.looks[i], s.looks[j]):
			return MemberShadows, &Clash{RuleConfusableAlias, other.String()}
		}
	}
	text := m.Description
	if text == "" {
		text = t.Description
	}
	for _, name := range ordered(text) {
		for _, j := range s.named[name] {
			if other := &s.members[j]; other.Server != m.Server && !s.own(m.Server, name) {
				return MemberShadows, &Clash{RuleCrossServerReference, other.String()}
			}
		}
	}
	return MemberServed, nil
}

// own reports whether a server has a member with a name, as it is or as it is served.
func (s *shadows) own(server, name string) bool {
	return slices.ContainsFunc(s.named[name], func(i int) bool { return s.members[i].Server == server })
}

// nameClash returns the state of a member whose name is that of a tool of this program, or
// looks like it.
func nameClash(name, local string) (MemberState, *Clash) {
	if name == local {
		return MemberNameTaken, &Clash{RuleReservedName, local}
	}
	return MemberShadows, &Clash{RuleConfusableAlias, local}
}

// near is the greatest number of bytes between a verb and the name of the tool that it is about.
const near = 80

var (
	commands = regexp.MustCompile(`(?i)\b(?:use|call|invoke|run|trigger|delegate to|after that)\b`)
	mentions = regexp.MustCompile("[`'\"]?[A-Za-z0-9](?:[A-Za-z0-9_./-]{2,}[A-Za-z0-9])[`'\"]?")
)

// ordered returns, in lower case, the words of a text that can be names of tools and have a
// verb near that says to call them. A plain word counts only in quotation marks: any text can
// have such a word.
func ordered(text string) []string {
	var out []string
	for _, at := range mentions.FindAllStringIndex(text, -1) {
		word := text[at[0]:at[1]]
		name := strings.Trim(word, "`'\"")
		lower := strings.ToLower(name)
		plain := !strings.ContainsAny(name, "_-./0123456789") && name[1:] == lower[1:]
		if plain && len(word) != len(name)+2 {
			continue
		}
		if commands.MatchString(text[max(0, at[0]-near):min(len(text), at[1]+near)]) {
			out = append(out, lower)
		}
	}
	return out
}

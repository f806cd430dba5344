package toolspec

import (
	"slices"
	"strings"

	"github.com/localpass/localpass/internal/canon/scan"
	"github.com/localpass/localpass/toolspec/internal/hosts"
)

// maxHostLint is how many bytes of code are searched for addresses.
const maxHostLint = 256 << 10

// hostsUnused warns about hosts that the code never names, if all its addresses are
// literal: a host that the code computes or takes from an argument cannot be seen here. A
// mention in a comment counts, because authors note there that a server redirects to the
// host.
func (v *validator) hostsUnused(s *Spec, use *uses) {
	if s.Overrides.NetworkMode != NetworkAllowlist || use.unclear || use.dynamic || len(s.Code) > maxHostLint {
		return
	}
	var b strings.Builder
	b.WriteString(s.Code)
	for _, variable := range s.StaticVariables {
		b.WriteString("\n" + variable.Value)
	}
	text := strings.ToLower(b.String())
	var unused []int
	for i, rule := range s.Overrides.HostsAllow {
		if host := exactHost(rule); host != "" && !strings.Contains(text, host) {
			unused = append(unused, i)
		}
	}
	if len(unused) == 0 || !newAddresses(s).writtenOut() {
		return
	}
	for _, i := range unused {
		v.warn(scan.Index("sandboxOverrides.hostsAllow", i), "host-unused", "remove it, or say in a comment of the code what needs it, such as a redirect",
			"the code never names %s", excerpt(exactHost(s.Overrides.HostsAllow[i])))
	}
}

// exactHost returns the host of a rule that names exactly one host; empty for other
// rules.
func exactHost(rule string) string {
	_, host, _ := hosts.CutRule(hosts.Normal(rule))
	if host == "" || strings.Contains(host, "*") {
		return ""
	}
	host, _ = hosts.CutPort(host)
	return strings.Trim(host, "[]")
}

// addresses traces the arguments of fetch back to the literals in the code.
type addresses struct {
	code  string
	list  []token
	rules []string
	depth int
	// set holds, for each variable, the places where its assigned values begin.
	set map[string][]int
	// known holds the result for each variable; it is false while a variable is being
	// examined, so that cycles end.
	known map[string]bool
	cut   bool // not everything could be examined
}

func newAddresses(s *Spec) *addresses {
	a := &addresses{code: s.Code, list: slices.Collect(tokens(s.Code)), set: make(map[string][]int), known: make(map[string]bool)}
	for i, t := range a.list {
		if t.kind == tokenName && !t.member && a.sign(i+1) == "=" && a.sign(i+2) != "=" && a.sign(i+2) != ">" {
			a.set[t.text] = append(a.set[t.text], i+2)
		}
	}
	a.parameters()
	for _, rule := range s.Overrides.HostsAllow {
		_, host, _ := hosts.CutRule(hosts.Normal(rule))
		host, _ = hosts.CutPort(host)
		a.rules = append(a.rules, host)
	}
	return a
}

// parameters marks the parameters of functions as unknown: their values cannot be seen
// here.
func (a *addresses) parameters() {
	left := 4*len(a.list) + 100 // the budget, since nested lists are examined repeatedly
	var open []int
	for i := range a.list {
		switch {
		case a.list[i].kind == tokenName && a.sign(i+1) == "=" && a.sign(i+2) == ">":
			a.known[a.list[i].text] = false // x => …
		case a.sign(i) == "(":
			open = append(open, i)
		case a.sign(i) == ")" && len(open) > 0:
			start := open[len(open)-1]
			open = open[:len(open)-1]
			if a.sign(start-1) != "function" && a.sign(start-2) != "function" && (a.sign(i+1) != "=" || a.sign(i+2) != ">") {
				continue
			}
			for j := start; j < i && left > 0; j, left = j+1, left-1 {
				if a.list[j].kind == tokenName {
					a.known[a.list[j].text] = false
				}
			}
		}
	}
	a.cut = left <= 0
}

// writtenOut reports whether the code calls fetch, and always with an address whose host
// is a literal.
func (a *addresses) writtenOut() bool {
	calls := 0
	for i, t := range a.list {
		if t.kind != tokenName || t.text != "fetch" || t.member || t.key {
			continue
		}
		if a.sign(i+1) != "(" || !a.literal(i+2) {
			return false
		}
		calls++
	}
	return calls > 0 && !a.cut
}

// sign returns the token at i, unless it is a string.
func (a *addresses) sign(i int) string {
	if i < 0 || i >= len(a.list) || a.list[i].kind == tokenText {
		return ""
	}
	return a.list[i].text
}

// literal reports whether the expression at i is an address with a literal host.
func (a *addresses) literal(i int) bool {
	const deepest = 8
	if i >= len(a.list) || a.depth >= deepest {
		return false
	}
	a.depth++
	defer func() { a.depth-- }()
	t := a.list[i]
	switch {
	case t.kind == tokenText && t.text == "" && a.hole(t):
		return a.literal(i + 1) // `${base}/path`
	case t.kind == tokenText:
		return a.complete(t, i)
	case a.sign(i) == "(":
		return a.literal(i + 1)
	case a.sign(i) == "new" && a.sign(i+1) == "URL" && a.sign(i+2) == "(":
		return a.literal(i + 3)
	case t.kind != tokenName || t.member || a.sign(i+1) == "(":
		return false
	}
	return a.variable(t.text)
}

// variable reports whether all values that a variable is set to are such addresses.
func (a *addresses) variable(name string) bool {
	literal, known := a.known[name]
	if known {
		return literal
	}
	a.known[name] = false
	literal = len(a.set[name]) > 0 && !slices.ContainsFunc(a.set[name], func(i int) bool { return !a.literal(i) })
	a.known[name] = literal
	return literal
}

// hole reports whether a part of a template ends with "${".
func (a *addresses) hole(t token) bool {
	return a.code[t.offset] != '"' && a.code[t.offset] != '\'' && strings.HasPrefix(a.code[t.offset+1+len(t.text):], "${")
}

// complete reports whether a text contains the whole host of an address. If the text ends
// within what may be the beginning of a host, that must be one of the hosts that the spec
// lists.
func (a *addresses) complete(t token, i int) bool {
	_, host, ok := strings.Cut(strings.ToLower(t.text), "://")
	if !ok {
		return false
	}
	if end := strings.IndexAny(host, "/?#"); end >= 0 {
		return end > 0
	}
	goesOn := a.hole(t) || a.sign(i+1) == "+"
	host, _, _ = strings.Cut(host, ":")
	return host != "" && (!goesOn || slices.ContainsFunc(a.rules, func(rule string) bool { return hosts.Covers(rule, host) }))
}

package egress

import (
	"github.com/localpass/localpass/internal/clip"
	"net/netip"
	"slices"
	"strings"

	"github.com/localpass/localpass/toolspec"
)

// ModeCustom is the mode of a profile with a deny list: any public host that
// Policy.Deny does not name.
const ModeCustom toolspec.NetworkMode = "custom"

// Policy says where requests may be sent. The zero value allows none.
type Policy struct {
	// Mode blocked, or empty, allows nothing; allowlist allows what Rules match; strict,
	// custom and open allow every public host. Open also allows the internal hosts that
	// OperatorHosts opens to it, and a redirect from https to http.
	Mode toolspec.NetworkMode
	// Rules are the rules of the mode allowlist, in the form of [Rule]. Without rules,
	// nothing matches. In any other mode, which would ignore them, rules are an error.
	Rules []string
	// Deny lists rules for what is refused in every mode, whatever else allows it. A rule
	// with methods or a path refuses only those.
	Deny []string
	// OperatorHosts are exact hosts and addresses, with or without ports, that the
	// operator of this program allows; they may be internal. A name opens the addresses
	// to which it resolves, except cloud metadata addresses, which are opened only by the
	// address itself. Listing a host does not put it on the allowlist. [AnyInternal] in
	// the list opens all internal hosts.
	OperatorHosts []string
}

// AnyInternal in [Policy].OperatorHosts opens every internal host, but no cloud metadata
// address, to the mode open and to allowlist rules that name a host exactly. The modes
// strict and custom, and rules with a pattern, still reach only public addresses, because
// a name of a foreign owner could resolve to an internal address.
const AnyInternal = "internal"

// PolicyOf returns the policy for a tool's posture. operator lists the hosts that the
// operator allows in general, such as a baseline's AllowedHosts: exact hosts may be
// internal; patterns open no internal host.
func PolicyOf(n toolspec.NetworkPosture, operator []string) Policy {
	p := Policy{Mode: n.Mode, Rules: n.Hosts}
	for _, text := range operator {
		if text == AnyInternal {
			p.OperatorHosts = append(p.OperatorHosts, text)
			continue
		}
		if r, err := parseRule(text); err == nil && !r.below && r.host != "" {
			exact := Rule{host: r.host, ports: r.ports}
			p.OperatorHosts = append(p.OperatorHosts, exact.String())
		}
	}
	return p
}

// compiled is a policy in the form in which requests are checked.
type compiled struct {
	mode     toolspec.NetworkMode
	exact    map[string][]*Rule // by host
	wild     []*Rule            // below a domain, or any host
	deny     []*Rule
	operator []*Rule
	internal bool // AnyInternal is among the operator's hosts
}

func compile(p *Policy) (*compiled, *Error) {
	c := &compiled{mode: p.Mode}
	switch p.Mode {
	case "":
		c.mode = toolspec.NetworkBlocked
	case toolspec.NetworkBlocked, toolspec.NetworkAllowlist, toolspec.NetworkStrict, toolspec.NetworkOpen, ModeCustom:
	default:
		return nil, invalid(ReasonUnknownLevel, "the network mode "+clip.Quote(string(p.Mode), 80)+" is none; use blocked, allowlist, strict or open")
	}
	if len(p.Rules) > 0 && c.mode != toolspec.NetworkAllowlist {
		return nil, invalid(ReasonInvalidRule, "the mode "+string(c.mode)+" reads no rules; use allowlist")
	}
	rules, err := parseRules(p.Rules)
	if err != nil {
		return nil, err
	}
	for _, r := range rules {
		if r.below || r.host == "" {
			c.wild = append(c.wild, r)
			continue
		}
		if c.exact == nil {
			c.exact = make(map[string][]*Rule, len(rules))
		}
		c.exact[r.host] = append(c.exact[r.host], r)
	}
	if c.deny, err = parseRules(p.Deny); err != nil {
		return nil, err
	}
	named := slices.DeleteFunc(slices.Clone(p.OperatorHosts), func(text string) bool { return text == AnyInternal })
	c.internal = len(named) < len(p.OperatorHosts)
	if c.operator, err = parseRules(named); err != nil {
		return nil, err
	}
	for i, r := range c.operator {
		if r.below || r.host == "" || r.methods != nil || r.path != nil {
			return nil, invalid(ReasonInvalidRule, "operator host "+clip.Quote(named[i], 80)+" is not an exact host or address")
		}
	}
	return c, nil
}

func parseRules(texts []string) ([]*Rule, *Error) {
	var rules []*Rule
	for _, text := range texts {
		r, err := parseRule(text)
		if err != nil {
			return nil, err
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// key returns a key for the policy: policies with the same key permit the same requests.
func (p *Policy) key() string {
	var b strings.Builder
	b.WriteString(string(p.Mode))
	for _, list := range [...][]string{p.Rules, p.Deny, p.OperatorHosts} {
		list = slices.Clone(list)
		slices.Sort(list)
		b.WriteByte(0)
		for _, text := range slices.Compact(list) {
			b.WriteString(text)
			b.WriteByte(1)
		}
	}
	return b.String()
}

// downgrades reports whether a redirect may lead from https to http.
func (c *compiled) downgrades() bool { return c.mode == toolspec.NetworkOpen }

// judge checks everything that can be decided from the URL and method of a request.
func (c *compiled) judge(t *target, method, path string) *Error {
	if c.mode == toolspec.NetworkBlocked {
		return denied(ReasonNetworkBlocked, "this tool has no network")
	}
	for _, r := range c.deny {
		if r.matchHost(t) && r.matchMethod(method) && (r.path == nil || !safe(path) || r.matchPath(path)) {
			return denied(ReasonHostDenied, clip.Quote(t.name, 80)+" is on the deny list")
		}
	}
	if c.mode == toolspec.NetworkAllowlist {
		if err := c.allowed(t, method, path); err != nil {
			return err
		}
	}
	if t.addr.IsValid() {
		return c.judgeAddr(t, t.addr, ReasonLiteralPrivate)
	}
	if local(t.name) && !c.opened(t) {
		return denied(ReasonResolvedPrivate, clip.Quote(t.name, 80)+" is this machine, which is not reachable")
	}
	return nil
}

// safe reports whether a path has only one interpretation.
func safe(path string) bool {
	_, ok := split(path)
	return ok || path == ""
}

// local reports whether a name is reserved for the machine itself (RFC 6761).
func local(name string) bool {
	return name == "localhost" || strings.HasSuffix(name, ".localhost")
}

func (c *compiled) allowed(t *target, method, path string) *Error {
	hostFits, methodFits := false, false
	try := func(rules []*Rule) bool {
		for _, r := range rules {
			if !r.matchHost(t) {
				continue
			}
			hostFits = true
			if !r.matchMethod(method) {
				continue
			}
			methodFits = true
			if r.matchPath(path) {
				return true
			}
		}
		return false
	}
	switch {
	case try(c.exact[t.name]) || try(c.wild):
		return nil
	case !hostFits:
		return denied(ReasonHostNotAllowed, clip.Quote(t.hostport(), 80)+" is not a host that this tool declares")
	case !methodFits:
		return denied(ReasonMethodNotAllowed, method+" is not a method that this tool declares for "+clip.Quote(t.name, 80))
	}
	return denied(ReasonPathNotAllowed, "the path is not one that this tool declares for "+clip.Quote(t.name, 80))
}

// named reports whether the operator listed the host and port of t.
func (c *compiled) named(t *target) bool {
	return slices.ContainsFunc(c.operator, func(r *Rule) bool { return r.matchHost(t) })
}

// opened reports whether t may be internal: the operator listed it, or the operator
// opened all internal hosts and the tool requests this host by its exact name or has the
// mode open.
func (c *compiled) opened(t *target) bool {
	if c.named(t) {
		return true
	}
	return c.internal && (c.mode == toolspec.NetworkOpen ||
		slices.ContainsFunc(c.exact[t.name], func(r *Rule) bool { return r.matchHost(t) }))
}

// judgeAddr decides whether a connection for t may be made to addr. The reason says
// whether the address was in the URL or is the result of a lookup.
func (c *compiled) judgeAddr(t *target, addr netip.Addr, reason string) *Error {
	switch {
	case addr.Zone() != "":
		return refusedAddr(t, addr, reason, "an address with a zone")
	case metadata(addr) && !(t.addr.IsValid() && c.named(t)):
		return refusedAddr(t, addr, reason, "a metadata address")
	case Public(addr) || c.opened(t):
		return nil
	}
	return refusedAddr(t, addr, reason, "an address that is not public")
}

func refusedAddr(t *target, addr netip.Addr, reason, what string) *Error {
	verb := " is "
	if reason == ReasonResolvedPrivate {
		verb = " resolves to "
	}
	e := denied(reason, clip.Quote(t.name, 80)+verb+what)
	e.Detail = t.name + " -> " + addr.String()
	return e
}

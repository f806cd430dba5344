package toolspec

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/localpass/localpass/toolspec/internal/hosts"
)

// This file compares what two versions may do.

// inForce is the posture of a version, also where the host refuses it; refused
// then says why. It is nil when the host's own configuration is broken.
func (d *differ) inForce(s *Spec) (p *Posture, refused string) {
	p, problems := Resolve(s, d.host)
	if p != nil {
		return p, ""
	}
	refused = problems.Errors()[0].Text()
	if b, err := d.host.baseline(); err == nil {
		p = resolve(&s.Overrides, &b)
		p.Limits = p.Limits.lower(s.Limits)
	}
	return p, refused
}

func (d *differ) side(s *Spec) (*DiffSide, *Posture, string) {
	if s == nil {
		return nil, nil, ""
	}
	p, refused := d.inForce(s)
	side := &DiffSide{Name: s.Name, Level: RiskOf(s, d.host).Level, ContentHash: s.ContentHash()}
	if refused == "" {
		side.PostureHash = p.Digest()
	}
	return side, p, refused
}

func (d *differ) posture() {
	var before, after *Posture
	var wasRefused, isRefused string
	d.out.From, before, wasRefused = d.side(d.from)
	d.out.To, after, isRefused = d.side(d.to)
	if isRefused != "" {
		d.row("posture", "", "", "refused", DirectionWider, "This host refuses what it asks for, so it counts as wider: "+isRefused+".")
	}
	if wasRefused != "" {
		if d.to != nil {
			d.row("posture", "", "refused", "", DirectionChanged, "The version before could not run on this host, so all that this one may do counts as new: "+wasRefused+".")
		}
		before = nil
	}
	d.level()
	if d.to == nil || after != nil {
		// Nothing is what a run without any grant may do, in the host's own
		// workspace.
		nothing := &Posture{Network: NetworkPosture{Mode: NetworkBlocked}}
		if b, err := d.host.baseline(); err == nil {
			p := resolve(&Overrides{}, &b)
			nothing.FSBasePath, nothing.AllowClasses, nothing.DenyClasses, nothing.Limits = p.FSBasePath, p.AllowClasses, p.DenyClasses, p.Limits
		}
		if before == nil {
			before = nothing
		}
		if after == nil {
			after = nothing
		}
		d.network(&before.Network, &after.Network)
		d.grant("fileRead", before.FileRead, after.FileRead, "read files in its workspace")
		d.grant("fileWrite", before.FileWrite, after.FileWrite, "change files in its workspace")
		d.grant("destructive", before.Destructive, after.Destructive, "remove or relocate data")
		d.basePath(before, after)
	}
	d.variables()
	d.approval()
	if d.to == nil || after != nil {
		d.limits(before.Limits, after.Limits)
		d.classes(before, after)
	}
	d.unknownOverrides()
}

func (d *differ) level() {
	switch {
	case d.from == nil && d.to.isHarmless(d.host):
		d.row("level", "", "", d.out.To.Level.String(), DirectionChanged, "It is a new tool of level L0: pure computation.")
	case d.from == nil:
		d.row("level", "", "", d.out.To.Level.String(), DirectionWider, fmt.Sprintf("It is a new tool of level %v: %s.", d.out.To.Level, strings.Join(RiskOf(d.to, d.host).Why, ", ")))
	case d.to == nil:
		d.row("level", "", d.out.From.Level.String(), "", DirectionNarrower, fmt.Sprintf("A tool of level %v goes away.", d.out.From.Level))
	case d.out.To.Level != d.out.From.Level:
		before, after := d.out.From.Level, d.out.To.Level
		direction, verb := DirectionNarrower, "falls"
		if after.Exceeds(before) {
			direction, verb = DirectionWider, "rises"
		}
		text := fmt.Sprintf("The risk level %s from %v to %v", verb, before, after)
		if why := RiskOf(d.to, d.host).Why; len(why) > 0 {
			text += ": " + strings.Join(why, ", ")
		}
		d.row("level", "", before.String(), after.String(), direction, text+".")
	}
}

func (s *Spec) isHarmless(host *Host) bool { return RiskOf(s, host).Level == L0 }

func (d *differ) network(before, after *NetworkPosture) {
	if before.Mode != after.Mode {
		direction := DirectionNarrower
		if !after.Mode.known() || after.Mode.rank() > before.Mode.rank() {
			direction = DirectionWider
		}
		d.row("network", "", string(before.Mode), string(after.Mode), direction,
			fmt.Sprintf("It may reach %s; before it could reach %s.", reachText(after.Mode), reachText(before.Mode)))
	}
	if before.Mode == NetworkAllowlist || after.Mode == NetworkAllowlist {
		d.hosts(before, after)
	}
}

func reachText(m NetworkMode) string {
	switch m {
	case NetworkBlocked:
		return "nothing"
	case NetworkAllowlist:
		return "the hosts that it lists"
	case NetworkStrict:
		return "any public host"
	case NetworkOpen:
		return "any public host, and internal ones that the operator allows"
	}
	return "what nobody knows: the mode is none"
}

// everywhere stands for every host that the mode open can reach. It is not valid as a
// host rule.
const everywhere = "(anything)"

// reach gives what a network posture reaches as host rules.
func (n *NetworkPosture) reach() []string {
	switch n.Mode {
	case NetworkBlocked:
		return nil
	case NetworkAllowlist:
		return n.Hosts
	case NetworkStrict:
		return []string{hosts.Any}
	}
	return []string{everywhere}
}

func (d *differ) hosts(before, after *NetworkPosture) {
	was, is := before.reach(), after.reach()
	if slices.Equal(was, is) {
		return
	}
	inside := func(rules, within []string) bool {
		return !slices.ContainsFunc(rules, func(r string) bool {
			return !slices.ContainsFunc(within, func(w string) bool { return reaches(w, r) })
		})
	}
	const most = 1 << 20          // comparisons
	direction := DirectionChanged // the same, written otherwise
	switch {
	case len(is)*len(was) > most || !inside(is, was):
		direction = DirectionWider
	case !inside(was, is):
		direction = DirectionNarrower
	}
	var parts []string
	if added := minus(is, set(slices.Clone(was))); len(added) > 0 {
		parts = append(parts, "may now reach "+strings.Join(shownHosts(added), ", "))
	}
	if removed := minus(was, set(slices.Clone(is))); len(removed) > 0 {
		parts = append(parts, "no longer lists "+strings.Join(shownHosts(removed), ", "))
	}
	d.row("hosts", "", strings.Join(shownHosts(was), ", "), strings.Join(shownHosts(is), ", "), direction, "It "+strings.Join(parts, " and ")+".")
}

func shownHosts(rules []string) []string {
	out := make([]string, len(rules))
	for i, r := range rules {
		switch r {
		case hosts.Any:
			out[i] = "any public host"
		case everywhere:
			out[i] = "anything"
		default:
			out[i] = r
		}
	}
	return out
}

// reaches reports whether the rule outer surely permits all that inner does. A
// rule with a * reaches no internal address, while a name written out does where
// the operator has opened it; so such a rule does not contain a name that may be
// internal.
func reaches(outer, inner string) bool {
	if outer == everywhere || outer == inner {
		return true
	}
	if inner == everywhere || !hosts.Covers(outer, inner) {
		return false
	}
	_, host, _ := hosts.CutRule(outer)
	return !strings.HasPrefix(host, "*") || !maybeInternal(inner)
}

// maybeInternal reports whether a host rule names what lies within a network by
// its looks: an address, a name of one label, or one of the reserved domains.
func maybeInternal(rule string) bool {
	_, host, _ := hosts.CutRule(rule)
	host, _ = hosts.CutPort(host)
	if strings.HasPrefix(host, "*") {
		return false
	}
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil || !strings.Contains(host, ".") {
		return true
	}
	for _, domain := range []string{".localhost", ".local", ".internal", ".intranet", ".home.arpa", ".lan", ".home", ".corp", ".private"} {
		if strings.HasSuffix(host, domain) {
			return true
		}
	}
	return strings.Trim(host, "0123456789.") == "" // an odd spelling of an address
}

func yesNo(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}

func (d *differ) grant(field string, before, after bool, what string) {
	switch {
	case after && !before:
		d.row(field, "", yesNo(before), yesNo(after), DirectionWider, "It may "+what+".")
	case before && !after:
		d.row(field, "", yesNo(before), yesNo(after), DirectionNarrower, "It may no longer "+what+".")
	}
}

func (d *differ) basePath(before, after *Posture) {
	if before.FSBasePath == after.FSBasePath || !before.FileRead && !before.FileWrite && !after.FileRead && !after.FileWrite {
		return
	}
	direction := DirectionChanged
	if after.FileRead || after.FileWrite {
		// One directory below another may still be a link to elsewhere.
		direction = DirectionWider
	}
	name := func(path string) string {
		if path == "" {
			return "the workspace of the host"
		}
		return path
	}
	d.row("basePath", "", name(before.FSBasePath), name(after.FSBasePath), direction,
		fmt.Sprintf("Its files are in %s; before they were in %s.", name(after.FSBasePath), name(before.FSBasePath)))
}

func (d *differ) limits(before, after Limits) {
	if d.to == nil || before == after && d.from != nil {
		return
	}
	if d.from == nil {
		d.row("limits", "", "", after.text(), DirectionChanged, "One call ends after "+after.text()+".")
		return
	}
	direction := DirectionNarrower
	if after.Timeout > before.Timeout || before.Statements > 0 && (after.Statements == 0 || after.Statements > before.Statements) {
		direction = DirectionWider
	}
	d.row("limits", "", before.text(), after.text(), direction, fmt.Sprintf("One call ends after %s; before after %s.", after.text(), before.text()))
}

func (l Limits) text() string {
	if l.Statements == 0 {
		return l.Timeout.String()
	}
	return fmt.Sprintf("%v or %d statements", l.Timeout, l.Statements)
}

func (d *differ) classes(before, after *Posture) {
	allowed, denied := minus(after.AllowClasses, before.AllowClasses), minus(after.DenyClasses, before.DenyClasses)
	gone, freed := minus(before.AllowClasses, after.AllowClasses), minus(before.DenyClasses, after.DenyClasses)
	var parts []string
	say := func(what string, list []string) {
		if len(list) > 0 {
			parts = append(parts, what+" "+strings.Join(list, ", "))
		}
	}
	say("allow", allowed)
	say("no longer deny", freed)
	say("no longer allow", gone)
	say("deny", denied)
	if len(parts) == 0 {
		return
	}
	direction := DirectionNarrower
	if len(allowed)+len(freed) > 0 {
		direction = DirectionWider
	}
	count := func(p *Posture) string {
		return fmt.Sprintf("%d allowed, %d denied", len(p.AllowClasses), len(p.DenyClasses))
	}
	d.row("classes", "", count(before), count(after), direction, "The class lists, which grant nothing here, now "+strings.Join(parts, ", ")+".")
}

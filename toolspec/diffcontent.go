package toolspec

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/internal/canon/scan"
	"github.com/localpass/localpass/toolspec/secret"
)

// This file compares the content of two versions, and those of their permissions that
// the document itself states.

// variables compares the static variables as the code sees them: the last of a
// name counts. A placeholder that was not there gives the tool a secret that it
// did not have.
func (d *differ) variables() {
	was, is := staticValues(d.from), staticValues(d.to)
	before, after := placeholders(d.from), placeholders(d.to)
	var given []string
	for _, name := range union(was, is) {
		old, had := was[name]
		value, has := is[name]
		if had == has && old == value {
			continue
		}
		direction, text := DirectionChanged, ""
		fresh, lost := minus(set(secret.Names(value)), before), minus(set(secret.Names(old)), after)
		given = append(given, fresh...)
		switch {
		case len(fresh) > 0:
			direction, text = DirectionWider, fmt.Sprintf("The static variable %q gives it %s from the environment.", name, strings.Join(fresh, ", "))
		case len(lost) > 0:
			direction, text = DirectionNarrower, fmt.Sprintf("The static variable %q no longer gives it %s from the environment.", name, strings.Join(lost, ", "))
		case !had:
			text = fmt.Sprintf("The static variable %q is new.", name)
		case !has:
			text = fmt.Sprintf("The static variable %q is removed.", name)
		default:
			text = fmt.Sprintf("The static variable %q has another value.", name)
		}
		d.row("staticVariables", name, variableText(old, had), variableText(value, has), direction, text)
	}
	// A placeholder can also be in a variable that a later one of the same name hides.
	if hidden := minus(minus(after, before), set(given)); len(hidden) > 0 {
		d.row("staticVariables", "", "", variableText("${"+strings.Join(hidden, "}${")+"}", true), DirectionWider, "It is given "+strings.Join(hidden, ", ")+" from the environment.")
	}
}

func staticValues(s *Spec) map[string]string {
	out := make(map[string]string)
	if s != nil {
		for _, v := range s.StaticVariables {
			out[v.Name] = v.Value
		}
	}
	return out
}

func placeholders(s *Spec) []string {
	if s == nil {
		return nil
	}
	return set(s.Placeholders())
}

// variableText shows the source of a value and never the value.
func variableText(value string, there bool) string {
	switch names := secret.Names(value); {
	case !there:
		return ""
	case len(names) == 0:
		return "a fixed value"
	default:
		return "from ${" + strings.Join(names, "}, ${") + "}"
	}
}

func union[V any](a, b map[string]V) []string {
	return set(slices.Concat(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b))))
}

// asks reports whether a person is asked before each call.
func (s *Spec) asks() bool { return s.Approval != nil && s.Approval.Mode == ApprovalRequired }

func (d *differ) approval() {
	if d.to == nil {
		return
	}
	const required, none = "required", "not required"
	switch was, is := d.from != nil && d.from.asks(), d.to.asks(); {
	case d.from == nil && is:
		d.row("approval", "", "", required, DirectionChanged, "A person is asked before each call.")
	case is && !was:
		d.row("approval", "", none, required, DirectionNarrower, "A person is asked before each call; before nobody was.")
	case was && !is:
		d.row("approval", "", required, none, DirectionWider, "Nobody is asked any more before a call.")
	case is:
		d.changed("approval", "question", d.from.Approval.PromptTemplate, d.to.Approval.PromptTemplate, "The question that a person is asked before each call changes.")
	}
}

// unknownOverrides compares the overrides that this version of the package does not
// know; what they permit is unknown.
func (d *differ) unknownOverrides() {
	was, is := extraTexts(nil), extraTexts(nil)
	if d.from != nil {
		was = extraTexts(d.from.Overrides.Extra)
	}
	if d.to != nil {
		is = extraTexts(d.to.Overrides.Extra)
	}
	for _, name := range union(was, is) {
		if was[name] != is[name] {
			d.row("other", "sandboxOverrides."+name, was[name], is[name], DirectionWider, fmt.Sprintf("sandboxOverrides has a member %q that is not known here: what it permits cannot be compared.", name))
		}
	}
}

// extraTexts gives unknown members in their canonical form; null is absent.
func extraTexts(extra map[string]json.RawMessage) map[string]string {
	out := make(map[string]string, len(extra))
	for name, raw := range extra {
		if text := canonical(raw); text != "" {
			out[name] = text
		}
	}
	return out
}

func canonical(raw []byte) string {
	if len(raw) == 0 || scan.KindOf(raw) == scan.Null {
		return ""
	}
	if text, err := canon.Transform(raw); err == nil {
		return string(text)
	}
	return string(raw)
}

func (d *differ) content() {
	from, to := d.from, d.to
	switch {
	case from == nil:
		d.row("name", "", "", to.Name, DirectionChanged, fmt.Sprintf("%q is new.", to.Name))
		from = &Spec{CodeType: to.CodeType}
	case to == nil:
		d.row("name", "", from.Name, "", DirectionNarrower, fmt.Sprintf("%q is removed.", from.Name))
		return
	default:
		d.changed("name", "", from.Name, to.Name, fmt.Sprintf("It is renamed from %q to %q: callers that use the old name do not find it.", from.Name, to.Name))
		if from.Name == to.Name || from.ToolID != "" && to.ToolID != "" {
			d.changed("toolId", "", from.ID(), to.ID(), "It has another id: this is another tool to whoever knows the old one.")
		}
	}
	d.changed("description", "", from.Description, to.Description, "What a model reads about it changes.")
	d.changed("category", "", from.Category, to.Category, "The category changes.")
	d.changed("tags", "", strings.Join(set(slices.Clone(from.Tags)), ", "), strings.Join(set(slices.Clone(to.Tags)), ", "), "The tags change.")
	d.params(from, to)
	d.output(from, to)
	d.code(from, to)
	d.changed("language", "", from.language(), to.language(), "The code is written in another language.")
	d.cases(from, to)
	d.fixtures(from, to)
	d.others(from, to)
	if len(d.out.Rows) == 0 && d.out.From.ContentHash != d.out.To.ContentHash {
		d.row("other", "", "", "", DirectionChanged, "The document is written otherwise; what it permits here is the same.")
	}
}

func (s *Spec) language() string {
	if s.Language == "" {
		if s.CodeType == CodeTypeJavascript {
			return LanguageJavaScript
		}
		return s.CodeType
	}
	return s.Language
}

// effectiveParams are those that count: the last of each name.
func (s *Spec) effectiveParams() (byName map[string]*Param, order []string) {
	byName = make(map[string]*Param, len(s.Params))
	for i := range s.Params {
		if s.isLastParam(i) {
			byName[s.Params[i].Name] = &s.Params[i]
			order = append(order, s.Params[i].Name)
		}
	}
	return byName, order
}

func (p *Param) text() string {
	text := string(p.Type) + ", optional"
	if p.Required {
		text = string(p.Type) + ", required"
	}
	if p.AllowEmpty {
		text += ", may be empty"
	}
	return text
}

func (d *differ) params(from, to *Spec) {
	was, wasOrder := from.effectiveParams()
	is, isOrder := to.effectiveParams()
	for _, name := range isOrder {
		now, old := is[name], was[name]
		if old == nil {
			d.row("schema", name, "", now.text(), DirectionChanged, fmt.Sprintf("The parameter %q is new (%s).", name, now.text()))
			continue
		}
		d.changed("schema", name, old.text(), now.text(), fmt.Sprintf("The parameter %q changes.", name))
		d.changed("schema", name, old.Description, now.Description, fmt.Sprintf("The description of the parameter %q changes.", name))
		d.changed("tests", name, testText(old), testText(now), fmt.Sprintf("The parameter %q has another test value.", name))
		wasExtra, isExtra := extraTexts(old.Extra), extraTexts(now.Extra)
		for _, member := range union(wasExtra, isExtra) {
			d.changed("other", "params."+name+"."+member, wasExtra[member], isExtra[member], fmt.Sprintf("The member %q of the parameter %q changes.", member, name))
		}
	}
	for _, name := range wasOrder {
		if is[name] == nil {
			d.row("schema", name, was[name].text(), "", DirectionChanged, fmt.Sprintf("The parameter %q is removed.", name))
		}
	}
	common := func(order []string, in map[string]*Param) string {
		return strings.Join(slices.DeleteFunc(slices.Clone(order), func(name string) bool { return in[name] == nil }), ", ")
	}
	d.changed("schema", "", common(wasOrder, is), common(isOrder, was), "The parameters stand in another order.")
}

func testText(p *Param) string {
	if p.TestValue == nil {
		return ""
	}
	return excerpt(*p.TestValue)
}

func (d *differ) output(from, to *Spec) {
	was, is := canonical(from.OutputSchema), canonical(to.OutputSchema)
	if was == is {
		return
	}
	fields := func(raw json.RawMessage) []string {
		properties, _ := lookup(membersOf(raw), "properties")
		var names []string
		for _, m := range membersOf(properties) {
			names = append(names, m.name)
		}
		return set(names)
	}
	old, now := fields(from.OutputSchema), fields(to.OutputSchema)
	text := "What it says of its result changes"
	switch added, gone := minus(now, old), minus(old, now); {
	case was == "":
		text = "It says what its result looks like"
	case is == "":
		text = "It no longer says what its result looks like"
	case len(added) > 0 && len(gone) > 0:
		text += ": with " + strings.Join(added, ", ") + ", without " + strings.Join(gone, ", ")
	case len(added) > 0:
		text += ": with " + strings.Join(added, ", ")
	case len(gone) > 0:
		text += ": without " + strings.Join(gone, ", ")
	}
	d.row("outputSchema", "", strings.Join(old, ", "), strings.Join(now, ", "), DirectionChanged, text+".")
}

func (d *differ) cases(from, to *Spec) {
	key := func(s *Spec) map[string]Case {
		out := make(map[string]Case, len(s.Tests))
		for i, c := range s.Tests {
			name := c.Name
			if _, taken := out[name]; taken || name == "" {
				name = fmt.Sprintf("number %d", i+1)
			}
			out[name] = c
		}
		return out
	}
	was, is := key(from), key(to)
	var added, removed, changed []string
	for _, name := range union(was, is) {
		old, had := was[name]
		now, has := is[name]
		switch {
		case !had:
			added = append(added, name)
		case !has:
			removed = append(removed, name)
		case !sameCase(meant(old), meant(now)):
			changed = append(changed, name)
		}
	}
	var parts []string
	for i, list := range [][]string{added, removed, changed} {
		if len(list) > 0 {
			parts = append(parts, [...]string{"new: ", "removed: ", "changed: "}[i]+strings.Join(list, ", "))
		}
	}
	if len(parts) > 0 {
		d.row("tests", "", counted(len(from.Tests), "case"), counted(len(to.Tests), "case"), DirectionChanged, "Of its test cases "+strings.Join(parts, "; ")+".")
	}
}

// meant is a case with its JSON in the one form: how it was written down makes no
// difference.
func meant(c Case) Case {
	form := func(raw json.RawMessage) json.RawMessage {
		if out, err := canon.Transform(raw); err == nil {
			return out
		}
		return raw
	}
	c.Args, c.Want = form(c.Args), form(c.Want)
	if c.Extra != nil {
		c.Extra = maps.Clone(c.Extra)
		for name, raw := range c.Extra {
			c.Extra[name] = form(raw)
		}
	}
	return c
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// fixtures compares the recorded data that the tests use in place of real services and
// files. Stand-ins for secrets are not shown.
func (d *differ) fixtures(from, to *Spec) {
	if sameFixtures(from.Fixtures, to.Fixtures) {
		return
	}
	d.row("tests", memberFixtures, from.Fixtures.text(), to.Fixtures.text(), DirectionChanged, "What its tests find in place of the network, of files and of secrets changes.")
}

func (f Fixtures) text() string {
	var parts []string
	if f.Fetch != nil {
		parts = append(parts, counted(len(elementsOf(f.Fetch)), "recorded request"))
	}
	if f.Files != nil {
		parts = append(parts, counted(len(f.Files), "file"))
	}
	if f.Env != nil {
		parts = append(parts, counted(len(f.Env), "stand-in"))
	}
	return strings.Join(parts, ", ")
}

// others compares the members that have no row of their own.
func (d *differ) others(from, to *Spec) {
	was, wasOK := otherMembers(from)
	is, isOK := otherMembers(to)
	if !wasOK || !isOK {
		d.row("other", "", "", "", DirectionWider, "A member holds something that is not JSON, so not everything can be compared.")
		return
	}
	for _, name := range union(was, is) {
		d.changed("other", name, was[name], is[name], fmt.Sprintf("The member %q changes.", name))
	}
}

// otherMembers gives the document without what is compared elsewhere, and
// without what says nothing of the tool.
func otherMembers(s *Spec) (map[string]string, bool) {
	text, err := s.MarshalJSON()
	if err != nil {
		return nil, false
	}
	out := make(map[string]string)
	for _, m := range membersOf(text) {
		switch m.name {
		case "toolId", "name", "description", "category", "tags", "params", "staticVariables", "code", "codeType", "sandboxOverrides", "toolSafety",
			"draft", "createTimestamp", "updateTimestamp", memberOutputSchema, memberTests, memberFixtures, memberLanguage, memberLimits:
		case "humanInTheLoop":
			for _, inner := range membersOf(m.raw) {
				if text := canonical(inner.raw); text != "" && inner.name != "mode" && inner.name != "promptTemplate" {
					out["humanInTheLoop."+inner.name] = text
				}
			}
		default:
			if text := canonical(m.raw); text != "" {
				out[m.name] = text
			}
		}
	}
	return out, true
}

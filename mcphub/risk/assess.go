package risk

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/localpass/localpass/internal/verbs"
	"github.com/localpass/localpass/toolspec"
)

// Scope says where a tool has side effects, as a curator classified it.
type Scope string

// The scopes. The zero value is unknown.
const (
	ScopeUnknown     Scope = ""
	ScopeLocal       Scope = "local"
	ScopeRemoteWrite Scope = "remote-write"
	ScopeRemoteAdmin Scope = "remote-admin"
)

// Facts are what is known about a tool. The zero value is a tool about which its server says
// nothing.
type Facts struct {
	// Name is the server's own name of the tool, not an alias. Alias and Title are examined
	// for irreversible verbs too.
	Name, Title, Alias string
	Description        string
	InputSchema        json.RawMessage
	Annotations        toolspec.Annotations

	// Trusted says that the server is trusted: its annotations count as they are, and the
	// documentation is not assessed.
	Trusted bool
	// Reviewed says that a person looks at the tool, in place of a curator: the
	// documentation is not assessed. Annotations still only raise the level.
	Reviewed bool

	// Cataloged says that a curator classified the tool: Scope, SendsUserData and
	// Annotations come from the catalogue.
	Cataloged     bool
	Scope         Scope
	SendsUserData bool
}

// AnnotationSource says where the annotations of a tool come from, and so how they count.
type AnnotationSource string

// The sources.
const (
	SourceNone          AnnotationSource = "none"           // the tool has no annotations
	SourceDefault       AnnotationSource = "default"        // they are the defaults of the protocol, which say nothing
	SourceLiveTrusted   AnnotationSource = "live-trusted"   // of a trusted server
	SourceLiveUntrusted AnnotationSource = "live-untrusted" // of another server: they only raise the level
	SourceCatalogue     AnnotationSource = "catalogue"
)

// The floors: what gives a tool at least a certain level.
const (
	FloorVerb        = "irreversible_verb_in_tool_name"
	FloorDestructive = "destructive_and_non_idempotent"
	FloorSilent      = "description_missing_and_annotations_missing"
)

// Assessment is the result of [Assess].
type Assessment struct {
	Level toolspec.Level `json:"level"`
	// Base is the score of what the tool does, Documentation (0 to 3) that of what is not
	// known about it. Total is their sum, which gives the level: 0 is L1, 4 and more L5.
	Base          int `json:"base"`
	Documentation int `json:"documentation"`
	Total         int `json:"total"`
	// Floor is the floor that applies; empty: none.
	Floor string `json:"floor,omitempty"`
	// AnnotationSource says how the annotations were counted.
	AnnotationSource AnnotationSource `json:"annotationSource"`
	// InnerVerb is an irreversible verb inside one of the names. It raises no level; each
	// call of such a tool is approved on its own.
	InnerVerb string `json:"innerVerb,omitempty"`
	Explanation
}

// Assess scores a tool by itself. See [Compose] for the tool of a server.
func Assess(f Facts) Assessment {
	a := assess(&f)
	a.Change = cheapest(situation{tool: f}, func(s *situation) toolspec.Level { return assess(&s.tool).Level })
	return a
}

func assess(f *Facts) Assessment {
	var a Assessment
	hints := f.Annotations
	switch {
	case hints == toolspec.Annotations{}:
		a.AnnotationSource = SourceNone
	case f.Cataloged:
		a.AnnotationSource = SourceCatalogue
	case defaults(hints):
		a.AnnotationSource, hints = SourceDefault, toolspec.Annotations{}
	case f.Trusted:
		a.AnnotationSource = SourceLiveTrusted
	default:
		a.AnnotationSource = SourceLiveUntrusted
		hints.ReadOnly, hints.Idempotent = claimed(hints.ReadOnly), claimed(hints.Idempotent)
	}
	base := func(score int, rule, reason string) {
		a.Base += score
		a.add(rule, score, reason)
	}
	if !is(hints.ReadOnly) {
		reason := "it may change something"
		if a.AnnotationSource == SourceLiveUntrusted && is(f.Annotations.ReadOnly) {
			reason = "that it only reads is a claim of its server"
		}
		base(1, "may_write", reason)
	}
	if is(hints.Destructive) {
		base(2, "destructive", "its server says that it may remove or overwrite something")
	}
	if is(hints.OpenWorld) {
		base(1, "open_world", "its server says that it reaches other systems")
	}
	if is(hints.Idempotent) {
		a.Base--
	}
	switch f.Scope {
	case ScopeRemoteWrite:
		base(1, "writes", "it writes to another system")
	case ScopeRemoteAdmin:
		base(2, "administers", "it administers another system")
	}
	if f.SendsUserData {
		base(1, "user_data", "it sends data of the user")
	}
	a.Base = max(a.Base, 0)
	if !f.Trusted && !f.Reviewed {
		a.undocumented(f)
	}
	a.Total = a.Base + a.Documentation
	a.Level = band(a.Total)
	a.floors(f, hints)
	if a.Floor != FloorVerb {
		a.InnerVerb = verbs.Irreversible(f.Name, f.Title, f.Alias)
	}
	return a
}

// band returns the level of a score.
func band(score int) toolspec.Level { return min(toolspec.L1+toolspec.Level(score), toolspec.L5) }

func is(hint *bool) bool { return hint != nil && *hint }

// claimed drops a hint that would lower the level.
func claimed(hint *bool) *bool {
	if is(hint) {
		return nil
	}
	return hint
}

// defaults reports whether annotations are the defaults of the protocol, which some
// libraries write for every tool.
func defaults(a toolspec.Annotations) bool {
	set := func(hint *bool, value bool) bool { return hint != nil && *hint == value }
	return set(a.ReadOnly, false) && set(a.Destructive, true) && set(a.Idempotent, false) && set(a.OpenWorld, true)
}

// maxDocumentation is the maximum score of the documentation.
const maxDocumentation = 3

// undocumented scores what the documentation leaves open.
func (a *Assessment) undocumented(f *Facts) {
	add := func(score int, rule, reason string) {
		a.Documentation = min(a.Documentation+score, maxDocumentation)
		a.add(rule, score, reason)
	}
	switch about := strings.TrimSpace(f.Description); {
	case about == "":
		add(2, "description", "it has no description")
	case len([]rune(about)) < 30 || boilerplate(about, f.Name):
		add(1, "description", "its description says little")
	}
	switch described, total := properties(f.InputSchema); {
	case len(f.InputSchema) == 0:
		add(2, "schema", "it has no schema for its arguments")
	case described*2 < total:
		add(1, "schema", fmt.Sprintf("%d of its %d arguments are not described", total-described, total))
	}
	if (f.Annotations == toolspec.Annotations{}) {
		add(1, "annotations", "it has no annotations")
	}
	if !f.Cataloged {
		add(3, "review", "no person has reviewed it")
	}
}

// boilerplate reports whether a description only repeats the name.
func boilerplate(about, name string) bool {
	about = strings.ToLower(about)
	word, _, _ := strings.Cut(about, " ")
	switch word {
	case "return", "returns", "get", "gets", "does", "performs":
		return strings.Contains(about, strings.ToLower(strings.ReplaceAll(name, "_", " ")))
	}
	return false
}

// properties counts the properties of a schema, and those with a description.
func properties(schema json.RawMessage) (described, total int) {
	var in struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &in) != nil {
		return 0, 0
	}
	for _, raw := range in.Properties {
		var p struct {
			Description string `json:"description"`
		}
		if json.Unmarshal(raw, &p) == nil && strings.TrimSpace(p.Description) != "" {
			described++
		}
	}
	return described, len(in.Properties)
}

// floors raises the level to the floors that apply. The first one is named.
func (a *Assessment) floors(f *Facts, hints toolspec.Annotations) {
	raise := func(level toolspec.Level, floor, reason string) {
		if level.Exceeds(a.Level) {
			a.Level = level
		}
		if a.Floor == "" {
			a.Floor = floor
			a.first(floor, reason)
		}
	}
	if word := verbs.Leading(f.Name, f.Title, f.Alias); word != "" {
		raise(toolspec.L5, FloorVerb, fmt.Sprintf("its name says %q, which cannot be undone", word))
	}
	if is(hints.Destructive) && !is(hints.Idempotent) {
		raise(toolspec.L5, FloorDestructive, "it may remove or overwrite something, and more with each call")
	}
	// Only what would lower the level ends the silence, and only of a trusted source.
	if strings.TrimSpace(f.Description) == "" && !is(hints.ReadOnly) && !is(hints.Idempotent) {
		raise(toolspec.L4, FloorSilent, "it has no description, and nothing else says that it is harmless")
	}
}

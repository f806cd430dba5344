package risk_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/mcphub/risk"
	"github.com/localpass/localpass/toolspec"
)

var (
	yes, no   = true, false
	described = json.RawMessage(`{"type":"object","properties":{"city":{"type":"string","description":"The name of a city."}}}`)
)

const about = "Looks up the weather of a city for the next three days."

// documented returns the facts of a tool about which everything is said.
func documented(hints toolspec.Annotations) risk.Facts {
	return risk.Facts{Name: "weather", Description: about, InputSchema: described, Annotations: hints}
}

// The rows of tools in section 5.4 of the fact sheet, by their numbers. Row 12 is that of a host
// that believes untrusted annotations; here it is row 13.
func TestAssess(t *testing.T) {
	trusted := func(hints toolspec.Annotations) risk.Facts {
		f := documented(hints)
		f.Trusted = true
		return f
	}
	readOnly := toolspec.Annotations{ReadOnly: &yes}
	for _, test := range []struct {
		name      string
		facts     risk.Facts
		base, doc int
		floor     string
		level     toolspec.Level
		source    risk.AnnotationSource
	}{
		{"1 trusted, read-only", trusted(readOnly), 0, 0, "", toolspec.L1, risk.SourceLiveTrusted},
		{"2 trusted, no annotations", trusted(toolspec.Annotations{}), 1, 0, "", toolspec.L2, risk.SourceNone},
		{"3 trusted, read-only and open world", trusted(toolspec.Annotations{ReadOnly: &yes, OpenWorld: &yes}), 1, 0, "", toolspec.L2, risk.SourceLiveTrusted},
		{"4 trusted, idempotent", trusted(toolspec.Annotations{Idempotent: &yes}), 0, 0, "", toolspec.L1, risk.SourceLiveTrusted},
		{"5 trusted, writes", with(trusted(toolspec.Annotations{Idempotent: &no}), func(f *risk.Facts) { f.Cataloged, f.Scope = true, risk.ScopeRemoteWrite }), 2, 0, "", toolspec.L3, risk.SourceCatalogue},
		{"6 trusted, destructive and idempotent", trusted(toolspec.Annotations{Destructive: &yes, Idempotent: &yes}), 2, 0, "", toolspec.L3, risk.SourceLiveTrusted},
		{"7 trusted, administers and sends data", with(trusted(toolspec.Annotations{}), func(f *risk.Facts) { f.Cataloged, f.Scope, f.SendsUserData = true, risk.ScopeRemoteAdmin, true }), 4, 0, "", toolspec.L5, risk.SourceNone},
		{"8 an irreversible verb", with(trusted(readOnly), func(f *risk.Facts) { f.Name = "delete_event" }), 0, 0, risk.FloorVerb, toolspec.L5, risk.SourceLiveTrusted},
		{"9 destructive", trusted(toolspec.Annotations{Destructive: &yes}), 3, 0, risk.FloorDestructive, toolspec.L5, risk.SourceLiveTrusted},
		{"10 silent", risk.Facts{Name: "weather", Trusted: true}, 1, 0, risk.FloorSilent, toolspec.L4, risk.SourceNone},
		{"10 silent and not reviewed", risk.Facts{Name: "weather"}, 1, 3, risk.FloorSilent, toolspec.L5, risk.SourceNone},
		{"11 untrusted", documented(toolspec.Annotations{}), 1, 3, "", toolspec.L5, risk.SourceNone},
		{"12 and 13 untrusted, read-only", documented(readOnly), 1, 3, "", toolspec.L5, risk.SourceLiveUntrusted},
		{"14 catalogued, read-only", with(documented(readOnly), func(f *risk.Facts) { f.Cataloged, f.Scope = true, risk.ScopeLocal }), 0, 0, "", toolspec.L1, risk.SourceCatalogue},
		{"15 catalogued, says little", with(documented(readOnly), func(f *risk.Facts) { f.Cataloged, f.Description = true, "Gets weather" }), 0, 1, "", toolspec.L2, risk.SourceCatalogue},
		{"the defaults of the protocol", documented(toolspec.Annotations{ReadOnly: &no, Destructive: &yes, Idempotent: &no, OpenWorld: &yes}), 1, 3, "", toolspec.L5, risk.SourceDefault},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := risk.Assess(test.facts)
			assert.Equal(t, test.level, got.Level, "%+v", got)
			assert.Equal(t, test.base, got.Base)
			assert.Equal(t, test.doc, got.Documentation)
			assert.Equal(t, test.floor, got.Floor)
			assert.Equal(t, test.source, got.AnnotationSource)
			assert.Equal(t, test.base+test.doc, got.Total)
			if test.floor != "" {
				assert.Equal(t, test.floor, got.Rule, "a floor decides")
			}
			assert.False(t, got.Level > toolspec.L1 && len(got.Reasons) == 0, "a level above L1 has a reason")
		})
	}
}

func TestIrreversibleVerbs(t *testing.T) {
	for name, want := range map[string]bool{
		"delete_event": true, "deletePage": true, "truncate_table": true, "wipe-disk": true, "git_force_push": true, "forcePush": true, "format_disk": true, "REMOVE_ALL": true,
		"format_date": false, "formatCsv": false, "reset_filters": false, "notion-delete-page": false, "undelete": false, "get_weather": false, "": false,
	} {
		got := risk.Assess(risk.Facts{Name: name, Description: about, InputSchema: described, Reviewed: true})
		assert.Equal(t, want, got.Floor == risk.FloorVerb, name)
	}
	assert.Equal(t, "delete", risk.Assess(risk.Facts{Name: "notion-delete-page", Description: about}).InnerVerb)
	assert.Equal(t, risk.FloorVerb, risk.Assess(risk.Facts{Name: "tidy", Alias: "deleteAll", Description: about}).Floor)
	assert.Equal(t, risk.FloorVerb, risk.Assess(risk.Facts{Name: "tidy", Title: "Erase everything", Description: about}).Floor)
}

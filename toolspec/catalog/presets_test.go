package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/catalog"
)

func selected(specs []*toolspec.Spec) (names []string) {
	for _, s := range specs {
		names = append(names, s.Name)
	}
	return names
}

// Every preset names tools that there are.
func TestPresets(t *testing.T) {
	all, defaults := specs(t), 0
	for _, p := range catalog.Presets() {
		picked, err := catalog.Selection{Preset: p.ID}.Select(all)
		require.NoError(t, err, p.ID)
		switch p.ID {
		case catalog.PresetEverything:
			assert.Len(t, picked, len(all))
		default:
			assert.ElementsMatch(t, p.Tools, selected(picked), p.ID)
		}
		if p.Default {
			defaults++
			assert.Equal(t, catalog.DefaultPreset, p.ID)
			assert.Len(t, picked, 5)
		}
		assert.NotEmpty(t, p.DisplayName)
		assert.NotEmpty(t, p.Description)
	}
	assert.Equal(t, 1, defaults)
}

func TestSelect(t *testing.T) {
	tool := func(name, category string, tags ...string) *toolspec.Spec {
		s := toolspec.New(name)
		s.Category, s.Tags = category, tags
		return s
	}
	all := []*toolspec.Spec{tool("a", "TEXT", "util"), tool("b", "TEXT"), tool("c", "FILE", "util"), tool("d", "FILE", "korea"), tool("readTextFile", "FILE")}
	for _, tt := range []struct {
		preset, changes string
		want            []string
		wrong           string
	}{
		{"", "", nil, ""},
		{"custom", "a", []string{"a"}, ""},
		{"", "+c, +a,,", []string{"a", "c"}, ""},
		{"everything", "-a,-d", []string{"b", "c", "readTextFile"}, ""},
		{"", "+tag:util", []string{"a", "c"}, ""},
		{"", "+category:file,-d", []string{"c", "readTextFile"}, ""},
		{"everything", "-category:TEXT,-tag:korea", []string{"c", "readTextFile"}, ""},
		{"", "-a,+a,+category:TEXT", []string{"b"}, "the order is fixed: what is removed stays out"},
		{"none", "", nil, `there is no preset "none"; there is starter-5, dev-essentials`},
		{"", "+nothing", nil, `there is no tool "nothing"`},
		{"", "+readTextFiles", nil, `there is no tool "readTextFiles"; did you mean "readTextFile"?`},
		{"", "-tag:none", nil, `there is no tag "none"`},
		{"", "+category:none", nil, `there is no category "none"`},
		{"", "+kind:x", nil, `"+kind:x" selects nothing`},
		{"", "-", nil, `"-" selects nothing`},
		{"", "+tag:", nil, `"+tag:" selects nothing`},
	} {
		s, err := catalog.ParseSelection(tt.preset, tt.changes)
		var picked []*toolspec.Spec
		if err == nil {
			picked, err = s.Select(all)
		}
		if tt.want == nil && tt.wrong != "" {
			assert.ErrorContains(t, err, tt.wrong, tt.changes)
			continue
		}
		require.NoError(t, err, tt.changes)
		assert.Equal(t, tt.want, selected(picked), tt.changes)
	}
	_, err := catalog.Selection{Preset: "nowhere"}.Select(all)
	assert.ErrorContains(t, err, "there is no preset")
}

func TestActivate(t *testing.T) {
	id := func(name string) string { return (&toolspec.Spec{Name: name}).ID() }
	for _, tt := range []struct {
		preset, changes string
		saved           []string
		want            []string
	}{
		{"", "", nil, []string{"evalExpression", "extractPageContent", "getCurrentTime", "getWeather", "searchWikipedia"}},
		{"", "-getWeather,+uuid", nil, []string{"evalExpression", "extractPageContent", "getCurrentTime", "searchWikipedia", "uuid"}},
		{"", "", []string{}, nil},
		{"", "", []string{id("uuid"), id("stats"), "of a user's tool"}, []string{"stats", "uuid"}},
		{"", "-stats,+hash", []string{id("uuid"), id("stats")}, []string{"hash", "uuid"}},
		{"dev-essentials", "-jwtDecode", []string{id("stats")}, []string{"base64", "evalExpression", "getCurrentTime", "hash", "regexExtract", "uuid"}},
		{"custom", "uuid", []string{id("stats")}, []string{"uuid"}},
	} {
		got, err := catalog.Activate(tt.preset, tt.changes, tt.saved)
		require.NoError(t, err)
		assert.Equal(t, tt.want, selected(got), "%+v", tt)
	}
	_, err := catalog.Activate("", "+nothing", nil)
	assert.Error(t, err)
	_, err = catalog.Activate("nothing", "", nil)
	assert.Error(t, err)
}

func TestCategories(t *testing.T) {
	order := 0
	for _, c := range catalog.Categories() {
		assert.Greater(t, c.Order, order)
		order = c.Order
		assert.NotEmpty(t, c.DisplayName)
	}
}

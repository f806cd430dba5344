package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/localpass/localpass/toolspec"
)

// Preset is a named selection of the catalogue.
type Preset struct {
	ID          string `json:"id"`
	DisplayName string `json:"displayName"`
	Description string `json:"description"`
	// Default marks the one that a program starts with.
	Default bool `json:"isDefault"`
	// Tools are names; empty means all for the preset "everything", and none
	// for "custom".
	Tools []string `json:"tools"`
}

// The preset that a program starts with, the one that selects all, and the one
// that selects nothing by itself.
const (
	DefaultPreset    = "starter-5"
	PresetEverything = "everything"
	PresetCustom     = "custom"
)

// Presets lists the presets (specification section 11.5). Each call gives a new
// list.
func Presets() []Preset {
	return []Preset{
		{ID: DefaultPreset, DisplayName: "Starter 5", Default: true, Description: "Time, weather, Wikipedia, web pages and arithmetic: enough to see how it works.",
			Tools: []string{"getCurrentTime", "getWeather", "searchWikipedia", "extractPageContent", "evalExpression"}},
		{ID: "dev-essentials", DisplayName: "Dev Essentials", Description: "What programmers reach for: ids, hashes, encodings, tokens and regular expressions.",
			Tools: []string{"getCurrentTime", "evalExpression", "uuid", "hash", "base64", "jwtDecode", "regexExtract"}},
		{ID: "korea-toolkit", DisplayName: "Korea Toolkit (free)", Description: "Korean markets, music and beauty products, without any key.",
			Tools: []string{"getCurrentTime", "evalExpression", "getUpbitTicker", "getBithumbTicker", "searchKpopOnItunes", "searchKBeautyProducts"}},
		{ID: "file-toolkit", DisplayName: "File Toolkit", Description: "Reading and searching files of the workspace; nothing that writes.",
			Tools: []string{"getCurrentTime", "evalExpression", "listAllowedDirectories", "readTextFile", "listDir", "grepFile", "searchInFiles", "findFiles", "sliceFile", "sortFile", "cutFileFields"}},
		{ID: PresetEverything, DisplayName: "Everything", Description: "The whole catalogue. A model chooses better among fewer tools."},
		{ID: PresetCustom, DisplayName: "Custom", Description: "Nothing but what you select."},
	}
}

// Selection says which tools of a catalogue are active: those of a preset, then
// what is added by name, tag and category, then what is removed by name, tag
// and category, in this order. The zero value selects nothing.
type Selection struct {
	// Preset is the id of a preset; empty is [PresetCustom].
	Preset                                    string
	AddNames, AddTags, AddCategories          []string
	RemoveNames, RemoveTags, RemoveCategories []string
}

// ParseSelection reads a preset id and a list of changes such as
// "+uuid,-getWeather,+tag:korea,-category:FILE". A name without a sign is added.
// The error names what cannot be read.
func ParseSelection(preset, changes string) (Selection, error) {
	s := Selection{Preset: cmp.Or(preset, PresetCustom)}
	if !slices.ContainsFunc(Presets(), func(p Preset) bool { return p.ID == s.Preset }) {
		return s, fmt.Errorf("catalog: there is no preset %q; there is %s", preset, presetIDs())
	}
	for change := range strings.SplitSeq(changes, ",") {
		change = strings.TrimSpace(change)
		if change == "" {
			continue
		}
		what, remove := strings.TrimPrefix(change, "+"), false
		if rest, ok := strings.CutPrefix(change, "-"); ok {
			what, remove = rest, true
		}
		list := &s.AddNames
		if remove {
			list = &s.RemoveNames
		}
		if kind, value, ok := strings.Cut(what, ":"); ok {
			what = value
			switch {
			case kind == "tag" && remove:
				list = &s.RemoveTags
			case kind == "tag":
				list = &s.AddTags
			case kind == "category" && remove:
				list = &s.RemoveCategories
			case kind == "category":
				list = &s.AddCategories
			default:
				return s, fmt.Errorf("catalog: %q selects nothing: write a name, tag:NAME or category:NAME with + or - before it", change)
			}
		}
		if what == "" {
			return s, fmt.Errorf("catalog: %q selects nothing: write a name, tag:NAME or category:NAME with + or - before it", change)
		}
		*list = append(*list, what)
	}
	return s, nil
}

// Activate gives the active tools of a program, in the order of [Names]: those of
// preset when it is not empty, else those whose ids are in saved when that is
// not nil, else those of the default preset; with changes made to them, in the
// form of [ParseSelection].
func Activate(preset, changes string, saved []string) ([]*toolspec.Spec, error) {
	all, err := Specs()
	if err != nil {
		return nil, err
	}
	chosen := preset
	if chosen == "" && saved == nil {
		chosen = DefaultPreset
	}
	selection, err := ParseSelection(chosen, changes)
	if err != nil {
		return nil, err
	}
	if chosen == "" {
		for _, spec := range all {
			if slices.Contains(saved, spec.ToolID) {
				selection.AddNames = append(selection.AddNames, spec.Name)
			}
		}
	}
	return selection.Select(all)
}

func presetIDs() string {
	ids := []string{}
	for _, p := range Presets() {
		ids = append(ids, p.ID)
	}
	return strings.Join(ids, ", ")
}

// Select picks from specs, in their order. An error names the preset, the name,
// the tag or the category that no spec has, and the nearest name that one has.
func (s Selection) Select(specs []*toolspec.Spec) ([]*toolspec.Spec, error) {
	active := map[string]bool{}
	preset := cmp.Or(s.Preset, PresetCustom)
	at := slices.IndexFunc(Presets(), func(p Preset) bool { return p.ID == preset })
	if at < 0 {
		return nil, fmt.Errorf("catalog: there is no preset %q; there is %s", preset, presetIDs())
	}
	names := Presets()[at].Tools
	if preset == PresetEverything {
		for _, spec := range specs {
			active[spec.Name] = true
		}
	}
	named := func(spec *toolspec.Spec, name string) bool { return spec.Name == name }
	tagged := func(spec *toolspec.Spec, tag string) bool { return slices.Contains(spec.Tags, tag) }
	within := func(spec *toolspec.Spec, category string) bool { return strings.EqualFold(spec.Category, category) }
	for _, step := range []struct {
		what   string
		values []string
		is     func(*toolspec.Spec, string) bool
		on     bool
	}{
		{"tool", names, named, true},
		{"tool", s.AddNames, named, true}, {"tag", s.AddTags, tagged, true}, {"category", s.AddCategories, within, true},
		{"tool", s.RemoveNames, named, false}, {"tag", s.RemoveTags, tagged, false}, {"category", s.RemoveCategories, within, false},
	} {
		for _, value := range step.values {
			found := false
			for _, spec := range specs {
				if step.is(spec, value) {
					active[spec.Name], found = step.on, true
				}
			}
			if !found {
				return nil, fmt.Errorf("catalog: there is no %s %q%s", step.what, value, hint(step.what, value, specs))
			}
		}
	}
	var picked []*toolspec.Spec
	for _, spec := range specs {
		if active[spec.Name] {
			picked = append(picked, spec)
		}
	}
	return picked, nil
}

// hint names the tool whose name is nearest to one that is not there.
func hint(what, value string, specs []*toolspec.Spec) string {
	if what != "tool" || len(value) > 100 {
		return ""
	}
	best, least := "", 4 // more than three edits is another word
	for _, spec := range specs {
		if d := levenshtein.ComputeDistance(strings.ToLower(value), strings.ToLower(spec.Name)); d < least {
			best, least = spec.Name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

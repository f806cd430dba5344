package catalog_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/catalog"
	"github.com/localpass/localpass/toolspec/specfile"
)

func specs(t testing.TB) []*toolspec.Spec {
	t.Helper()
	all, err := catalog.Specs()
	require.NoError(t, err)
	return all
}

func TestNames(t *testing.T) {
	var want []string
	for _, names := range groups {
		want = append(want, names...)
	}
	slices.Sort(want)
	assert.Equal(t, want, catalog.Names())
	assert.Len(t, want, 119)
	for i, s := range specs(t) {
		assert.Equal(t, catalog.Names()[i], s.Name, "a file has the name of its spec")
	}
}

func TestFSLoadsWithoutProblems(t *testing.T) {
	docs, err := specfile.LoadFS(catalog.FS(), ".", nil)
	require.NoError(t, err)
	require.Len(t, docs, len(catalog.Names()))
	for _, d := range docs {
		assert.Empty(t, d.Problems, d.Source)
		require.NotNil(t, d.Spec, d.Source)
	}
	same, err := catalog.Documents()
	require.NoError(t, err)
	for i, d := range same {
		assert.Equal(t, docs[i].Source, d.Source)
		assert.Equal(t, docs[i].Spec.ContentHash(), d.Spec.ContentHash())
	}
}

func TestEachCallGivesNewSpecs(t *testing.T) {
	first := specs(t)
	first[0].Code = "return 1"
	first[0].Params[0].Name = "changed"
	again := specs(t)
	assert.NotEqual(t, "return 1", again[0].Code)
	assert.NotEqual(t, "changed", again[0].Params[0].Name)
}

// Every spec is as strict as the specification knows.
func TestSpecsAreStrict(t *testing.T) {
	tags := []string{"korea", "example", "util", "pipeline", "github", "search", "finance", "weather", "geo", "visualization"}
	var categories []string
	for _, c := range catalog.Categories() {
		categories = append(categories, c.ID)
	}
	ids := map[string]string{}
	for _, s := range specs(t) {
		t.Run(s.Name, func(t *testing.T) {
			assert.Empty(t, s.Validate(true), "strict validation")
			assert.Empty(t, s.Lint(), "lint")
			assert.Contains(t, categories, s.Category)
			assert.NotEqual(t, "CUSTOM", s.Category)
			assert.Subset(t, tags, s.Tags)
			assert.True(t, s.Draft, "the pass is earned on the host")
			assert.Empty(t, s.Extra, "no member that the specification does not know")
			assert.Equal(t, (&toolspec.Spec{Name: s.Name}).ID(), s.ToolID, "the id is derived from the name")
			assert.Empty(t, ids[s.ToolID])
			ids[s.ToolID] = s.Name
			for _, v := range s.StaticVariables {
				assert.Regexp(t, `^\$\{[A-Z][A-Z0-9_]*\}$`, v.Value, "a static variable is a key from the environment")
			}
		})
	}
}

// Each has what its group says (section 10.1), and declares it.
func TestPostures(t *testing.T) {
	levels := map[string]toolspec.Level{"cards": toolspec.L0, "pure": toolspec.L0, "builtins": toolspec.L0, "ours": toolspec.L0, "reading": toolspec.L3,
		"writing": toolspec.L4, "destructive": toolspec.L5, "global": toolspec.L3, "korea": toolspec.L3, "koreaKeyed": toolspec.L3}
	asking := []string{"extractPageContent", "openaiResponseGenerator", "sendSlackMessage"}
	for _, s := range specs(t) {
		t.Run(s.Name, func(t *testing.T) {
			group := groupOf(s.Name)
			level := s.Risk(nil).Level
			if want, ok := levels[group]; ok {
				assert.Equal(t, want, level)
			}
			posture, problems := s.Resolve(nil)
			require.Empty(t, problems)
			assert.NotEqual(t, toolspec.NetworkInherit, s.Overrides.NetworkMode, "also on a host whose baseline grants more")
			network := posture.Network.Mode != toolspec.NetworkBlocked
			assert.Equal(t, network, s.Fixtures.Recorded(), "what uses the network passes without it")
			assert.Equal(t, posture.FileRead || posture.FileWrite, s.Fixtures.Files != nil, "what uses files passes without touching any")
			assert.Equal(t, group == "destructive", posture.Destructive)
			assert.Equal(t, group == "writing" || group == "destructive", posture.FileWrite)
			if network && s.Name != "extractPageContent" {
				assert.Equal(t, toolspec.NetworkAllowlist, posture.Network.Mode)
				for _, host := range posture.Network.Hosts {
					assert.NotContains(t, host, "*.", "hosts are named")
				}
			}
			ask := s.Approval != nil && s.Approval.Mode == toolspec.ApprovalRequired
			assert.Equal(t, group == "writing" || group == "destructive" || slices.Contains(asking, s.Name), ask, "approval")
			if group == "koreaKeyed" {
				assert.NotEmpty(t, s.Placeholders())
			}
			if group == "korea" || group == "global" {
				assert.Empty(t, s.Placeholders())
			}
			assert.Equal(t, group != "cards" && !slices.Contains([]string{"sendEmail", "addToCalendar", "showLocation", "requestFileUpload"}, s.Name),
				s.OutputSchema != nil, "all but cards have an output schema")
		})
	}
}

// A model chooses a tool and fills it in by what stands here.
func TestDescriptionsServeAModel(t *testing.T) {
	seen := map[string]string{}
	for _, s := range specs(t) {
		assert.GreaterOrEqual(t, len(s.Description), 120, s.Name)
		assert.LessOrEqual(t, len(s.Description), 460, s.Name)
		assert.Regexp(t, `^[A-Z][^.]+`, s.Description, s.Name)
		assert.Empty(t, seen[s.Description], s.Name)
		seen[s.Description] = s.Name
		if strings.HasPrefix(groupOf(s.Name), "korea") {
			assert.Regexp(t, `^(South )?Korea`, s.Description, "%s: a tool that is bound to a place says so first", s.Name)
		}
		for _, p := range s.Params {
			assert.GreaterOrEqual(t, len(p.Description), 12, s.Name+"."+p.Name)
			if !p.Required {
				continue
			}
			require.NotNil(t, p.TestValue, s.Name+"."+p.Name)
			assert.NotEmpty(t, *p.TestValue, s.Name+"."+p.Name)
		}
	}
}

// At least two cases assert, all have names and bind, and one must fail.
func TestCasesAssert(t *testing.T) {
	for _, s := range specs(t) {
		t.Run(s.Name, func(t *testing.T) {
			require.GreaterOrEqual(t, len(s.Tests), 3)
			names, failing := map[string]bool{}, 0
			for _, c := range s.Tests {
				assert.True(t, c.Asserts(), c.Name)
				assert.NotEmpty(t, c.Name)
				assert.False(t, names[c.Name], "two cases are called %q", c.Name)
				names[c.Name] = true
				if c.WantError != nil {
					failing++
					assert.NotEmpty(t, c.WantError.Kind, c.Name)
					assert.NotEmpty(t, c.WantError.Message+c.WantError.Reason, c.Name)
				}
				bound, err := s.Bind(c.Args, nil)
				if err != nil {
					assert.NotNil(t, c.WantError, c.Name)
					continue
				}
				assert.Zero(t, bound.Ignored, "%s: an argument that no parameter has", c.Name)
			}
			if s.Name != "listAllowedDirectories" { // it takes nothing that could be wrong
				assert.Positive(t, failing, "no case shows what a wrong argument gives")
			}
			assert.Less(t, failing, len(s.Tests), "no case shows what a right one gives")
			_, problems := s.TestArguments()
			assert.Empty(t, problems)
		})
	}
}

// What the sandbox does not have must not be in the code.
func TestCodeKeepsToThePlatform(t *testing.T) {
	absent := regexp.MustCompile(`\b(setTimeout|setInterval|process|require|import|eval|WeakRef|Temporal|toLocale\w*|Function)\s*[.(]`)
	comment := regexp.MustCompile(`(?m)^\s*//.*$`)
	for _, s := range specs(t) {
		code := comment.ReplaceAllString(s.Code, "")
		assert.Empty(t, absent.FindString(code), s.Name)
		assert.Less(t, len(s.Code), 20_000, s.Name)
		assert.NotContains(t, s.Code, "// include ", "%s: an include that was not found", s.Name)
	}
}

// withShared puts the files that a line "// include shared/NAME.js" names in the
// place of the line: a spec stands alone, and its authors write a thing once.
func withShared(t *testing.T, source []byte) []byte {
	t.Helper()
	include := regexp.MustCompile(`(?m)^// include (shared/[a-zA-Z]+\.js)\n`)
	return include.ReplaceAllFunc(source, func(line []byte) []byte {
		part, err := os.ReadFile(filepath.Join("code", string(include.FindSubmatch(line)[1])))
		require.NoError(t, err)
		return part
	})
}

// The readable copy of the code is the code.
func TestCodeFiles(t *testing.T) {
	line := regexp.MustCompile(`(?m)^  "code": ".*"(,?)$`)
	for _, s := range unpinned(t) {
		source, err := os.ReadFile(filepath.Join("code", s.Name+".js"))
		require.NoError(t, err)
		source = withShared(t, source)
		if *update && string(source) != s.Code {
			file := filepath.Join("specs", s.Name+".json")
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			var text bytes.Buffer
			enc := json.NewEncoder(&text)
			enc.SetEscapeHTML(false)
			require.NoError(t, enc.Encode(string(source)))
			at := line.FindSubmatchIndex(data)
			require.Len(t, line.FindAll(data, -1), 1, file)
			member := append([]byte(`  "code": `), bytes.TrimSpace(text.Bytes())...)
			data = slices.Concat(data[:at[0]], member, data[at[2]:])
			require.NoError(t, os.WriteFile(file, data, 0o644))
			continue
		}
		assert.Equal(t, string(source), s.Code, "code/%s.js differs: run go test ./toolspec/catalog -update, twice", s.Name)
	}
	sources, err := filepath.Glob("code/*.js")
	require.NoError(t, err)
	assert.Len(t, sources, len(catalog.Names()), "a file of code without a spec")
}

// Saving a spec gives the same text, but for blanks.
func TestRoundTrip(t *testing.T) {
	for _, s := range specs(t) {
		want, err := fs.ReadFile(catalog.FS(), s.Name+".json")
		require.NoError(t, err)
		var wantText, gotText bytes.Buffer
		require.NoError(t, json.Compact(&wantText, want))
		enc := json.NewEncoder(&gotText)
		enc.SetEscapeHTML(false)
		require.NoError(t, enc.Encode(s))
		assert.True(t, wantText.String()+"\n" == gotText.String(), "%s comes back changed", s.Name)
	}
}

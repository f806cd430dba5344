package catalog_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/catalog"
)

var update = flag.Bool("update", false, "copy code/*.js into specs/*.json")

func specs(t *testing.T) []*toolspec.Spec {
	t.Helper()
	all, err := catalog.Specs()
	require.NoError(t, err)
	return all
}

func TestNames(t *testing.T) {
	assert.Equal(t, []string{
		"cronNext", "csvSummary", "dateMath", "diffText", "hash", "jsonPathQuery",
		"markdownTable", "passwordStrength", "regexExtract", "stats", "unitConvert", "uuid",
	}, catalog.Names())
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	for i, s := range specs(t) {
		assert.Equal(t, catalog.Names()[i], s.Name, "a file has the name of its spec")
		assert.Contains(t, string(doc), "//\t"+s.Name+" ", "the package comment lists it")
	}
}

func TestFSLoadsWithoutProblems(t *testing.T) {
	docs, err := toolspec.LoadFS(catalog.FS(), ".", nil)
	require.NoError(t, err)
	require.Len(t, docs, 12)
	for _, d := range docs {
		assert.Empty(t, d.Problems, d.Source)
		require.NotNil(t, d.Spec, d.Source)
	}
	one, err := fs.ReadFile(catalog.FS(), "stats.json")
	require.NoError(t, err)
	assert.True(t, json.Valid(one))
}

func TestEachCallGivesNewSpecs(t *testing.T) {
	first := specs(t)
	first[0].Code = "return 1"
	first[0].Params[0].Name = "changed"
	again := specs(t)
	assert.NotEqual(t, "return 1", again[0].Code)
	assert.NotEqual(t, "changed", again[0].Params[0].Name)
}

// Every spec is as strict as the specification knows, and as safe.
func TestSpecsAreStrictAndHarmless(t *testing.T) {
	categories := []string{"TEXT", "DATA", "DATETIME", "MATH", "CRYPTO", "SECURITY"}
	tags := []string{"util", "pipeline"}
	ids := map[string]string{}
	for _, s := range specs(t) {
		t.Run(s.Name, func(t *testing.T) {
			assert.Empty(t, s.Validate(true), "strict validation")
			assert.Empty(t, toolspec.Lint(s), "lint")
			assert.Contains(t, categories, s.Category)
			assert.Subset(t, tags, s.Tags)
			assert.True(t, s.Draft, "the pass is earned on the host")
			assert.Empty(t, s.StaticVariables)
			assert.Nil(t, s.Approval)
			assert.Empty(t, s.Extra, "no member that the specification does not know")

			assert.Equal(t, (&toolspec.Spec{Name: s.Name}).ID(), s.ToolID, "the id is derived from the name")
			assert.Empty(t, ids[s.ToolID])
			ids[s.ToolID] = s.Name

			assert.Equal(t, toolspec.L0, toolspec.RiskOf(s, nil).Level)
			posture, problems := toolspec.Resolve(s, nil)
			assert.Empty(t, problems)
			assert.Equal(t, toolspec.NetworkBlocked, posture.Network.Mode)
			assert.False(t, posture.FileRead || posture.FileWrite || posture.Destructive)
			assert.Equal(t, toolspec.NetworkBlocked, s.Overrides.NetworkMode, "also on a host whose baseline grants more")
		})
	}
}

// A model chooses a tool and fills it in by what stands here.
func TestDescriptionsServeAModel(t *testing.T) {
	for _, s := range specs(t) {
		assert.GreaterOrEqual(t, len(s.Description), 120, s.Name)
		assert.LessOrEqual(t, len(s.Description), 450, s.Name)
		assert.Regexp(t, `^[A-Z][^.]+`, s.Description, s.Name)
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

// Every case asserts, binds, and there is one that must fail.
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
					assert.Equal(t, toolspec.KindJSError, c.WantError.Kind, c.Name)
					assert.NotEmpty(t, c.WantError.Message, c.Name)
				}
				bound, err := s.Bind(c.Args, nil)
				require.Nil(t, err, c.Name)
				assert.Zero(t, bound.Ignored, "%s: an argument that no parameter has", c.Name)
			}
			assert.Positive(t, failing, "no case shows what a wrong argument gives")
			_, problems := s.TestArguments()
			assert.Empty(t, problems)
		})
	}
}

// What the sandbox does not have, or gets wrong, must not be in the code.
func TestCodeKeepsToThePlatform(t *testing.T) {
	absent := regexp.MustCompile(`\b(fetch|safety|URL|URLSearchParams|TextEncoder|TextDecoder|atob|btoa|structuredClone|setTimeout|setInterval|` +
		`queueMicrotask|process|require|import|eval|WeakRef|Temporal|toLocale\w*|crypto\.subtle|for await|async function\*|escape|unescape|Function)\s*[.(]`)
	comment := regexp.MustCompile(`(?m)//.*$`)
	for _, s := range specs(t) {
		code := comment.ReplaceAllString(s.Code, "")
		assert.Empty(t, absent.FindString(code), s.Name)
		assert.NotContains(t, strings.ReplaceAll(code, `\\`, ""), `\p{`, s.Name)
		assert.Less(t, len(s.Code), 20_000, s.Name)
	}
}

// The readable copy of the code is the code.
func TestCodeFiles(t *testing.T) {
	line := regexp.MustCompile(`(?m)^  "code": ".*"$`)
	for _, s := range specs(t) {
		source, err := os.ReadFile(filepath.Join("code", s.Name+".js"))
		require.NoError(t, err)
		if *update && string(source) != s.Code {
			file := filepath.Join("specs", s.Name+".json")
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			var text bytes.Buffer
			enc := json.NewEncoder(&text)
			enc.SetEscapeHTML(false)
			require.NoError(t, enc.Encode(string(source)))
			member := append([]byte(`  "code": `), bytes.TrimSpace(text.Bytes())...)
			require.Len(t, line.FindAll(data, -1), 1, file)
			data = line.ReplaceAllLiteral(data, member)
			require.NoError(t, os.WriteFile(file, data, 0o644))
			continue
		}
		assert.Equal(t, string(source), s.Code, "code/%s.js differs: run go test ./toolspec/catalog -update", s.Name)
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

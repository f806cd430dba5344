package catalog_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/catalog"
)

var update = flag.Bool("update", false, "copy code/*.js into specs/*.json, and write pins.json, testdata/specs.sum and the list in doc.go anew")

// unpinned reads the specs without asking their pins.
func unpinned(t *testing.T) (all []*toolspec.Spec) {
	t.Helper()
	files, err := filepath.Glob("specs/*.json")
	require.NoError(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		s, err := toolspec.ParseSpec(data)
		require.NoError(t, err, file)
		all = append(all, s)
	}
	return all
}

// The pins are those of the specs, and what the program carries is what stands
// here: a changed byte of a spec shows.
func TestPins(t *testing.T) {
	tools := map[string]string{}
	for _, s := range unpinned(t) {
		tools[s.Name] = s.CatalogHash()
	}
	want, err := json.MarshalIndent(map[string]any{"version": 1, "tools": tools}, "", "  ")
	require.NoError(t, err)
	generated(t, "pins.json", append(want, '\n'))
	pins, err := catalog.Pins()
	require.NoError(t, err)
	if !*update {
		assert.Equal(t, tools, pins)
	}
	pins["stats"] = "changed"
	again, err := catalog.Pins()
	require.NoError(t, err)
	assert.NotEqual(t, "changed", again["stats"], "each call gives a new map")
}

// The pins leave out test cases, fixtures and some more: these sums do not.
func TestSums(t *testing.T) {
	var sums bytes.Buffer
	for _, name := range catalog.Names() {
		data, err := fs.ReadFile(catalog.FS(), name+".json")
		require.NoError(t, err)
		fmt.Fprintf(&sums, "%x  specs/%s.json\n", sha256.Sum256(data), name)
	}
	generated(t, "testdata/specs.sum", sums.Bytes())
}

func TestListInDoc(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	const begin, end = "// # The tools\n", "//\n// # Changing them\n"
	before, rest, ok := strings.Cut(string(doc), begin)
	require.True(t, ok)
	_, after, ok := strings.Cut(rest, end)
	require.True(t, ok)
	var list strings.Builder
	byCategory := map[string][]*toolspec.Spec{}
	for _, s := range unpinned(t) {
		byCategory[s.Category] = append(byCategory[s.Category], s)
	}
	for _, c := range catalog.Categories() {
		if len(byCategory[c.ID]) == 0 {
			continue
		}
		fmt.Fprintf(&list, "//\n// %s:\n//\n", c.DisplayName)
		for _, s := range byCategory[c.ID] {
			sentence, _, _ := strings.Cut(s.Description, ". ")
			sentence = strings.TrimSuffix(sentence, ".")
			fmt.Fprintf(&list, "//\t%-26s %s  %s\n", s.Name, s.Risk(nil).Level, short(sentence))
		}
	}
	generated(t, "doc.go", []byte(before+begin+list.String()+end+after))
}

func short(s string) string {
	if r := []rune(s); len(r) > 100 {
		cut := strings.LastIndex(string(r[:100]), " ")
		return s[:max(cut, 0)] + " …"
	}
	return s
}

// generated holds a file against what the specs make of it, or writes it.
func generated(t *testing.T, file string, want []byte) {
	t.Helper()
	got, err := os.ReadFile(file)
	if *update && !bytes.Equal(got, want) {
		require.NoError(t, os.WriteFile(file, want, 0o644))
		return
	}
	require.NoError(t, err)
	assert.True(t, bytes.Equal(got, want), "%s is not up to date: look at what was changed in specs, then run go test ./toolspec/catalog -update", file)
}

func TestUpdateIsOff(t *testing.T) {
	if *update && os.Getenv("CI") != "" {
		t.Fatal("CI compares, it does not write")
	}
	assert.False(t, slices.Contains(catalog.Names(), ""))
}

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A folder is exported as one bundle, and its specs are imported as drafts.
func TestExportAndImport(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), t.TempDir()
	writeSpec(t, from, "one", "return 1;")
	writeSpec(t, from, "two", "return 2;")
	bundle := filepath.Join(to, "bundle.json")
	mustSucceed(t, "export", "-o", bundle, from)
	mustFail(t, 1, "exists", "export", "-o", bundle, from)
	single, _ := mustExit(t, 0, "export", filepath.Join(from, "one.json"))
	assert.Contains(t, single, `"name": "one"`)

	in := t.TempDir()
	mustSucceed(t, "import", "-in", in, "-dry-run", bundle)
	entries, err := os.ReadDir(in)
	require.NoError(t, err)
	assert.Empty(t, entries)
	stdout := mustSucceed(t, "import", "-in", in, bundle)
	assert.Contains(t, stdout, "imported two  L0")
	mustSucceed(t, "pass", "-home", t.TempDir(), in)
	stdout, _ = mustExit(t, 1, "import", "-in", in, bundle)
	assert.Contains(t, stdout, "skipped  one")

	bad := testFile(t, to, "bad.json", `[{"name":"../evil","code":"return 1;","codeType":"Javascript"},{"name":"nocode"},
		{"name":"good","code":"return 1;","codeType":"Javascript","draft":false,"x-local-pass":{"hash":"x"}}]`)
	stdout, _ = mustExit(t, 1, "import", "-in", in, bad)
	assert.Contains(t, stdout, `refused  "../evil" is no name for a file`)
	assert.Contains(t, stdout, "refused  ")
	assert.Contains(t, stdout, "imported good")
	assert.Contains(t, readFile(t, filepath.Join(in, "good.json")), `"draft": true`)
}

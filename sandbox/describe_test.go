package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox"
)

// What a description names as proof is there.
func TestGuaranteesAreShown(t *testing.T) {
	folders := map[string]string{"sandbox": ".", "egress": "egress", "files": "internal/files", "js": "internal/js", "worker": "../internal/worker"}
	d := newSandbox(t, &sandbox.Options{Workers: 1}).Describe()
	require.NotEmpty(t, d.Guarantees)
	for _, g := range d.Guarantees {
		assert.NotEmpty(t, g.Holds)
		assert.NotEmpty(t, g.Against)
		for proof := range strings.SplitSeq(g.Test, ", ") {
			pkg, name, ok := strings.Cut(proof, ".")
			require.True(t, ok, proof)
			files, err := filepath.Glob(filepath.Join(folders[pkg], "*_test.go"))
			require.NoError(t, err)
			found := false
			for _, file := range files {
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				found = found || strings.Contains(string(text), "func "+name+"(")
			}
			assert.True(t, found, "%s: there is no such test", proof)
		}
	}
}

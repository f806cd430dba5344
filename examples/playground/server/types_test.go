package server_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/playground/internal/tsgen"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The TypeScript types of the page equal those of the API.
func TestTypes(t *testing.T) {
	s := open(t, nil)
	got, err := tsgen.Types(s.OpenAPI())
	require.NoError(t, err)
	file := filepath.Join("..", "web", "src", "api", "types.ts")
	if *update {
		require.NoError(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "run: go test ./examples/playground/server -run TestTypes -update, and build the page again")
}

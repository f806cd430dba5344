package localpass_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// declaresClose matches the line of go doc that declares a method Close, of a type or of
// an interface.
var declaresClose = regexp.MustCompile(`^(func \(.*\) |\t)Close\(`)

var update = flag.Bool("update", false, "rewrite the golden files")

// Every change of the exported API shows as a change of a golden file, where a
// reviewer sees it. "go test -run TestAPI . -update" accepts it.
func TestAPI(t *testing.T) {
	out, err := exec.Command("go", "list", "./...").Output()
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, path := range strings.Fields(string(out)) {
		name := strings.TrimPrefix(strings.TrimPrefix(path, "github.com/localpass/localpass"), "/")
		if strings.HasPrefix(name, "examples/") || strings.Contains("/"+name+"/", "/internal/") {
			continue
		}
		if name == "" {
			name = "localpass"
		}
		golden := strings.ReplaceAll(name, "/", "_") + ".txt"
		seen[golden] = true
		t.Run(name, func(t *testing.T) {
			doc, err := exec.Command("go", "doc", "-all", path).Output()
			require.NoError(t, err)
			file := filepath.Join("testdata", "api", golden)
			if *update {
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
				require.NoError(t, os.WriteFile(file, doc, 0o644))
			}
			for _, line := range strings.Split(string(doc), "\n") { // one shape: whatever needs time bounds it itself
				assert.False(t, declaresClose.MatchString(line) && !strings.HasSuffix(line, "Close() error"), "write Close() error: %s", line)
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, string(want), string(doc), "the exported API changed: if that is meant, go test -run TestAPI . -update")
		})
	}
	require.NotEmpty(t, seen)
	files, err := os.ReadDir(filepath.Join("testdata", "api"))
	require.NoError(t, err)
	for _, f := range files {
		assert.True(t, seen[f.Name()], "testdata/api/%s belongs to no package: delete it", f.Name())
	}
}

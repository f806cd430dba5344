package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files anew")

// One mistake in each of the files, and what their author is told: where it is,
// what is wrong and what to do, so that one read suffices.
func TestMistakes(t *testing.T) {
	t.Parallel()
	const dir = "testdata/mistakes"
	files, err := filepath.Glob(dir + "/*.json")
	require.NoError(t, err)
	require.Greater(t, len(files), 40)
	cmd := command(t, "pass", "-home", t.TempDir(), ".")
	cmd.Dir = dir
	out, err := cmd.Output()
	require.Error(t, err, "not every spec passes")
	got := regexp.MustCompile(`  \d+ ms`).ReplaceAllString(string(out), "  N ms")
	got = regexp.MustCompile(`\b[0-9a-f]{64}\b`).ReplaceAllString(got, "HASH")

	golden := filepath.Join(dir, "pass.golden")
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)

	// Each line says where and what to do. Without an error there is a warning.
	place := regexp.MustCompile(`line \d+, column \d+|[A-Z_]+ [a-zA-Z-]+(\[\d+\])?(\.[a-zA-Z]+(\[\d+\])?)*: `)
	lines := strings.Split(strings.TrimSpace(got), "\n")
	told := map[string]bool{}
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "     the same in: "):
			continue // as in the line above
		case strings.HasPrefix(line, "PASS "):
			require.Contains(t, lines[i+1], "     warning: ", line)
			told[strings.Fields(line)[1]] = true
			continue
		case strings.HasPrefix(line, "FAIL "):
			told[strings.Fields(line)[1]] = true
		}
		assert.Regexp(t, place, line)
		assert.Contains(t, line, "; ")
	}
	for _, file := range files {
		base := filepath.Base(file)
		assert.True(t, told[base] || told["greet"+base[:2]] || base[:2] == "55" && told["hash"], base)
	}
}

package specdiff_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/localpass/localpass/toolspec/specdiff"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDiffOfCode(t *testing.T) {
	numbered := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "line %d\n", i)
		}
		return b.String()
	}
	for name, tc := range map[string]struct{ from, to, text, want string }{
		"one line": {"a\nb\nc\n", "a\nB\nc\n", "The code changes: +1 −1 lines.", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"},
		"no line break at the end": {"a", "a\n", "The code changes: +1 −1 lines.",
			"@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		"to nothing": {"a\nb\n", "", "The code changes: +0 −2 lines.", "@@ -1,2 +0,0 @@\n-a\n-b\n"},
		"two hunks": {numbered(30), strings.Replace(strings.Replace(numbered(30), "line 4\n", "", 1), "line 25\n", "line 25\nmore\n", 1), "The code changes: +1 −1 lines.",
			"@@ -2,7 +2,6 @@\n line 1\n line 2\n line 3\n-line 4\n line 5\n line 6\n line 7\n@@ -24,6 +23,7 @@\n line 23\n line 24\n line 25\n+more\n line 26\n line 27\n line 28\n"},
		"one hunk of two": {numbered(10), strings.Replace(strings.Replace(numbered(10), "line 1\n", "", 1), "line 8\n", "", 1), "The code changes: +0 −2 lines.",
			"@@ -1,10 +1,8 @@\n line 0\n-line 1\n line 2\n line 3\n line 4\n line 5\n line 6\n line 7\n-line 8\n line 9\n"},
	} {
		t.Run(name, func(t *testing.T) {
			from, to := member(t, ""), member(t, "")
			from.Code, to.Code = tc.from, tc.to
			d := specdiff.Diff(from, to, nil)
			require.Len(t, d.Rows, 1)
			assert.Equal(t, tc.text, d.Rows[0].Text)
			assert.Equal(t, tc.want, d.CodeDiff)
		})
	}
	from, to := member(t, ""), member(t, "")
	from.Code, to.Code = numbered(2000), strings.ReplaceAll(numbered(1000), "line", "row")
	d := specdiff.Diff(from, to, nil)
	assert.Equal(t, "The code changes: +1000 −2000 lines.", d.Rows[0].Text, "too much differs to look for the shortest way")
}

// The hunks lead from one text to the other, as another program applies them.
func TestDiffOfCodeApplies(t *testing.T) {
	patch, err := exec.LookPath("patch")
	if err != nil {
		t.Skip("there is no program named patch here")
	}
	d := rand.New(rand.NewPCG(11, 17))
	dir := t.TempDir()
	for i := range 40 {
		lines := make([]string, d.IntN(30))
		for j := range lines {
			lines[j] = string(rune('a'+d.IntN(6))) + "\n"
		}
		from, to := member(t, ""), member(t, "")
		from.Code = strings.Join(lines, "")
		for range d.IntN(8) {
			at := d.IntN(len(lines) + 1)
			switch {
			case d.IntN(2) == 0 && at < len(lines):
				lines = slices.Delete(slices.Clone(lines), at, at+1)
			default:
				lines = slices.Insert(slices.Clone(lines), at, "new\n")
			}
		}
		to.Code = strings.Join(lines, "")
		if d.IntN(3) == 0 {
			to.Code += "end"
		}
		diff := specdiff.Diff(from, to, nil)
		if from.Code == to.Code {
			assert.Empty(t, diff.Rows)
			continue
		}
		file := filepath.Join(dir, fmt.Sprint(i))
		require.NoError(t, os.WriteFile(file, []byte(from.Code), 0o644))
		cmd := exec.Command(patch, "--quiet", "--fuzz=0", file)
		cmd.Stdin = strings.NewReader("--- a\n+++ b\n" + diff.CodeDiff)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s\n%q\n%q\n%s", out, from.Code, to.Code, diff.CodeDiff)
		got, err := os.ReadFile(file)
		if os.IsNotExist(err) {
			got = nil // a file that became empty is removed
		}
		require.Equal(t, to.Code, string(got))
	}
}

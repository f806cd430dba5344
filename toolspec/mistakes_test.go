package toolspec_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
)

var update = flag.Bool("update", false, "write the golden files anew")

// What authors get wrong, and the full text of what they are told: testdata/mistakes
// holds one document each, with the answer behind it.
func TestMistakes(t *testing.T) {
	files, err := filepath.Glob("testdata/mistakes/*.json")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 20)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			got := ""
			docs, err := toolspec.Parse(data, nil)
			if err != nil {
				got = err.Error() + "\n"
			}
			for _, doc := range docs {
				problems := doc.Problems
				if doc.Spec != nil {
					_, rejected := doc.Spec.Resolve(nil)
					problems = append(problems, rejected...)
				}
				require.NotEmpty(t, problems)
				for _, p := range problems {
					got += string(p.Severity) + " " + p.Reason + "\n  " + p.Error() + "\n"
					assert.NotEmpty(t, p.Remedy, "every problem says what to do")
				}
			}
			golden := strings.TrimSuffix(file, ".json") + ".txt"
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), got)
		})
	}
}

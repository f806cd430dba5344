package scan

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rates are how many of the tools of a group there are and are blocked, by half: learned, held
// out.
type rates struct{ of, hit [2]int }

func (r *rates) count(s *Sample, blocked bool) {
	half := 0
	if s.HeldOut {
		half = 1
	}
	r.of[half]++
	if blocked {
		r.hit[half]++
	}
}

func (r *rates) at(half int) float64 { return 100 * float64(r.hit[half]) / float64(max(r.of[half], 1)) }

func (r *rates) line(name string) string {
	return fmt.Sprintf("//\t%-24s %5.1f %% of %-4d  %5.1f %% of %d\n", name, r.at(0), r.of[0], r.at(1), r.of[1])
}

// TestRates holds the table in the package documentation to what is measured; with -update it
// writes the table, after TestWeights wrote the weights.
func TestRates(t *testing.T) {
	var poisoned, honest rates
	classes, languages := map[string]*rates{}, map[string]*rates{}
	at := func(m map[string]*rates, key string) *rates {
		if m[key] == nil {
			m[key] = &rates{}
		}
		return m[key]
	}
	for _, s := range Corpus(t) {
		blocked := new(Scanner).Scan(s.Server)[0].Verdict == Block
		if !s.Poisoned {
			honest.count(&s, blocked)
			at(languages, s.Language+", honest").count(&s, blocked)
			continue
		}
		poisoned.count(&s, blocked)
		at(classes, s.Class).count(&s, blocked)
		at(languages, s.Language+", poisoned").count(&s, blocked)
	}
	var b strings.Builder
	b.WriteString("//\t                          learned half      held out\n")
	b.WriteString(poisoned.line("poisoned, blocked") + honest.line("honest, blocked") + "//\n")
	for _, m := range []map[string]*rates{languages, classes} {
		keys := make([]string, 0, len(m))
		for key := range m {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			b.WriteString(m[key].line(key))
		}
		b.WriteString("//\n")
	}
	table := b.String()

	const begin, end = "// TestRates writes this table:\n//\n", "// End of the table.\n"
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(doc), begin)
	require.True(t, found)
	now, after, found := strings.Cut(rest, end)
	require.True(t, found)
	if *update {
		require.NoError(t, os.WriteFile("doc.go", []byte(before+begin+table+end+after), 0o644))
		return
	}
	assert.Equal(t, now, table, "go test ./mcphub/scan -run TestWeights -update, and then the same with TestRates")
}

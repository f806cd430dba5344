package splitter_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag/splitter"
)

// The estimate beside the exact count, on text that is at hand everywhere: this module's
// own documentation and code. LOCALPASS_TEXTS names a folder of further text files, whose
// errors are printed.
func TestApproximateError(t *testing.T) {
	t.Parallel()
	exact, rough := cl100k(t), splitter.Approximate()
	off := func(text string) float64 {
		want, err := exact.Tokens(text)
		require.NoError(t, err)
		got, err := rough.Tokens(text)
		require.NoError(t, err)
		return 100 * (float64(len(got))/float64(len(want)) - 1)
	}
	for pattern, most := range map[string]float64{"../../docs/*.md": 8, "../*.go": 10, "*.go": 10} {
		names, err := filepath.Glob(pattern)
		require.NoError(t, err)
		var all strings.Builder
		for _, name := range names {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			all.Write(text)
		}
		assert.InDelta(t, 0, off(all.String()), most, "%s, in percent", pattern)
	}
	if folder := os.Getenv("LOCALPASS_TEXTS"); folder != "" {
		names, _ := filepath.Glob(filepath.Join(folder, "*.txt"))
		for _, name := range names {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			t.Logf("%-30s %+.1f %%", filepath.Base(name), off(strings.ToValidUTF8(string(text), "")))
		}
	}
}

func FuzzApproximate(f *testing.F) {
	for _, text := range []string{"", "two words", "日本語🎉🎉🎉🎉 x", "Ünïcode Привет 1234567", " \n\n  ", "a\xff\xfeb", "aé"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ends, err := splitter.Approximate().Tokens(text)
		if err != nil {
			t.Fatal(err)
		}
		last := 0
		for _, end := range ends {
			if end <= last || end > len(text) || utf8.ValidString(text) && end < len(text) && !utf8.RuneStart(text[end]) {
				t.Fatalf("%q has tokens to %v", text, ends)
			}
			last = end
		}
		if last != len(text) {
			t.Fatalf("%q has tokens to %v", text, ends)
		}
	})
}

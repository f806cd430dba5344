package termtext_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/termtext"
)

// printed prints a text in pieces of a size.
func printed(t testing.TB, text string, piece int) string {
	t.Helper()
	var out bytes.Buffer
	w := termtext.NewWriter(&out)
	for len(text) > 0 {
		n := min(piece, len(text))
		wrote, err := w.Write([]byte(text[:n]))
		require.NoError(t, err)
		require.Equal(t, n, wrote)
		text = text[n:]
	}
	require.NoError(t, w.Flush())
	return out.String()
}

func TestWriter(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"text":            {"plain\ttext\nünïcode 한글 👩\u200d💻 ⚠\ufe0f", "plain\ttext\nünïcode 한글 👩\u200d💻 ⚠\ufe0f"},
		"colour":          {"\x1b[32mPASS\x1b[0m", `\u001b[32mPASS\u001b[0m`},
		"carriage return": {"FAIL x\rPASS x", `FAIL x\u000dPASS x`},
		"C1":              {"a\u009b2Jb\u0085", `a\u009b2Jb\u0085`},
		"C1 as a byte":    {"a\x9b2J", "a\ufffd2J"},
		"bidi":            {"a\u202eb\u2066c", `a\u202eb\u2066c`},
		"line separator":  {"a\u2028b", `a\u2028b`},
		"tag":             {"a\U000e0041b", `a\udb40\udc41b`},
		"bad bytes":       {"a\xffb\xe2\x80", "a\ufffdb\ufffd\ufffd"},
		"delete":          {"a\x7f\x00", `a\u007f\u0000`},
	} {
		t.Run(name, func(t *testing.T) {
			for piece := 1; piece < 6; piece++ {
				assert.Equal(t, c.want, printed(t, c.in, piece), "in pieces of %d", piece)
			}
		})
	}
}

// broken is a writer that fails.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.ErrUnsupported }

func TestWriterTellsOfErrors(t *testing.T) {
	w := termtext.NewWriter(broken{})
	for _, text := range []string{"plain", "\x1b[0m"} {
		n, err := w.Write([]byte(text))
		require.ErrorIs(t, err, errors.ErrUnsupported)
		assert.Zero(t, n)
	}
	_, err := w.Write([]byte("\xe2"))
	require.NoError(t, err, "nothing is printed yet")
	require.ErrorIs(t, w.Flush(), errors.ErrUnsupported)
	require.NoError(t, w.Flush())
}

func TestWriterIsForMany(t *testing.T) {
	var out bytes.Buffer
	w := termtext.NewWriter(&out)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 100 {
				_, _ = w.Write([]byte("a\x1bb\n"))
			}
		})
	}
	group.Wait()
	assert.Equal(t, 400, bytes.Count(out.Bytes(), []byte(`a\u001bb`+"\n")))
}

// Whatever is printed, and however it is cut: nothing that a terminal acts on
// comes out, and JSON stays the same JSON.
func FuzzWriter(f *testing.F) {
	for _, seed := range []string{"plain", "\x1b[31mred", "\x1b]0;t\x07x", "\u009b2J", "a\u202eb", "\xc2", "\xe2\x80", "é\x1b(", "\U000e0041", `"\u2028"`} {
		f.Add(seed, 1)
	}
	f.Fuzz(func(t *testing.T, in string, piece int) {
		whole := printed(t, in, max(len(in), 1))
		harmless(t, whole)
		if piece = piece % 9; piece > 0 {
			require.Equal(t, whole, printed(t, in, piece), "in pieces of %d", piece)
		}
		require.Equal(t, whole, printed(t, whole, 1<<20), "what was printed is printed as it is")
		quoted, err := json.Marshal(in)
		require.NoError(t, err)
		var want, got string
		require.NoError(t, json.Unmarshal(quoted, &want))
		require.NoError(t, json.Unmarshal([]byte(printed(t, string(quoted), 3)), &got))
		require.Equal(t, want, got)
	})
}

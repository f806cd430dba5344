package logline_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/logline"
)

// lines makes a file of groups that belong together.
func lines(t testing.TB, groups ...[]string) []string {
	t.Helper()
	var buf bytes.Buffer
	for _, group := range groups {
		for i, data := range group {
			require.NoError(t, logline.Append(&buf, time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC), len(group)-1-i, func(buf *bytes.Buffer) error {
				buf.WriteString(data)
				return nil
			}))
		}
	}
	return strings.SplitAfter(strings.TrimSuffix(buf.String(), "\n"), "\n")
}

// read shows what a reader gives of a file: entries by line and data, faults by
// line, size and kind.
func read(t testing.TB, text string, most int64) (shown string) {
	t.Helper()
	var faults []string
	r := logline.NewReader(strings.NewReader(text), 0, most, func(f logline.Fault) {
		assert.Error(t, f.Why)
		assert.LessOrEqual(t, f.Offset+f.Size, int64(len(text)))
		kind := "damage"
		if f.Cut {
			kind = "cut"
		} else if f.Gone {
			kind = "gone"
		}
		faults = append(faults, fmt.Sprint(kind, " ", f.Line))
	})
	for {
		e, err := r.Next()
		for _, f := range faults {
			shown += "[" + f + "]"
		}
		faults = nil
		if errors.Is(err, io.EOF) {
			return shown
		}
		require.NoError(t, err)
		assert.LessOrEqual(t, e.End, int64(len(text)))
		shown += fmt.Sprint(e.Line, "=", string(e.Data), " ")
	}
}

func TestReader(t *testing.T) {
	l := lines(t, []string{"1"}, []string{`"a"`, `"b"`, `"c"`}, []string{"2"})
	l[4] += "\n"
	bad := strings.Replace(l[2], "b", "x", 1)
	for want, text := range map[string]string{
		`1=1 2="a" 3="b" 4="c" 5=2 `:     strings.Join(l, ""),
		`1=1 [cut 2]`:                    l[0] + l[1] + l[2],
		`1=1 2="a" 3="b" 4="c" [cut 5]`:  l[0] + l[1] + l[2] + l[3] + l[4][:20],
		`1=1 [damage 3]2="a" 4="c" 5=2 `: l[0] + l[1] + bad + l[3] + l[4],
		`1=1 [gone 3]2="a" 3="c" 4=2 `:   l[0] + l[1] + l[3] + l[4],
		`1=1 [damage 3][cut 2]`:          l[0] + l[1] + bad,
		`1=1 [damage 2]`:                 l[0] + "\x00\x00\n\n",
		``:                               "",
	} {
		assert.Equal(t, want, read(t, text, 1<<20))
	}
	assert.Equal(t, `1=1 [cut 2]`, read(t, l[0]+l[1]+bad[:30], 1<<20))
	assert.Equal(t, `[damage 1]2=1 `, read(t, strings.Repeat("x", 200)+"\n"+l[0], 100))
	assert.Equal(t, `[damage 1]2=1 `, read(t, strings.Repeat("x", 100_000)+"\n"+l[0], 100))
}

func FuzzReader(f *testing.F) {
	text := strings.Join(lines(f, []string{"1"}, []string{`"a"`, `"b"`}, []string{"{}"}), "") + "\n"
	f.Add(text)
	f.Add(text[:len(text)-5])
	f.Add(strings.Replace(text, `"more":1`, `"more":7`, 1))
	f.Fuzz(func(t *testing.T, text string) {
		read(t, text, 1<<10)
		// What a writer adds behind it, on a line of its own, is read.
		assert.True(t, strings.HasSuffix(read(t, text+"\n"+lines(t, []string{"77"})[0]+"\n", 1<<20), "=77 "))
		if c, err := logline.Parse([]byte(text)); err == nil {
			assert.Positive(t, len(c.Data))
		}
	})
}

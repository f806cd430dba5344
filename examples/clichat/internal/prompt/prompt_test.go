package prompt_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/clichat/internal/prompt"
	"github.com/localpass/localpass/examples/clichat/internal/render"
	"github.com/localpass/localpass/internal/leak"
)

// pieces hands input out in pieces of some size.
type pieces struct {
	data []byte
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.data) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.data[:min(p.size, len(p.data))])
	p.data = p.data[n:]
	return n, nil
}

// read gives keys to one Read.
func read(t testing.TB, keys string, size int, opts *prompt.Options) (string, error) {
	t.Helper()
	term := prompt.New(&pieces{[]byte(keys), size}, io.Discard, nil)
	defer term.Close()
	return term.Read(context.Background(), opts)
}

func history(entries ...string) *prompt.History {
	h, _ := prompt.OpenHistory("")
	for _, e := range entries {
		_ = h.Add(e)
	}
	return h
}

func names(text string, cursor int) (int, []string) {
	from := strings.LastIndexByte(text[:cursor], ' ') + 1
	var out []string
	for _, n := range []string{"alpha", "alpine", "beta"} {
		if strings.HasPrefix(n, text[from:cursor]) {
			out = append(out, n)
		}
	}
	return from, out
}

func TestRead(t *testing.T) {
	leak.Check(t)
	const (
		up, down, left, right = "\x1b[A", "\x1b[B", "\x1b[D", "\x1b[C"
		home, end, del        = "\x1b[H", "\x1b[F", "\x1b[3~"
		wordLeft, wordRight   = "\x1b[1;5D", "\x1bf"
		paste, pasted         = "\x1b[200~", "\x1b[201~"
	)
	h := history("oldest one", "middle\nof two lines", "newest")
	for name, c := range map[string]struct {
		keys string
		want string
		err  error
		opts *prompt.Options
	}{
		"plain":             {keys: "hello\r", want: "hello"},
		"korean":            {keys: "한국어\x7f\x7f말\r", want: "한말"},
		"combining":         {keys: "e\u0301x" + left + "\x7f\r", want: "x"},
		"delete":            {keys: "abc" + home + del + "\r", want: "bc"},
		"middle":            {keys: "ac" + left + "b\r", want: "abc"},
		"ends":              {keys: "b" + home + "a" + end + "c\r", want: "abc"},
		"emacs":             {keys: "bcd\x01a\x05e\x02\x02X\x06\x06Y\r", want: "abcXdeY"},
		"kill word":         {keys: "one two\x17three\r", want: "one three"},
		"kill rest":         {keys: "one two\x01\x1bf\x0b\r", want: "one"},
		"kill and yank":     {keys: "one\x15two \x19\r", want: "two one"},
		"alt backspace":     {keys: "one two\x1b\x7f\r", want: "one"},
		"words":             {keys: "one two" + wordLeft + "X" + wordRight + "Y\r", want: "one XtwoY"},
		"alt enter":         {keys: "a\x1b\rb\r", want: "a\nb"},
		"backslash":         {keys: "a\\\rb\r", want: "a\nb"},
		"two backslashes":   {keys: "a\\\\\r", want: `a\\`},
		"block":             {keys: "\"\"\"\ra\r\rb\r\"\"\"\r", want: "a\n\nb"},
		"paste":             {keys: paste + "a\r\nb\rc\n" + pasted + "\r", want: "a\nb\nc"},
		"paste is stripped": {keys: paste + "a\x1b[31mb\u202ec" + pasted + "\r", want: `ab\u202ec`},
		"lines up and down": {keys: "long line\nab" + up + "X" + down + "Y\r", want: "loXng line\nabY"},
		"kill a break":      {keys: "a\nb" + up + end + "\x0b\r", want: "ab"},
		"controls":          {keys: "a\x00\x1d\x1e\x1fb\r", want: "ab"},
		"unknown sequence":  {keys: "a\x1b[99;99xb\x1bO" + "zc\r", want: "abc"},
		"escape escape":     {keys: "a\x1b\x1b[Db\r", want: "ba"},
		"interrupt clears":  {keys: "gone\x03kept\r", want: "kept"},
		"interrupt twice":   {keys: "\x03\x03", err: prompt.ErrInterrupted},
		"end":               {keys: "\x04", err: io.EOF},
		"end deletes":       {keys: "ab\x01\x04\r", want: "b"},
		"gone":              {keys: "half", err: io.EOF},
		"history":           {keys: up + "\r", want: "newest", opts: &prompt.Options{History: h}},
		"history lines":     {keys: up + up + up + up + "\r", want: "oldest one", opts: &prompt.Options{History: h}},
		"history and back":  {keys: "draft" + up + up + down + down + down + down + "\r", want: "draft", opts: &prompt.Options{History: h}},
		"search":            {keys: "\x12two\r\r", want: "middle\nof two lines", opts: &prompt.Options{History: h}},
		"search again":      {keys: "\x12o\x12" + right + "!\r", want: "oldest one!", opts: &prompt.Options{History: h}},
		"search in vain":    {keys: "mine\x12zzz\x03\r", want: "mine", opts: &prompt.Options{History: h}},
		"search corrected":  {keys: "\x12newx\x7f\x03kept\r", want: "kept", opts: &prompt.Options{History: h}},
		"complete":          {keys: "say b\t\r", want: "say beta", opts: &prompt.Options{Complete: names}},
		"complete common":   {keys: "a\t!\r", want: "alp!", opts: &prompt.Options{Complete: names}},
		"complete menu":     {keys: "a\t\t\t\r", want: "alpine", opts: &prompt.Options{Complete: names}},
		"complete back":     {keys: "a\t\x1b[Z\x1b[Z\r", want: "alpha", opts: &prompt.Options{Complete: names}},
		"complete nothing":  {keys: "z\t\r", want: "z", opts: &prompt.Options{Complete: names}},
		"no completion":     {keys: "a\t\r", want: "a"},
		"single":            {keys: "a\x1b\r\x12b\\\r", want: `ab\`, opts: &prompt.Options{Single: true}},
		"single interrupt":  {keys: "a\x03", err: prompt.ErrInterrupted, opts: &prompt.Options{Single: true}},
		"typed":             {keys: "a" + paste + "b" + pasted, err: prompt.ErrPasted, opts: &prompt.Options{Single: true, Typed: true}},
		"initial":           {keys: "!\r", want: "there!", opts: &prompt.Options{Initial: "there"}},
		"redraw":            {keys: "a\x0cb\r", want: "ab"},
		"suspend":           {keys: "a\x1ab\r", want: "ab"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1000, 7, 3} {
				if size < 1000 && strings.Contains(c.keys, "\x1b") {
					continue // a terminal sends a sequence as one piece
				}
				got, err := read(t, c.keys, size, c.opts)
				require.ErrorIs(t, err, c.err)
				assert.Equal(t, c.want, got, "in pieces of %d", size)
			}
		})
	}
}

func TestReadEndsWithItsContext(t *testing.T) {
	leak.Check(t)
	in, out := io.Pipe()
	defer out.Close()
	defer in.Close()
	term := prompt.New(in, io.Discard, func() (int, int) { return 20, 5 })
	ctx, cancel := context.WithCancel(t.Context())
	notices := make(chan string)
	go func() {
		notices <- "something\nhappened"
		cancel()
	}()
	_, err := term.Read(ctx, &prompt.Options{Prompt: "> ", Initial: strings.Repeat("long text ", 40), Notices: notices})
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, term.Close())
	require.NoError(t, term.Close())
}

func TestAheadOfTheLine(t *testing.T) {
	leak.Check(t)
	term := prompt.New(strings.NewReader("one\rtwo\rthree\r"), io.Discard, nil)
	defer term.Close()
	in := <-term.Input()
	term.Ahead(term.Keys(in)...)
	for _, want := range []string{"one", "two"} {
		got, err := term.Read(t.Context(), nil)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	term.Discard()
	_, err := term.Read(t.Context(), nil)
	assert.ErrorIs(t, err, io.EOF, "what was discarded is gone")
	assert.NoError(t, term.Outside(func() error { return nil }))
	assert.NoError(t, term.Stop())
	columns, rows := term.Size()
	assert.Equal(t, [2]int{80, 24}, [2]int{columns, rows})
	assert.Nil(t, term.Resized())
}

func TestWriteBeginsLines(t *testing.T) {
	var b strings.Builder
	term := prompt.New(strings.NewReader(""), &b, nil)
	defer term.Close()
	fmt.Fprint(term, "a\nb")
	assert.Equal(t, "a\r\nb", b.String())
	broken := prompt.New(strings.NewReader(""), failing{}, nil)
	defer broken.Close()
	_, err := broken.Write([]byte("x"))
	assert.Error(t, err)
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("gone") }

func TestHistoryFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history")
	h, err := prompt.OpenHistory(file)
	require.NoError(t, err)
	for _, text := range []string{"one", "one", " secret", "", "two\nlines"} {
		require.NoError(t, h.Add(text))
	}
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.EqualValues(t, 0o600, info.Mode().Perm())
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "\"one\"\n\"two\\nlines\"\n", string(data))
	require.NoError(t, os.WriteFile(file, append(data, "no json\n"...), 0o600))
	h, err = prompt.OpenHistory(file)
	require.NoError(t, err)
	got, err := read(t, "\x1b[A\r", 10, &prompt.Options{History: h})
	require.NoError(t, err)
	assert.Equal(t, "two\nlines", got)
	for i := range 1400 {
		require.NoError(t, h.Add(fmt.Sprint("line ", i)))
	}
	data, err = os.ReadFile(file)
	require.NoError(t, err)
	assert.LessOrEqual(t, strings.Count(string(data), "\n"), 1250)
	assert.NotContains(t, string(data), "two\\nlines")
	_, err = prompt.OpenHistory(filepath.Dir(file))
	assert.Error(t, err)
	h, err = prompt.OpenHistory(filepath.Join(file, "below"))
	assert.Error(t, err)
	assert.Error(t, h.Add("x"))
}

// FuzzRead feeds anything to the editor: it ends, and what is sent can be shown.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"hello\r", "\x1b[200~a\nb\x1b[201~\r", "\x12q\x12\r\r", "한\x7f\x01\x0b\x19\t\t\r", "\x1b[\x1b[1;5", "\"\"\"\ra\r\"\"\"\r", "\xff\xfe\r", "\x1bO"} {
		f.Add([]byte(seed), uint8(3), uint8(20), uint8(5))
	}
	f.Fuzz(func(t *testing.T, keys []byte, size, columns, rows uint8) {
		var out strings.Builder
		term := prompt.New(&pieces{keys, int(size) + 1}, &out, func() (int, int) { return int(columns) + 1, int(rows) + 1 })
		defer term.Close()
		h := history("one", "two\nlines", "한국어 "+strings.Repeat("x", 50))
		for {
			text, err := term.Read(context.Background(), &prompt.Options{Prompt: "> ", History: h, Complete: names, Theme: render.Theme{UTF8: true}})
			for _, r := range text {
				if r != '\n' && r != '\t' && unicode.IsControl(r) {
					t.Fatalf("%q was sent", text)
				}
			}
			if err != nil {
				return
			}
		}
	})
}

package isolated

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/flat"
	"github.com/localpass/localpass/rag/reader"
	"github.com/localpass/localpass/rag/splitter"
)

// judge is another program that extracts the text of files.
type judge struct {
	command string // FILE is the file
	// rate is the share of the files in which our words must be its words, and so must the
	// pairs of words.
	rate float64
}

// judges are by the ends of names.
var judges = map[string]judge{
	".pdf":  {"pdftotext -q -enc UTF-8 FILE -", 0.89},
	".docx": {"docx2txt FILE -", 0.8},
	".odt":  {"odt2txt --encoding=UTF-8 FILE", 0.8},
	".ott":  {"odt2txt --encoding=UTF-8 FILE", 0.8},
	".ots":  {"odt2txt --encoding=UTF-8 FILE", 0.8},
	".otp":  {"odt2txt --encoding=UTF-8 FILE", 0.8},
	".epub": {"pandoc -f epub -t plain FILE", 0.8},
	".xlsx": {"xlsx2csv -a FILE", 0.8},
	".pptx": {},
}

// largest is the PDF that is read for its time.
const largest = "fullrefman.pdf"

// documents is the folder with the files that packages of Debian ship: .ci/readers.sh
// makes it.
func documents(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("LOCALPASS_DOCUMENTS")
	if dir == "" {
		t.Skip("LOCALPASS_DOCUMENTS is not set: .ci/readers.sh sets it")
	}
	return dir
}

func openFor(t *testing.T) *Reader {
	t.Helper()
	dir, err := os.UserCacheDir()
	require.NoError(t, err)
	r, err := New(&Options{CacheDir: filepath.Join(dir, "localpass-ci", "pdfium"), Workers: 2, Limits: reader.Limits{Time: 15 * time.Minute}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

// verdict is what came out for one file.
type verdict struct {
	name         string
	err          error // none of those that are promised
	refused      bool
	judged       bool // the other program found 20 words or more
	words, pairs float64
}

// labels are what odt2txt and xlsx2csv write between the parts of a file.
var labels = regexp.MustCompile(`(?m)^\[-- .* --\]$|^-------- \d+ - .*$`)

func examine(r *Reader, path string, j judge) verdict {
	v := verdict{name: filepath.Base(path)}
	data, err := os.ReadFile(path)
	if err != nil {
		v.err = err
		return v
	}
	e, err := r.Read(context.Background(), rag.File{Name: path, Data: data})
	if err != nil {
		e = &rag.Extract{}
		if known := new(remoteError); !errors.As(err, &known) {
			v.err = err
			return v
		}
		v.refused = !errors.Is(err, rag.ErrNoText)
	}
	if j.command == "" {
		return v
	}
	command := strings.Fields(j.command)
	for i := range command {
		if command[i] == "FILE" {
			command[i] = path
		}
	}
	other, err := exec.Command(command[0], command[1:]...).Output()
	want := wordsOf(labels.ReplaceAllString(string(other), ""))
	if v.judged = err == nil && len(want) >= 20; v.judged {
		got := wordsOf(e.Text)
		v.words, v.pairs = f1(got, want, 1), f1(got, want, 2)
	}
	return v
}

// TestJudges compares the text of real files with that of other programs: by words, and by
// pairs of words, which catch what is in another order or run together.
func TestJudges(t *testing.T) {
	t.Parallel()
	dir := documents(t)
	r := openFor(t)
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	paths := make(chan string)
	verdicts := make(chan verdict)
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for path := range paths {
				verdicts <- examine(r, path, judges[filepath.Ext(path)])
			}
		})
	}
	go func() {
		for _, f := range files {
			if _, ok := judges[filepath.Ext(f.Name())]; ok && f.Name() != largest {
				paths <- filepath.Join(dir, f.Name())
			}
		}
		close(paths)
		group.Wait()
		close(verdicts)
	}()
	type tally struct{ files, refused, judged, words, pairs int }
	tallies := map[string]*tally{}
	for v := range verdicts {
		assert.NoError(t, v.err, v.name)
		end := filepath.Ext(v.name)
		count := cmp.Or(tallies[end], &tally{})
		tallies[end] = count
		count.files++
		if v.refused {
			count.refused++
		}
		if !v.judged {
			continue
		}
		count.judged++
		if v.words >= 0.9 {
			count.words++
		}
		if v.pairs >= 0.8 {
			count.pairs++
		}
		if v.words < 0.9 || v.pairs < 0.8 {
			t.Logf("words %.2f pairs %.2f: %s", v.words, v.pairs, v.name)
		}
	}
	for end, j := range judges {
		c := cmp.Or(tallies[end], &tally{})
		t.Logf("%s: %d files, %d refused; of %d judged %d have the words and %d the pairs", end, c.files, c.refused, c.judged, c.words, c.pairs)
		assert.Positive(t, c.files, end)
		assert.LessOrEqual(t, 20*c.refused, c.files, "good files of %s are refused", end)
		if j.rate > 0 {
			assert.Positive(t, c.judged, end)
			assert.GreaterOrEqual(t, float64(c.words), j.rate*float64(c.judged), "words of %s", end)
			assert.GreaterOrEqual(t, float64(c.pairs), j.rate*float64(c.judged), "pairs of words of %s", end)
		}
	}
}

// TestLibreOffice compares the text of documents with that of LibreOffice.
func TestLibreOffice(t *testing.T) {
	t.Parallel()
	dir := documents(t)
	r := openFor(t)
	for _, end := range []string{".docx", ".odt"} {
		paths, err := filepath.Glob(filepath.Join(dir, "*"+end))
		require.NoError(t, err)
		out := t.TempDir()
		args := []string{"-env:UserInstallation=file://" + out + "/home", "--headless", "--convert-to", "txt:Text (encoded):UTF8", "--outdir", out}
		said, err := exec.Command("soffice", append(args, paths...)...).CombinedOutput()
		require.NoError(t, err, "%s", said)
		judged, good := 0, 0
		for _, path := range paths {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			other, err := os.ReadFile(filepath.Join(out, strings.TrimSuffix(filepath.Base(path), end)+".txt"))
			want := wordsOf(string(other))
			if err != nil || len(want) < 20 {
				continue
			}
			e, err := r.Read(t.Context(), rag.File{Name: path, Data: data})
			require.NoError(t, err)
			judged++
			if got := wordsOf(e.Text); f1(got, want, 1) >= 0.9 && f1(got, want, 2) >= 0.8 {
				good++
			} else {
				t.Logf("words %.2f pairs %.2f: %s", f1(got, want, 1), f1(got, want, 2), filepath.Base(path))
			}
		}
		t.Logf("%s: %d files, by LibreOffice: of %d judged %d have the words and the pairs", end, len(paths), judged, good)
		assert.Positive(t, judged)
		assert.GreaterOrEqual(t, float64(good), 0.8*float64(judged), end)
	}
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// f1 is the harmonic mean of precision and recall of the sequences of n words.
func f1(got, want []string, n int) float64 {
	count := map[string]int{}
	for i := range len(want) - n + 1 {
		count[strings.Join(want[i:i+n], " ")]++
	}
	same := 0
	for i := range len(got) - n + 1 {
		if s := strings.Join(got[i:i+n], " "); count[s] > 0 {
			count[s]--
			same++
		}
	}
	return 2 * float64(same) / float64(max(1, len(got)+len(want)-2*n+2))
}

// TestThousandPages makes a PDF of 2,415 pages searchable, and says what each stage takes.
func TestThousandPages(t *testing.T) {
	t.Parallel()
	path := filepath.Join(documents(t), largest)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	ctx := context.Background()
	began := time.Now()
	var stages []string
	stage := func(name string) {
		stages = append(stages, fmt.Sprintf("%s %v", name, time.Since(began).Round(time.Millisecond)))
		began = time.Now()
	}
	r := openFor(t)
	_, err = r.Read(ctx, rag.File{Name: "start.pdf", Data: []byte("%PDF-")})
	require.Error(t, err)
	stage("start")
	e, err := r.Read(ctx, rag.File{Name: "a.pdf", Data: data})
	require.NoError(t, err)
	stage("read")
	s, err := splitter.Token(splitter.Approximate(), nil)
	require.NoError(t, err)
	chunks, err := rag.SplitDocument(ctx, s, e.Document("a"), &rag.SplitOptions{Parts: e.Parts})
	require.NoError(t, err)
	stage("split")
	store, err := flat.Open(filepath.Join(t.TempDir(), "store"), nil)
	require.NoError(t, err)
	defer store.Close()
	require.NoError(t, store.Add(ctx, chunks...))
	stage("add")
	found, err := store.Search(ctx, rag.SearchRequest{Query: "regular expression", Mode: rag.ModeLexical})
	require.NoError(t, err)
	stage("search")
	require.NotEmpty(t, found)
	require.NotNil(t, found[0].Metadata[rag.KeyPage])
	pages, ok := e.Metadata[rag.KeyPages].(int64)
	require.True(t, ok)
	t.Logf("%d pages, %d MB, %d chunks: %s", pages, len(data)>>20, len(chunks), strings.Join(stages, ", "))
	assert.Equal(t, reader.PDF, e.Format)
	other, err := exec.Command("pdftotext", "-q", "-enc", "UTF-8", path, "-").Output()
	require.NoError(t, err)
	assert.Greater(t, f1(wordsOf(e.Text), wordsOf(string(other)), 2), 0.9)
}

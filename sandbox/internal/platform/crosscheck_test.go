package platform_test

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"hash/crc32"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/testrun"
)

// The tools of the catalogue against Go's standard library: an implementation
// that is wrong cannot agree with itself here. Inputs are random and the same in
// every run.

func source() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

var alphabet = []rune("aZ0 ,;\"'\n\t|\\éßЖ日本😀\u0301")

func randomText(r *rand.Rand, most int) string {
	text := make([]rune, r.IntN(most+1))
	for i := range text {
		text[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(text)
}

func TestHashAgainstGo(t *testing.T) {
	c, r := tools(t)["hash"], source()
	algorithms := map[string]func() hash.Hash{
		"sha256": sha256.New, "sha1": sha1.New, "sha512": sha512.New, "md5": md5.New,
		"crc32": func() hash.Hash { return crc32.NewIEEE() },
	}
	type result struct {
		Hash  string
		Bytes int
	}
	for name, algorithm := range algorithms {
		// Lengths around the ends of a block of 64 and of 128 bytes, and random texts.
		texts := []string{}
		for _, n := range []int{0, 1, 55, 56, 57, 63, 64, 65, 111, 112, 113, 119, 120, 127, 128, 129, 1000} {
			texts = append(texts, strings.Repeat("x", n))
		}
		for range 10 {
			texts = append(texts, randomText(r, 100))
		}
		for _, text := range texts {
			h := algorithm()
			h.Write([]byte(text))
			sum := h.Sum(nil)
			got := ask[result](t, c, map[string]any{"text": text, "algorithm": name})
			assert.Equal(t, result{hex.EncodeToString(sum), len(text)}, got, "%s of %q", name, text)
			got = ask[result](t, c, map[string]any{"text": text, "algorithm": name, "encoding": "base64"})
			assert.Equal(t, base64.StdEncoding.EncodeToString(sum), got.Hash)
		}
	}
	assert.Equal(t, hex.EncodeToString(sha256.New().Sum(nil)), ask[result](t, c, map[string]any{"text": ""}).Hash)
}

func TestUUIDAgainstGo(t *testing.T) {
	c, r := tools(t)["uuid"], source()
	type result struct {
		UUIDs   []string
		Valid   bool
		Version int
		Time    string
	}
	space, _ := hex.DecodeString("6ba7b8119dad11d180b400c04fd430c8")
	for range 20 {
		name := "https://example.com/" + randomText(r, 30) + "/" // never blank
		h := sha1.New()
		h.Write(space)
		h.Write([]byte(name))
		b := h.Sum(nil)[:16]
		b[6], b[8] = b[6]&0x0f|0x50, b[8]&0x3f|0x80
		want := fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
		got := ask[result](t, c, map[string]any{"version": 5, "name": name, "namespace": "url"})
		assert.Equal(t, []string{want}, got.UUIDs, name)
	}
	shape := func(version string) *regexp.Regexp {
		return regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-` + version + `[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	}
	for _, version := range []int{4, 7} {
		got := ask[result](t, c, map[string]any{"version": version, "count": 100})
		assert.True(t, got.Valid)
		assert.Equal(t, version, got.Version)
		seen := map[string]bool{}
		for _, id := range got.UUIDs {
			assert.Regexp(t, shape(strconv.Itoa(version)), id)
			seen[id] = true
		}
		assert.Len(t, seen, 100, "all different")
		if version == 7 {
			assert.True(t, slices.IsSorted(got.UUIDs), "in order of time")
		}
	}
	got := ask[result](t, c, map[string]any{"version": 7, "time": "2024-03-31T12:00:00.123Z"})
	var ms [8]byte
	_, err := hex.Decode(ms[2:], []byte(strings.ReplaceAll(got.UUIDs[0][:13], "-", "")))
	require.NoError(t, err)
	assert.EqualValues(t, 1711886400123, binary.BigEndian.Uint64(ms[:]))
}

func TestDiffTextPatches(t *testing.T) {
	c, r := tools(t)["diffText"], source()
	type result struct {
		Identical      bool
		Added, Removed int
		Diff           string
	}
	random := func() string {
		var b strings.Builder
		for range r.IntN(20) {
			b.WriteString(string(rune('a'+r.IntN(4))) + "\n")
		}
		if r.IntN(3) == 0 {
			return strings.TrimSuffix(b.String(), "\n")
		}
		return b.String()
	}
	for range testrun.Sample(200) {
		before, after, context := random(), random(), r.IntN(4)
		got := ask[result](t, c, map[string]any{"before": before, "after": after, "context": context})
		assert.Equal(t, before == after, got.Identical)
		if got.Identical {
			assert.Empty(t, got.Diff)
			continue
		}
		patched, err := patch(before, got.Diff)
		require.NoError(t, err, "%q to %q: %s", before, after, got.Diff)
		assert.Equal(t, after, patched, "%q to %q: %s", before, after, got.Diff)
		assert.Equal(t, leastEdits(lines(before), lines(after)), got.Added+got.Removed, "the shortest script")
	}
	// Far apart and long: still right, no longer the shortest.
	var before, after strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&before, "b%d\n", i)
		fmt.Fprintf(&after, "a%d\n", i)
	}
	got := ask[result](t, c, map[string]any{"before": before.String(), "after": after.String()})
	patched, err := patch(before.String(), got.Diff)
	require.NoError(t, err)
	assert.Equal(t, after.String(), patched)
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	l := strings.SplitAfter(text, "\n")
	if l[len(l)-1] == "" {
		l = l[:len(l)-1]
	}
	return l
}

// leastEdits is the length of the shortest script, by the longest common
// subsequence.
func leastEdits(a, b []string) int {
	row := make([]int, len(b)+1)
	for i := range a {
		last := 0
		for j := range b {
			up := row[j+1]
			if a[i] == b[j] {
				row[j+1] = last + 1
			} else {
				row[j+1] = max(up, row[j])
			}
			last = up
		}
	}
	return len(a) + len(b) - 2*row[len(b)]
}

var hunkHead = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n$`)

// patch applies a unified diff and checks every number and line in it.
func patch(before, diff string) (string, error) {
	old := lines(before)
	in := lines(diff)
	if len(in) < 3 || in[0] != "--- before\n" || in[1] != "+++ after\n" {
		return "", fmt.Errorf("no head")
	}
	// A line that is followed by the note has no line feed of its own.
	var body []string
	for _, l := range in[2:] {
		if l == "\\ No newline at end of file\n" {
			body[len(body)-1] = strings.TrimSuffix(body[len(body)-1], "\n")
			continue
		}
		body = append(body, l)
	}
	var out []string
	at := 0
	for len(body) > 0 {
		m := hunkHead.FindStringSubmatch(body[0])
		if m == nil {
			return "", fmt.Errorf("no hunk: %q", body[0])
		}
		body = body[1:]
		number := func(i, absent int) int {
			if m[i] == "" {
				return absent
			}
			n, _ := strconv.Atoi(m[i])
			return n
		}
		start, cut, begin, add := number(1, 0), number(2, 1), number(3, 0), number(4, 1)
		if cut > 0 {
			start--
		}
		if add > 0 {
			begin--
		}
		out = append(out, old[at:start]...)
		at = start
		if len(out) != begin {
			return "", fmt.Errorf("the hunk begins at line %d of the new text, not %d", len(out), begin)
		}
		for cut > 0 || add > 0 {
			if len(body) == 0 {
				return "", fmt.Errorf("the hunk ends early")
			}
			sign, line := body[0][0], body[0][1:]
			body = body[1:]
			if sign != '+' {
				if old[at] != line {
					return "", fmt.Errorf("line %d is %q, not %q", at, old[at], line)
				}
				at++
				cut--
			}
			if sign != '-' {
				out = append(out, line)
				add--
			}
		}
	}
	return strings.Join(append(out, old[at:]...), ""), nil
}

func TestCSVSummaryAgainstGo(t *testing.T) {
	c, r := tools(t)["csvSummary"], source()
	type result struct {
		Rows    int
		Columns []struct {
			Name                  string
			Filled, Empty, Unique int
		}
	}
	for range 50 {
		records := [][]string{{"first", "second", "third"}}
		for range 1 + r.IntN(8) {
			records = append(records, []string{"x" + randomText(r, 6), randomText(r, 6), randomText(r, 2)})
		}
		var text bytes.Buffer
		w := csv.NewWriter(&text)
		w.UseCRLF = r.IntN(2) == 0
		require.NoError(t, w.WriteAll(records))
		// encoding/csv writes a line feed within a cell as CRLF then; the reader
		// tells what is really there.
		got := ask[result](t, c, map[string]any{"csv": text.String(), "delimiter": ","})
		assert.Equal(t, len(records)-1, got.Rows, text.String())
		for i, column := range got.Columns {
			assert.Equal(t, records[0][i], column.Name)
			filled, unique := 0, map[string]bool{}
			for _, record := range records[1:] {
				if cell := strings.TrimSpace(record[i]); cell != "" {
					filled++
					unique[cell] = true
				}
			}
			assert.Equal(t, filled, column.Filled, text.String())
			assert.Equal(t, len(unique), column.Unique, text.String())
		}
	}
}

func TestStatsAgainstGo(t *testing.T) {
	c, r := tools(t)["stats"], source()
	type result struct {
		Sum, Mean, Median, Min, Max, Variance float64
	}
	for range 50 {
		numbers := make([]float64, 2+r.IntN(30))
		sum := new(big.Float).SetPrec(2000)
		for i := range numbers {
			numbers[i] = (r.Float64() - 0.5) * math.Pow(10, float64(r.IntN(12)-4))
			sum.Add(sum, big.NewFloat(numbers[i]))
		}
		exact := func(f *big.Float) float64 { v, _ := f.Float64(); return v }
		count := big.NewFloat(float64(len(numbers)))
		mean := new(big.Float).SetPrec(2000).Quo(sum, count)
		squares := new(big.Float).SetPrec(2000)
		for _, x := range numbers {
			d := new(big.Float).SetPrec(2000).Sub(big.NewFloat(x), mean)
			squares.Add(squares, d.Mul(d, d))
		}
		got := ask[result](t, c, map[string]any{"numbers": numbers})
		assert.InEpsilon(t, exact(sum), got.Sum, 1e-12)
		assert.InEpsilon(t, exact(mean), got.Mean, 1e-12)
		assert.InEpsilon(t, exact(squares)/float64(len(numbers)-1), got.Variance, 1e-12)
		slices.Sort(numbers)
		half := len(numbers) / 2
		median := numbers[half]
		if len(numbers)%2 == 0 {
			median = (numbers[half-1] + numbers[half]) / 2
		}
		assert.InEpsilon(t, median, got.Median, 1e-12)
		assert.Equal(t, numbers[0], got.Min)
		assert.Equal(t, numbers[len(numbers)-1], got.Max)
	}
}

// There and back again, for every pair of units of a dimension.
func TestUnitConvertReturns(t *testing.T) {
	c := tools(t)["unitConvert"]
	_, err := c.call([]byte(`{"value": 1, "from": "nothing", "to": "m"}`))
	require.Error(t, err)
	_, list, found := strings.Cut(err.Error(), "use one of ")
	require.True(t, found)
	type result struct {
		Result    float64
		Unit      string
		Dimension string
	}
	dimensions := strings.Split(list, "; ")
	require.Len(t, dimensions, 15)
	for _, d := range dimensions {
		name, symbols, _ := strings.Cut(d, ": ")
		units := strings.Split(symbols, ", ")
		for i, from := range units {
			to := units[(i+1)%len(units)]
			there := ask[result](t, c, map[string]any{"value": 12.5, "from": from, "to": to})
			assert.Equal(t, name, there.Dimension)
			assert.Equal(t, to, there.Unit)
			back := ask[result](t, c, map[string]any{"value": there.Result, "from": to, "to": from})
			assert.InEpsilon(t, 12.5, back.Result, 1e-8, "%s to %s and back", from, to)
		}
	}
}

// Every path that a query returns leads to the value that it returned.
func TestJSONPathQueryPathsLeadBack(t *testing.T) {
	c, r := tools(t)["jsonPathQuery"], source()
	type result struct {
		Count  int
		Values []json.RawMessage
		Paths  []string
	}
	var grow func(depth int) any
	grow = func(depth int) any {
		switch kind := r.IntN(6); {
		case depth > 0 && kind < 2:
			list := []any{}
			for range r.IntN(4) {
				list = append(list, grow(depth-1))
			}
			return list
		case depth > 0 && kind < 4:
			object := map[string]any{}
			for range r.IntN(4) {
				object[randomText(r, 4)] = grow(depth - 1)
			}
			return object
		case kind == 4:
			return randomText(r, 3)
		}
		return r.IntN(100)
	}
	for range 15 {
		raw, err := json.Marshal([]any{grow(3), grow(3)})
		require.NoError(t, err)
		all := ask[result](t, c, map[string]any{"json": string(raw), "path": "$..*", "limit": 1000})
		require.Len(t, all.Paths, all.Count)
		for i, path := range all.Paths {
			one := ask[result](t, c, map[string]any{"json": string(raw), "path": path})
			require.Equal(t, []string{path}, one.Paths, string(raw))
			assert.JSONEq(t, string(all.Values[i]), string(one.Values[0]))
		}
	}
}

func TestRegexExtractAgainstGo(t *testing.T) {
	c, r := tools(t)["regexExtract"], source()
	type result struct {
		Count   int
		Matches []struct {
			Match string
			Index int
		}
	}
	patterns := []string{`[a-c]+`, `(a|b)*c?`, `\d+|x`, `a.b`, `\bfoo\b`, `^.`, `.$`, ``, `(?:ab){2,3}`, `[^a]`}
	letters := "abcx1 foo"
	for range 60 {
		text := make([]byte, r.IntN(30))
		for i := range text {
			text[i] = letters[r.IntN(len(letters))]
		}
		for _, pattern := range patterns {
			if pattern == "" {
				continue // a required argument
			}
			var want [][]int
			for from := 0; from <= len(text); {
				// JavaScript goes on after an empty match; Go leaves out one that
				// touches the match before.
				m := regexp.MustCompile(pattern).FindStringIndex(string(text[from:]))
				if strings.HasPrefix(pattern, "^") && from > 0 || m == nil {
					break
				}
				if strings.Contains(pattern, `\b`) {
					want = regexp.MustCompile(pattern).FindAllStringIndex(string(text), -1)
					break
				}
				want = append(want, []int{from + m[0], from + m[1]})
				from += max(m[1], m[0]+1)
			}
			got := ask[result](t, c, map[string]any{"text": string(text), "pattern": pattern})
			require.Equal(t, len(want), got.Count, "%q in %q", pattern, text)
			for i, m := range got.Matches {
				assert.Equal(t, want[i][0], m.Index, "%q in %q", pattern, text)
				assert.Equal(t, string(text[want[i][0]:want[i][1]]), m.Match, "%q in %q", pattern, text)
			}
		}
	}
}

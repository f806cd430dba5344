package catalog_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/lexical"
)

// request is what somebody asked, and the tool that answers it.
type request struct{ tool, text string }

func requests(t *testing.T) (all []request) {
	t.Helper()
	files, err := filepath.Glob("testdata/requests/*.tsv")
	require.NoError(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
			tool, text, ok := strings.Cut(line, "\t")
			require.True(t, ok, "%s:%d: no tab", file, i+1)
			require.NotEmpty(t, groupOf(tool), "%s:%d: there is no tool %q", file, i+1, tool)
			if strings.ContainsFunc(tool, unicode.IsUpper) { // the others are everyday words
				require.NotContains(t, text, tool, "%s:%d: a request does not name the tool", file, i+1)
			}
			all = append(all, request{tool, strings.TrimSpace(text)})
		}
	}
	return all
}

// choice is how well a ranker chooses.
type choice struct {
	Requests int     `json:"requests"`
	First    float64 `json:"first"` // % of requests whose tool came first
	Three    float64 `json:"three"` // % whose tool was among the first three
}

// How often a ranker that knows words alone puts the right tool first, over the
// whole catalogue: what descriptions are worth. The figure may not fall; it is
// in the package comment. Run with -v for the requests that go wrong.
func TestToolChoice(t *testing.T) {
	var documents []lexical.Document
	for _, s := range specs(t) {
		var params strings.Builder
		for _, p := range s.Params {
			fmt.Fprintf(&params, "%s %s\n", p.Name, p.Description)
		}
		documents = append(documents, lexical.Document{ID: s.Name, Fields: []lexical.Field{
			{Text: s.Name, Weight: 3}, {Text: s.Description}, {Text: strings.Join(s.Tags, " ")}, {Text: params.String(), Weight: 0.3}}})
	}
	index := lexical.New(documents)
	all := requests(t)
	asked := map[string]int{}
	seen := map[string]bool{}
	first, three := 0, 0
	for _, r := range all {
		asked[r.tool]++
		assert.False(t, seen[r.text], "asked twice: %s", r.text)
		seen[r.text] = true
		var found []string
		for _, m := range index.Search(r.text, 3) {
			found = append(found, m.ID)
		}
		switch at := indexOf(found, r.tool); {
		case at == 0:
			first++
			three++
		case at > 0:
			three++
			t.Logf("%-24s is %d for %q, behind %s", r.tool, at+1, r.text, found[0])
		default:
			t.Logf("%-24s is not found for %q: %v", r.tool, r.text, found)
		}
	}
	for _, s := range specs(t) {
		assert.GreaterOrEqual(t, asked[s.Name], 2, "requests for %s", s.Name)
	}
	percent := func(n int) float64 { return float64(n*1000/len(all)) / 10 }
	got := choice{len(all), percent(first), percent(three)}
	t.Logf("%d requests over %d tools: first %.1f %%, among three %.1f %%", got.Requests, len(documents), got.First, got.Three)

	const file = "testdata/choice.json"
	var was choice
	data, err := os.ReadFile(file)
	if err == nil {
		require.NoError(t, json.Unmarshal(data, &was))
	}
	if *update && (got.First > was.First || got.Three > was.Three || got.Requests != was.Requests) {
		data, err := json.Marshal(got)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, append(data, '\n'), 0o644))
		return
	}
	require.NoError(t, err)
	assert.GreaterOrEqual(t, got.Requests, 150)
	assert.GreaterOrEqual(t, got.Requests, was.Requests, "requests are not taken away")
	assert.GreaterOrEqual(t, got.First, was.First, "the right tool comes first less often than before")
	assert.GreaterOrEqual(t, got.Three, was.Three, "the right tool is among three less often than before")
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	text := strings.Join(strings.Fields(strings.ReplaceAll(string(doc), "\n//", " ")), " ")
	assert.Contains(t, text, fmt.Sprintf("for %.0f %% of the %d requests in testdata/requests, and among the first three for %.0f %%", was.First, was.Requests, was.Three))
}

func indexOf(list []string, s string) int {
	for i, e := range list {
		if e == s {
			return i
		}
	}
	return -1
}

package demo_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/catalog"
)

// For every third request of the catalogue, the model calls the right tool or asks, and
// rarely calls a wrong one. The share of calls is low because many requests do not
// contain all arguments.
func TestOverTheCatalogue(t *testing.T) {
	specs, err := catalog.Specs()
	require.NoError(t, err)
	var defs []toolspec.Definition
	for _, s := range specs {
		defs = append(defs, toolspec.Definition{Name: s.Name, Description: s.Description, InputSchema: s.InputSchema()})
	}
	files, err := filepath.Glob("../../toolspec/catalog/testdata/requests/*.tsv")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	n, asked, called, right := 0, 0, 0, 0
	m := newModel(t)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
			if i%3 != 0 {
				continue
			}
			want, question, _ := strings.Cut(line, "\t")
			n++
			text, calls, _ := turnOf(t, m, &llm.ModelRequest{Messages: []llm.Message{llm.UserText(question)}, Tools: defs})
			switch {
			case len(calls) == 0:
				if strings.Contains(text, "is missing") {
					asked++
				}
				continue
			case strings.HasPrefix(strings.Join(calls, "\n")+" ", want+" "), strings.Contains(strings.Join(calls, "\n"), "\n"+want+" "):
				right++
			default:
				t.Logf("%s: %v, and not %s", question, calls, want)
			}
			called++
		}
	}
	t.Logf("of %d requests %d called a tool, %d of them the right one; %d asked back", n, called, right, asked)
	assert.GreaterOrEqual(t, float64(right)/float64(called), 0.9, "of the calls that were made")
	assert.GreaterOrEqual(t, float64(called+asked)/float64(n), 0.9, "of all requests")
}

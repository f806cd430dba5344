// Package modelstable makes the tables of docs/models.md: each cell is the outcome of
// a turn, with a scripted server or with a real one.
//
//	go test ./chat/internal/modelstable -update
//	.ci/ollama run -- go test ./chat/internal/modelstable -run Live -update
package modelstable

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/internal/tinymodel"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/openai"
	"github.com/localpass/localpass/internal/modelservers"
)

var update = flag.Bool("update", false, "write the tables of docs/models.md")

const page = "../../../docs/models.md"

func (s *subject) row(t *testing.T) []string {
	return []string{s.name,
		s.toolCell(t, s.model(t), tinymodel.AskTime, 1, 0), s.toolCell(t, s.model(t), tinymodel.AskBoth, 1, 1), s.streamCell(t),
		reasoningCell(t, s.thinking(t)), s.effortCell(t), s.imageCell(t, s.model(t)), s.tokensCell(t), s.formatCell(t), s.responsesCell(t)}
}

// The table of servers in the documentation is correct.
func TestServersTable(t *testing.T) {
	got := [][]string{{"server", "tools", "several at once", "streams", "reasoning shown", "efforts", "images", "tokens", "JSON", "Responses"}}
	for _, k := range kinds() {
		t.Run(k.Name, func(t *testing.T) { got = append(got, scripted(t, k).row(t)) })
	}
	if t.Failed() {
		return
	}
	old := readTable(t, "servers")
	for _, name := range []string{rowOllama, rowOllamaV1} { // kept as they are: TestLiveServers makes them
		i := slices.IndexFunc(old, func(row []string) bool { return row[0] == name })
		if i < 0 {
			got = append(got, append([]string{name}, slices.Repeat([]string{"?"}, len(got[0])-1)...))
			continue
		}
		got = append(got, old[i])
	}
	compare(t, "servers", got)
}

// The rows of the real server.
func TestLiveServers(t *testing.T) {
	subjects := live(t)
	table := readTable(t, "servers")
	for _, s := range subjects {
		got := s.row(t)
		i := slices.IndexFunc(table, func(row []string) bool { return row[0] == s.name })
		require.GreaterOrEqual(t, i, 0, "the page has no row of %s: run the test without Live and with -update first", s.name)
		table[i] = got
	}
	compare(t, "servers", table)
}

// A wrong configuration has the same code for every server.
func TestFailuresTable(t *testing.T) {
	got := [][]string{{"server", "wrong key", "unknown model", "too long", "tools are off", "the model is loading"}}
	for _, k := range kinds() {
		t.Run(k.Name, func(t *testing.T) { got = append(got, failures(t, k)) })
	}
	if !t.Failed() {
		compare(t, "failures", got)
	}
}

func failures(t *testing.T, k modelservers.Kind) []string {
	row := []string{k.Name}
	code := func(m llm.Model, question string, withTools, transient bool) {
		r := ask(t, m, llm.UserText(question), withTools, nil)
		if r.err == nil {
			row = append(row, "–")
			return
		}
		var e *llm.Error
		require.ErrorAs(t, r.err, &e)
		assert.Equal(t, transient, e.Retryable, "%v", e)
		assert.NotContains(t, e.Error(), modelservers.Key)
		row = append(row, "`"+string(e.Code)+"`")
	}
	s := scripted(t, k)
	code(configured(t, s.script, k, "sk-another-key-0123456789", k.Model, openai.APIAuto), tinymodel.AskHello, false, false)
	code(configured(t, s.script, k, k.Key, "no-such-model", openai.APIAuto), tinymodel.AskHello, false, false)
	// The context size is unknown, so that the server reports the length: otherwise the
	// client would cut the history.
	code(unmeasured{s.model(t)}, strings.Repeat("lorem ipsum ", 4000)+tinymodel.AskHello, false, false)
	code(s.model(t), tinymodel.AskTime, true, false)
	if !strings.HasPrefix(k.Name, "llama.cpp") {
		return append(row, "–")
	}
	m := s.model(t)
	s.script.Load(1)
	code(m, tinymodel.AskHello, false, true)
	return row
}

// unmeasured is a model with an unknown context size.
type unmeasured struct{ llm.Model }

func (u unmeasured) Info() llm.ModelInfo {
	info := u.Model.Info()
	info.ContextTokens = 0
	return info
}

// A call waits for a model that is being loaded.
func TestLoadingIsWaitedFor(t *testing.T) {
	s := scripted(t, modelservers.LlamaCpp(modelservers.LlamaOptions{Jinja: true}))
	s.script.Load(3)
	client, err := chat.NewClient(s.model(t), &chat.ClientOptions{Retry: &llm.RetryPolicy{BaseDelay: 1, MaxDelay: 1}})
	require.NoError(t, err)
	r, err := client.Ask(t.Context(), "", tinymodel.AskHello, nil)
	require.NoError(t, err)
	assert.Equal(t, tinymodel.SayHello, r.Text())
	assert.Len(t, s.script.Asked(), 4)
}

// At an unusual port, a server is recognised by its list of models.
func TestServersAreKnownAtAnyPort(t *testing.T) {
	for _, k := range kinds() {
		if k.Name == modelservers.OpenAI().Name || strings.HasPrefix(k.Name, "LiteLLM") {
			continue // only the port distinguishes them
		}
		t.Run(k.Name, func(t *testing.T) {
			s := scripted(t, k)
			want, formats := s.effortCell(t), s.formatCell(t)
			p, err := openai.New(&openai.Options{BaseURL: s.script.URL(), APIKey: k.Key})
			require.NoError(t, err)
			s.model = func(t *testing.T) llm.Model { return of(t, p, k.Model) }
			s.thinking = s.model
			assert.Equal(t, want, s.effortCell(t))
			assert.Equal(t, formats, s.formatCell(t))
		})
	}
}

// A llama.cpp server has one model, under any name.
func TestLlamaCppTakesAnyName(t *testing.T) {
	for _, projector := range []bool{true, false} {
		s := scripted(t, modelservers.LlamaCpp(modelservers.LlamaOptions{Jinja: true, Projector: projector}))
		p, err := openai.New(&openai.Options{BaseURL: s.script.URL()})
		require.NoError(t, err)
		m := of(t, p, "any")
		assert.Equal(t, 8192, m.Info().ContextTokens)
		assert.Equal(t, projector, m.Info().Capabilities.Vision)
	}
}

// The key is sent to its server and to no other host.
func TestKeysGoToTheirServer(t *testing.T) {
	k := modelservers.LiteLLM(true)
	s := scripted(t, k)
	require.NoError(t, ask(t, s.model(t), llm.UserText(tinymodel.AskHello), false, nil).err)
	for _, a := range s.script.Asked() {
		assert.Equal(t, modelservers.Key, a.Key)
	}
	other := configured(t, s.script, modelservers.OpenAI(), k.Key, k.Model, openai.APIAuto)
	before := len(s.script.Asked())
	assert.Error(t, ask(t, other, llm.UserText(tinymodel.AskHello), false, nil).err)
	assert.Len(t, s.script.Asked(), before)
}

func readPage(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile(page)
	require.NoError(t, err)
	return string(raw)
}

// split returns the text before, in and after a table, which stands between two comments.
func split(t *testing.T, text, name string) (before, table, after string) {
	t.Helper()
	begin, end := "<!-- table "+name+" -->\n", "<!-- end -->"
	before, rest, ok := strings.Cut(text, begin)
	require.True(t, ok, "%s has no table %s", page, name)
	table, after, ok = strings.Cut(rest, end)
	require.True(t, ok, "the table %s of %s has no end", name, page)
	return before + begin, table, end + after
}

// readTable returns the rows of a table, without the separator line.
func readTable(t *testing.T, name string) [][]string {
	t.Helper()
	_, text, _ := split(t, readPage(t), name)
	var rows [][]string
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if strings.HasPrefix(cells[0], "---") {
			continue
		}
		rows = append(rows, cells)
	}
	return rows
}

// compare compares a table with the documentation, or writes it there.
func compare(t *testing.T, name string, rows [][]string) {
	t.Helper()
	var b strings.Builder
	for i, row := range rows {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat(" --- |", len(row)) + "\n")
		}
	}
	text := readPage(t)
	before, table, after := split(t, text, name)
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(before+b.String()+after), 0o644))
		return
	}
	assert.Equal(t, table, b.String(), "docs/models.md differs: run the test with -update, and read what changed")
}

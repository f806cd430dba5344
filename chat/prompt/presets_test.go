package prompt_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/prompt"
	"github.com/localpass/localpass/persistence/memory"
)

// sheet lists the presets and templates with their kinds and tools. A plus and a number
// at the end mean that many further tools.
const sheet = `
general-assistant    example
daily-assistant      example  sendEmail addToCalendar showLocation getCurrentTime getWeather getPublicHolidays evalExpression
research-agent       example  searchWikipedia searchArxiv searchHackerNews extractPageContent
self-equipping-agent example
data-wrangler        example  requestFileUpload readTextFile listDir listAllowedDirectories parseCsv formatCsv writeTextFile appendTextFile stats evalExpression regexReplace renderTable renderChart renderStatCards
korea-concierge      example  getCurrentTime getUpbitTicker getBithumbTicker geocodeAddress getOpenMeteoForecast getPublicHolidays showLocation addToCalendar
github-repo-analyst  example  getGithubRepo listGithubRepoContributors listGithubRepoIssues getGithubLatestRelease getGithubFileContent renderStatCards renderTable renderTimeline
release-notes-writer example  getGithubLatestRelease listGithubRepoReleases listGithubRepoIssues getGithubFileContent renderTimeline
log-detective        example  listAllowedDirectories findFiles searchInFiles grepFile sliceFile statFile stats
document-detective   example  listAllowedDirectories requestFileUpload listDir findFiles searchInFiles grepFile sliceFile lineCount readTextFile sortFile cutFileFields statFile
crypto-market-watch  example  getCryptoPrice getUpbitTicker convertCurrency evalExpression getCurrentTime renderChart
trip-planner         example  getCurrentTime geocodeAddress getOpenMeteoForecast getPublicHolidays getCountryInfo convertCurrency showLocation plotPointsOnMap addToCalendar
tech-pulse           example  searchHackerNews searchStackOverflow searchGithubRepos getCurrentTime
data-visualizer      example  getCurrentTime evalExpression getCryptoPrice getOpenMeteoForecast getRecentEarthquakes +18
market-charts        example  getCurrentTime getCryptoPrice getUpbitCandles renderCandlestick renderChart renderStatCards
diff-inspector       example  listAllowedDirectories findFiles readTextFile getGithubFileContent renderDiff
decision-matrix      example  evalExpression stats renderTable renderComparison renderChart
image-analyst        example  describeImage renderTable formatCsv writeTextFile listDir readTextFile plotPointsOnMap
workspace-organizer  example  listAllowedDirectories listDir findFiles searchInFiles statFile readTextFile copyFile moveFile editTextFile deleteFile deleteDir
skill-agent          template
domain-expert        template
custom-role          template
structured-output    template
research-brief       template +5
summarizer           template extractPageContent
translator           template
socratic-tutor       template`

// planned are tools that a preset names although no program here has them: its prompt
// says what to do without them.
var planned = []string{"describeImage"}

func TestBuiltinPresetsAreThoseOfTheSheet(t *testing.T) {
	all := prompt.BuiltinPresets()
	lines := strings.Split(strings.TrimSpace(sheet), "\n")
	require.Len(t, all, len(lines))
	for i, line := range lines {
		want := strings.Fields(line)
		got := all[i]
		assert.Equal(t, want[0], got.ID)
		assert.EqualValues(t, want[1], got.Kind, got.ID)
		named := want[2:]
		if n := len(named); n > 0 && named[n-1][0] == '+' { // further tools
			more, err := strconv.Atoi(named[n-1])
			require.NoError(t, err)
			named = named[:n-1]
			require.Len(t, got.Tools, len(named)+more, got.ID)
			for _, tool := range got.Tools[len(named):] {
				assert.Regexp(t, "^(render|plot|show|search|extract)", tool, got.ID)
			}
			assert.Equal(t, named, append([]string{}, got.Tools[:len(named)]...), got.ID)
			continue
		}
		assert.Equal(t, append([]string{}, named...), got.Tools, got.ID)
	}
}

// A prompt says when to call each of its tools, names no other tool, and says what to do
// if a tool fails or is missing.
func TestBuiltinPresets(t *testing.T) {
	specs, err := filepath.Glob(filepath.Join("..", "..", "toolspec", "catalog", "specs", "*.json"))
	require.NoError(t, err)
	catalogue := map[string]bool{}
	for _, file := range specs {
		catalogue[strings.TrimSuffix(filepath.Base(file), ".json")] = true
	}
	require.Greater(t, len(catalogue), 100)
	for _, name := range planned {
		assert.False(t, catalogue[name], "%s is there now: take it off this list", name)
	}
	ids, word := map[string]bool{}, regexp.MustCompile(`\w+`)
	for _, p := range prompt.BuiltinPresets() {
		assert.False(t, ids[p.ID], p.ID)
		ids[p.ID] = true
		assert.NotEmpty(t, p.Name)
		assert.NotEmpty(t, p.Description)
		assert.Greater(t, len(p.Prompt), 300, p.ID)
		assert.Less(t, len(p.Prompt), 4000, p.ID)
		assert.False(t, strings.HasPrefix(p.ID, "user-"))
		assert.Equal(t, p.Kind == prompt.PresetTemplate, len(prompt.Variables(p.Prompt, nil)) > 0, p.ID)
		said := word.FindAllString(p.Prompt, -1)
		for _, tool := range p.Tools {
			assert.True(t, catalogue[tool] || slices.Contains(planned, tool), "%s offers %s", p.ID, tool)
			assert.Contains(t, said, tool, "%s does not say when to call it", p.ID)
		}
		for _, w := range said {
			if catalogue[w] && strings.ToLower(w) != w { // "hash" is also a word
				assert.Contains(t, p.Tools, w, p.ID)
			}
		}
		if len(p.Tools) > 0 {
			assert.Regexp(t, "fails|refuses", p.Prompt, p.ID)
			assert.Contains(t, p.Prompt, "is not among your", p.ID)
		}
	}
}

// The variables of the templates have the names, types and choices of the sheet.
func TestTemplateVariables(t *testing.T) {
	want := map[string]string{
		"skill-agent":       "skill_name:text! goal:multiline! tools:multiline! procedure:multiline! output_format:select(concise summary,detailed report,step-by-step log)=concise summary",
		"domain-expert":     "domain:text! focus_area:text! audience:select(beginner,practitioner,expert)=practitioner",
		"custom-role":       "role:text! task:multiline! tone:select(formal,neutral,casual)=neutral",
		"structured-output": "format:select(markdown table,json,bullet list,numbered steps)=markdown table fields:text! strictness:select(strict,flexible)=strict",
		"research-brief":    "topic:text! angle:text! word_limit:number=600 source_mix:select(web,academic,community,mixed)=mixed",
		"summarizer":        "content_type:select(article,meeting notes,thread,code diff)=article output_length:select(one-liner,short paragraph,bullet digest)=bullet digest focus:text!",
		"translator":        "source_language:text=auto-detect target_language:text! register:select(formal,casual,technical)=formal",
		"socratic-tutor":    "subject:text! learner_level:select(novice,intermediate,advanced)=novice teaching_style:select(socratic,direct,project-based)=socratic",
	}
	n := 0
	for _, p := range prompt.BuiltinPresets() {
		if p.Kind != prompt.PresetTemplate {
			continue
		}
		n++
		var got []string
		values, unfilled := map[string]string{}, 0
		for _, v := range prompt.Variables(p.Prompt, nil) {
			text := v.Name + ":" + string(v.Type)
			if v.Options != nil {
				text += "(" + strings.Join(v.Options, ",") + ")"
			}
			if v.Default == nil {
				text += "!"
				unfilled++
				values[v.Name] = "VALUE"
			} else {
				text += "=" + *v.Default
				assert.NoError(t, v.Check(*v.Default), p.ID)
			}
			got = append(got, text)
		}
		assert.Equal(t, want[p.ID], strings.Join(got, " "), p.ID)
		assert.Len(t, prompt.Unfilled(p.Prompt, nil, nil), unfilled, p.ID)
		assert.Empty(t, prompt.Unfilled(p.Prompt, values, nil), p.ID)
		assert.NoError(t, prompt.Validate(p.Prompt, values, nil), p.ID)
		assert.NotContains(t, prompt.Render(p.Prompt, values, nil), "{{", p.ID)
	}
	assert.Len(t, want, n)
	assert.Error(t, prompt.Validate("{{n:number(100,2000)=600}}", map[string]string{"n": "50"}, nil))
}

func TestUnfilled(t *testing.T) {
	tpl := "{{a}} {{b=}} {{c=x}} {{a=late}} {{ü:select(p,q)}} \\{{d}}"
	names := func(values map[string]string) (out []string) {
		for _, v := range prompt.Unfilled(tpl, values, nil) {
			out = append(out, v.Name)
		}
		return out
	}
	assert.Equal(t, []string{"a", "ü"}, names(nil))
	assert.Equal(t, []string{"a"}, names(map[string]string{"a": " ", "ü": "p"}), "a blank value is none")
	assert.Empty(t, names(map[string]string{"a": "1", "ü": "p"}))
	assert.Empty(t, prompt.Unfilled("plain", nil, nil))
}

func TestPresetID(t *testing.T) {
	seen := map[string]string{}
	for name, want := range map[string]string{
		"My preset":                    "user-my-preset",
		"  My  preset  ":               "user-my-preset",
		"나의 도우미":                       "user-나의-도우미",
		"我的助手":                         "user-我的助手",
		"Größe":                        "user-größe",
		"C":                            "user-c",
		"C++":                          "user-c-",
		"C#":                           "user-c-",
		"!!!":                          "user-",
		"a/b":                          "user-a-b-",
		"ＡＢＣ":                          "user-abc",
		"../../etc":                    "user-etc-",
		"x" + strings.Repeat("y", 100): "user-x",
	} {
		id := prompt.PresetID(name)
		assert.True(t, strings.HasPrefix(id, want), "%q gave %q", name, id)
		if strings.HasSuffix(want, "-") {
			assert.Regexp(t, `-[0-9a-f]{8}$`, id)
		}
		assert.NotContains(t, id, "/")
		if strings.TrimSpace(name) != "My  preset" { // which is meant to be the other one
			assert.Empty(t, seen[id], "%q and %q", name, seen[id])
			seen[id] = name
		}
	}
}

func TestPresets(t *testing.T) {
	ctx := t.Context()
	store := memory.New()
	p, err := prompt.NewPresets(store)
	require.NoError(t, err)
	saved, err := p.Save(ctx, prompt.Preset{Name: " Mine ", Prompt: "Be {{how=kind}}.", Tools: []string{"hash"}})
	require.NoError(t, err)
	assert.Equal(t, "user-mine", saved.ID)
	assert.Equal(t, prompt.PresetTemplate, saved.Kind)
	got, err := p.Get(ctx, "user-mine")
	require.NoError(t, err)
	assert.Equal(t, saved, got)
	_, err = p.Save(ctx, prompt.Preset{Name: "Mine", Prompt: "Be kind."})
	require.NoError(t, err)
	all, err := p.List(ctx)
	require.NoError(t, err)
	require.Len(t, all, 28)
	assert.Equal(t, "Be kind.", all[27].Prompt)
	assert.Equal(t, prompt.PresetExample, all[27].Kind)
	assert.True(t, all[27].Own)

	_, err = store.Put(ctx, "chat-presets", "user-broken", localpass.Document{Data: json.RawMessage(`"no preset"`)})
	require.NoError(t, err)
	all, err = p.List(ctx)
	assert.ErrorContains(t, err, `preset "user-broken" cannot be read`)
	assert.Len(t, all, 28, "what cannot be read hides nothing")

	builtin, err := p.Get(ctx, "translator")
	require.NoError(t, err)
	assert.False(t, builtin.Own)
	require.NoError(t, p.Delete(ctx, "user-mine"))
	assert.ErrorIs(t, p.Delete(ctx, "user-mine"), llm.ErrNotFound)
	assert.ErrorIs(t, p.Delete(ctx, "translator"), llm.ErrInvalid)
	_, err = p.Get(ctx, "user-mine")
	assert.ErrorIs(t, err, llm.ErrNotFound)
	for _, bad := range []prompt.Preset{{Prompt: "x"}, {Name: "x"}, {Name: "x", Prompt: "x", Dynamic: true, Tools: []string{"a"}}} {
		_, err := p.Save(ctx, bad)
		assert.ErrorIs(t, err, llm.ErrInvalid)
	}
	_, err = prompt.NewPresets(nil)
	assert.ErrorIs(t, err, llm.ErrInvalid)
}

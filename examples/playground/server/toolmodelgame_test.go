package server_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/playground/server"
	"github.com/localpass/localpass/toolspec/catalog"
)

// followBound is how long both programs have to say the same. They promise a
// second; a busy machine needs longer.
const followBound = patience

// games counts the games of this process.
var games atomic.Int32

// modelTool is what a tool should be.
type modelTool struct {
	name, id   string
	switchName string // the variable that decides whether the code works
	bundled    bool
	stored     int          // the variant of the stored content; 0: there is none
	verdicts   map[int]bool // by variant: whether its last test passed
	marked     bool         // a person published it and has not unpublished or edited it since
	exposed    bool         // named in the exposure record
	excluded   bool
}

// passes reports whether the content holds a valid pass.
func (m *modelTool) passes() bool { return m.verdicts[m.stored] }

// published reports whether it is published: what is marked so is, while its
// content holds a valid pass.
func (m *modelTool) published() bool { return m.marked && m.passes() }

// offered reports whether clients see it.
func (m *modelTool) offered() bool { return m.published() && (m.exposed || !m.bundled) && !m.excluded }

// state is the word of the API for it.
func (m *modelTool) state() string {
	passed, tested := m.verdicts[m.stored]
	switch {
	case m.offered():
		return "live"
	case m.published():
		return "hidden"
	case passed:
		return "passed"
	case tested:
		return "test_failed"
	case slices.Contains(slices.Collect(maps.Values(m.verdicts)), true):
		return "stale_pass"
	}
	return "draft"
}

// game is two programs on one home and the model of its tools.
type game struct {
	t        *testing.T
	number   int32 // of this game: variables of the environment carry it
	home     string
	programs map[string]*playground
	tools    map[string]*modelTool
	order    []string
}

// playSteps does the steps in a home of their own. The error says after which of
// them something was not as the model says.
func playSteps(t *testing.T, steps []step) error {
	g := &game{t: t, number: games.Add(1), home: t.TempDir(), programs: map[string]*playground{}, tools: map[string]*modelTool{}}
	defer func() {
		for name := range g.programs {
			g.end(name)
		}
	}()
	all, err := catalog.Specs()
	require.NoError(t, err)
	for _, spec := range all {
		if spec.Name == "evalExpression" || spec.Name == "base64" {
			starter := spec.Name == "evalExpression"
			m := &modelTool{name: spec.Name, id: spec.ID(), bundled: true, stored: firstGood, verdicts: map[int]bool{}, marked: starter, exposed: starter}
			if starter {
				m.verdicts[firstGood] = true
			}
			g.tools[m.name] = m
		}
	}
	for i, name := range []string{"own", "other"} {
		m := &modelTool{name: name, id: fmt.Sprintf("00000000-0000-4000-8000-%012d", i+1), verdicts: map[int]bool{}}
		m.switchName = fmt.Sprintf("ONE_STATE_%d_%s", g.number, strings.ToUpper(name))
		require.NoError(t, os.Setenv(m.switchName, "working")) // not Setenv of t: games run in parallel, each with names of its own
		defer os.Unsetenv(m.switchName)
		g.tools[name] = m
	}
	g.order = slices.Sorted(maps.Keys(g.tools))
	g.start("A")
	g.start("B")
	if err := g.agree(step{by: "A"}); err != nil {
		return fmt.Errorf("at the start: %w", err)
	}
	for i, s := range steps {
		if err := g.do(s); err != nil {
			return fmt.Errorf("step %d, %s: %w", i+1, s, err)
		}
		if err := g.agree(s); err != nil {
			return fmt.Errorf("after step %d, %s: %w", i+1, s, err)
		}
	}
	return nil
}

func (g *game) start(name string) { g.programs[name] = serve(g.t, &server.Options{Home: g.home}) }

func (g *game) end(name string) {
	w := g.programs[name]
	w.stop()
	require.NoError(g.t, w.Close())
}

// spec is the document of a variant. All of them have the same length.
func (m *modelTool) spec(variant int) jsonObject {
	code := fmt.Sprintf("if (mode === 'broken!') throw new Error('broken');\nreturn { variant: %d };\n", variant)
	return jsonObject{
		"toolId": m.id, "name": m.name, "description": "Tells which variant of it is served. Use it in a test.", "category": "UTILITY", "tags": []string{"util"}, "codeType": "Javascript",
		"params": []jsonObject{}, "staticVariables": []jsonObject{{"mode": "${" + m.switchName + "}"}},
		"sandboxOverrides": jsonObject{"networkMode": "blocked", "fileRead": false, "fileWrite": false},
		"x-tests":          []jsonObject{{"name": "variant", "args": jsonObject{}, "want": jsonObject{"variant": min(variant, secondGood)}}},
		"code":             code,
	}
}

func (m *modelTool) path(rest string) string { return "/api/tools/" + m.id + rest }

func (g *game) file(m *modelTool) string { return filepath.Join(g.home, "specs", m.id+".json") }

// do does a step and notes in the model what it should change.
func (g *game) do(s step) error {
	if s.by == "restart" {
		g.end(s.do)
		g.start(s.do)
		return nil
	}
	m := g.tools[s.tool]
	if s.by == "disk" {
		return g.onDisk(s, m)
	}
	w := g.programs[s.by]
	switch s.do {
	case "save":
		return g.save(w, m, s.variant)
	case "test":
		return g.test(w, m, m.stored != neverPasses)
	case "fail":
		if err := os.Setenv(m.switchName, "broken!"); err != nil {
			return err
		}
		defer os.Setenv(m.switchName, "working")
		return g.test(w, m, false)
	case "publish":
		return g.publish(w, m)
	case "unpublish":
		if err := g.expect(w, "POST", m.path("/unpublish"), nil, m.stored, http.StatusOK); err != nil || m.stored == 0 {
			return err
		}
		m.marked = false
	case "expose", "hide":
		return g.expose(w, m, s.do == "expose")
	case "delete":
		if err := g.expect(w, "DELETE", m.path(""), nil, m.stored, http.StatusNoContent); err != nil {
			return err
		}
		m.stored, m.marked = 0, false
	default:
		return errors.New("no such step")
	}
	return nil
}

// expect sends a request about a tool that is stored or not.
func (g *game) expect(w *playground, method, path string, body any, stored, want int) error {
	status, _, answer := w.do(method, path, body)
	if stored == 0 {
		want = http.StatusNotFound
	}
	if status != want {
		return fmt.Errorf("%s %s gave %d, not %d: %v", method, path, status, want, answer)
	}
	return nil
}

func (g *game) save(w *playground, m *modelTool, variant int) error {
	method, path, header, want := "PUT", m.path(""), []string{"If-Match: *"}, http.StatusOK
	if m.stored == 0 {
		method, path, header, want = "POST", "/api/tools", nil, http.StatusCreated
	}
	if status, _, answer := w.do(method, path, m.spec(variant), header...); status != want {
		return fmt.Errorf("%s %s gave %d, not %d: %v", method, path, status, want, answer)
	}
	if variant != m.stored { // an edit of what is published makes it a draft
		m.marked = false
	}
	m.stored = variant
	return nil
}

func (g *game) test(w *playground, m *modelTool, pass bool) error {
	status, _, run := w.do("POST", m.path("/runs?wait=1"), struct{}{})
	if m.stored == 0 {
		if status != http.StatusNotFound {
			return fmt.Errorf("a test of what is not there gave %d: %v", status, run)
		}
		return nil
	}
	if want := map[bool]string{true: "passed", false: "failed"}[pass]; run["state"] != want {
		return fmt.Errorf("the test gave %d %v, not %s: %v", status, run["state"], want, run)
	}
	m.verdicts[m.stored] = pass
	return nil
}

func (g *game) publish(w *playground, m *modelTool) error {
	tool := w.get(m.path(""))
	receipt, _ := tool["receipt"].(jsonObject)
	id, _ := receipt["id"].(string)
	want := http.StatusOK
	if !m.passes() {
		want = http.StatusConflict
	}
	if err := g.expect(w, "POST", m.path("/publish"), jsonObject{"receipt": id, "confirm": true}, m.stored, want); err != nil {
		return err
	}
	if m.stored != 0 && want == http.StatusOK {
		m.marked = true
	}
	return nil
}

// expose changes the record of what clients are offered. A bundled tool that is
// named there from now on is published; nothing else is.
func (g *game) expose(w *playground, m *modelTool, on bool) error {
	_, h, record := w.do("GET", "/api/tools/exposure", nil)
	without := func(list any) []any {
		return slices.DeleteFunc(list.([]any), func(id any) bool { return id == m.id })
	}
	exposed, excluded := without(record["exposedToolIds"]), without(record["excludedToolIds"])
	if on {
		exposed = append(exposed, m.id)
	} else {
		excluded = append(excluded, m.id)
	}
	body := jsonObject{"autoAdd": record["autoAdd"], "exposedToolIds": exposed, "excludedToolIds": excluded}
	if status, _, answer := w.do("PUT", "/api/tools/exposure", body, "If-Match: "+h.Get("ETag")); status != http.StatusOK {
		return fmt.Errorf("PUT exposure gave %d: %v", status, answer)
	}
	if on && m.bundled && !m.exposed {
		m.marked, m.verdicts[firstGood] = true, true
	}
	m.exposed, m.excluded = on, !on
	return nil
}

// onDisk changes the file of a tool without any program.
func (g *game) onDisk(s step, m *modelTool) error {
	if m.stored == 0 {
		return nil
	}
	path := g.file(m)
	switch s.do {
	case "remove":
		m.stored, m.marked = 0, false
		return os.Remove(path)
	case "damage":
		m.stored, m.marked = 0, false
		return replace(path, []byte(`{"key":`))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	old, now := fmt.Sprintf("variant: %d", m.stored), fmt.Sprintf("variant: %d", s.variant)
	edited := bytes.Replace(data, []byte(old), []byte(now), 1)
	old, now = fmt.Sprintf(`"variant": %d`, min(m.stored, secondGood)), fmt.Sprintf(`"variant": %d`, min(s.variant, secondGood))
	if !bytes.Contains(edited, []byte(old)) {
		return fmt.Errorf("the file does not hold %s:\n%s", old, data)
	}
	edited = bytes.Replace(edited, []byte(old), []byte(now), 1)
	m.stored = s.variant // the mark in the file stays: it is published while this content holds a pass
	if s.do == "edit" {  // as most editors save
		return replace(path, edited)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(edited, 0)
	return errors.Join(err, f.Close())
}

func replace(path string, data []byte) error {
	if err := os.WriteFile(path+".new~", data, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new~", path)
}

// agree waits until both programs say of every tool what the model says. The one that
// did not do the step is asked first, and for the state of its tool alone: while it has
// not followed, nothing else need be asked.
func (g *game) agree(s step) error {
	order := []string{"B", "A"}
	if s.by == "B" {
		order = []string{"A", "B"}
	}
	until := time.Now().Add(followBound)
	for {
		var wrong error
		for _, name := range order {
			err := g.compareState(g.programs[name], g.tools[s.tool])
			if err == nil {
				err = g.compare(g.programs[name])
			}
			if err != nil {
				wrong = fmt.Errorf("program %s: %w", name, err)
				break
			}
		}
		if wrong == nil || time.Now().After(until) {
			return wrong
		}
		<-time.After(100 * time.Millisecond) // between two looks
	}
}

// compareState holds the state that a program gives for a tool, if there is one, against
// the model.
func (g *game) compareState(w *playground, m *modelTool) error {
	if m == nil {
		return nil
	}
	status, _, tool := w.do("GET", m.path(""), nil)
	switch {
	case m.stored == 0 && status == http.StatusNotFound:
		return nil
	case m.stored > 0 && tool["state"] == m.state():
		return nil
	}
	return fmt.Errorf("%s: %d %v", m.name, status, tool["state"])
}

// compare holds what a program says against the model.
func (g *game) compare(w *playground) error {
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	_, listed := w.listTools()
	home := w.get("/api/home")
	builtin := w.get("/api/mcp/builtin")
	rows := w.get("/api/tools?limit=200")
	exposure := w.get("/api/tools/exposure")
	if count := strings.Count(listed, `"inputSchema"`); home["live"] != float64(count) {
		say("the first page counts %v tools and tools/list has %d", home["live"], count)
	}
	for _, name := range g.order {
		m := g.tools[name]
		if got := strings.Contains(listed, `"name":"`+name+`"`); got != m.offered() {
			say("%s: tools/list has it: %v, not %v", name, got, m.offered())
		}
		if raw, _ := json.Marshal(builtin["tools"]); bytes.Contains(raw, []byte(`"`+name+`"`)) != m.offered() {
			say("%s: the page of the endpoint has it: %v, not %v", name, !m.offered(), m.offered())
		}
		for member, want := range map[string]bool{"exposedToolIds": m.exposed, "excludedToolIds": m.excluded} {
			if list, _ := exposure[member].([]any); slices.Contains(list, any(m.id)) != want {
				say("%s: %s has it: %v, not %v", name, member, !want, want)
			}
		}
		g.compareCall(w, m, say)
		g.compareAPI(w, m, rows, say)
		if !m.bundled {
			g.compareStore(m, say)
		}
	}
	if wrong == nil {
		return nil
	}
	return errors.New(strings.Join(wrong, "\n\t"))
}

func (g *game) compareCall(w *playground, m *modelTool, say func(string, ...any)) {
	arguments, want := jsonObject{}, fmt.Sprintf(`"variant":%d`, m.stored)
	switch m.name {
	case "evalExpression":
		arguments, want = jsonObject{"expression": "6*7"}, "42"
	case "base64":
		arguments, want = jsonObject{"text": "ok", "action": "encode"}, "b2s="
	}
	answer := w.callTool(m.name, arguments)
	switch ran := strings.Contains(answer, want) && !strings.Contains(answer, `"isError":true`); {
	case ran && !m.offered():
		say("%s: tools/call runs it: %s", m.name, answer)
	case !ran && m.offered():
		say("%s: tools/call does not run variant %d: %s", m.name, m.stored, answer)
	}
}

func (g *game) compareAPI(w *playground, m *modelTool, rows jsonObject, say func(string, ...any)) {
	status, _, tool := w.do("GET", m.path(""), nil)
	at := slices.IndexFunc(rows["items"].([]any), func(row any) bool { return row.(jsonObject)["id"] == m.id })
	if m.stored == 0 {
		if status != http.StatusNotFound || at >= 0 {
			say("%s: the API still has it: %d, row %d", m.name, status, at)
		}
		return
	}
	if status != http.StatusOK || at < 0 {
		say("%s: the API does not have it: %d, row %d: %v", m.name, status, at, tool)
		return
	}
	for view, got := range map[string]jsonObject{"detail": tool, "row": rows["items"].([]any)[at].(jsonObject)} {
		if got["state"] != m.state() || got["live"] != m.offered() || got["published"] != m.published() {
			say("%s: the %s says %v, live %v, published %v, not %s, live %v, published %v",
				m.name, view, got["state"], got["live"], got["published"], m.state(), m.offered(), m.published())
		}
	}
	if (tool["receipt"] != nil) != m.passes() {
		say("%s: it holds a pass: %v, not %v", m.name, tool["receipt"] != nil, m.passes())
	}
	if code := fmt.Sprint(tool["spec"].(jsonObject)["code"]); !m.bundled && !strings.Contains(code, fmt.Sprint("variant: ", m.stored)) {
		say("%s: the API has %s, not variant %d", m.name, code, m.stored)
	}
}

// compareStore reads what the next start would read.
func (g *game) compareStore(m *modelTool, say func(string, ...any)) {
	data, err := os.ReadFile(g.file(m))
	if m.stored == 0 {
		if err == nil && json.Valid(data) {
			say("%s: its file is still there", m.name)
		}
		return
	}
	if err != nil {
		say("%s: %v", m.name, err)
		return
	}
	if !bytes.Contains(data, fmt.Appendf(nil, "variant: %d", m.stored)) {
		say("%s: its file does not hold variant %d", m.name, m.stored)
	}
}

package sandbox_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
	"github.com/localpass/localpass/toolspec/studio"
)

// A run that is given its files works on those, and leaves nothing.
func TestGivenFiles(t *testing.T) {
	eachTier(t, func(t *testing.T, tier toolspec.Tier) {
		scratch, base := t.TempDir(), t.TempDir()
		t.Setenv("TMPDIR", scratch)
		s := newSandbox(t, &sandbox.Options{Tier: tier, Workers: 1, Files: &sandbox.FileOptions{Workspace: base, ReadRoots: []string{t.TempDir()}}})
		require.NoError(t, os.WriteFile(filepath.Join(base, "real.txt"), []byte("real"), 0o644))
		given := func(code string, files map[string]string) *toolspec.Outcome {
			t.Helper()
			req := request(code)
			req.Posture.FileRead, req.Posture.FileWrite, req.Posture.Destructive = true, true, true
			req.Conversation, req.Files = "c1", files
			return run(t, s, req)
		}
		out := given(`safety.fs.writeText('new/b.txt', safety.fs.readText('a/b/c.txt') + '!'); safety.fs.move('x.txt', 'y.txt'); safety.fs.delete('gone.txt');
			safety.fs.writeText('binary', '\ud800'); return [safety.fs.find('.', '*', {type: 'file'}), safety.fs.exists('real.txt'), safety.fs.readRoots().length]`,
			map[string]string{"a/b/c.txt": "one", "x.txt": "x", "gone.txt": ""})
		require.Nil(t, out.Err)
		assert.JSONEq(t, `[["a/b/c.txt","binary","new/b.txt","y.txt"],false,1]`, string(out.Result))
		assert.Equal(t, "one!", out.Files["new/b.txt"])
		assert.Equal(t, map[string]string{"a/b/c.txt": "one", "new/b.txt": "one!", "y.txt": "x", "binary": out.Files["binary"]}, out.Files)

		out = given(`return safety.fs.list()`, map[string]string{})
		assert.JSONEq(t, `[]`, string(out.Result), "each run has its own")
		assert.Empty(t, out.Files)
		assert.NotNil(t, out.Files)
		out = given(`return 1`, map[string]string{"a": "b"})
		assert.Equal(t, map[string]string{"a": "b"}, out.Files, "a run that touches none leaves them as they are")
		out = given(`throw new Error(safety.fs.readText('a'))`, map[string]string{"a": "b"})
		require.NotNil(t, out.Err)
		assert.Equal(t, map[string]string{"a": "b"}, out.Files)

		for _, bad := range []string{"../out", "/etc/passwd", "a/../../out"} {
			out = given(`safety.fs.list()`, map[string]string{bad: "x"})
			require.NotNil(t, out.Err, bad)
			assert.Equal(t, sandbox.ReasonUnavailable, out.Err.Reason, bad)
		}
		outside, err := os.ReadFile(filepath.Join(base, "real.txt"))
		require.NoError(t, err)
		assert.Equal(t, "real", string(outside))
		entries, err := os.ReadDir(base)
		require.NoError(t, err)
		assert.Len(t, entries, 1)
		assert.NoFileExists(t, filepath.Join(scratch, "out"))
		left, err := filepath.Glob(filepath.Join(scratch, "localpass-scratch-*", "run-*"))
		require.NoError(t, err)
		assert.Empty(t, left, "the directories are gone")
	})
}

// What a run reached is told, counted, and without what only the code should
// know.
func TestAccesses(t *testing.T) {
	eachTier(t, func(t *testing.T, tier toolspec.Tier) {
		address, _ := site(t)
		s := newSandbox(t, &sandbox.Options{Tier: tier, Workers: 1, Files: &sandbox.FileOptions{Workspace: t.TempDir()},
			Network: &sandbox.NetworkOptions{OperatorHosts: []string{address}}})
		req := networkRequest(`for (const q of ['/a?key=secret', '/b?key=secret']) await fetch(base + q);
			await fetch(base + '/c', {method: 'post', body: 'x'});
			try { await fetch('http://10.1.2.3/') } catch {}
			safety.fs.writeText('a.txt', 'hello'); safety.fs.readText('a.txt'); safety.fs.readText('./a.txt'); safety.fs.copy('a.txt', 'b.txt');
			try { safety.fs.readText('../up') } catch {}
			try { safety.fs.readText('none') } catch {}`, address)
		req.Posture.FileRead, req.Posture.FileWrite = true, true
		out := run(t, s, req)
		require.Nil(t, out.Err)
		var got []string
		for _, a := range out.Accesses {
			got = append(got, strings.TrimSpace(fmt.Sprint(a.Component, " ", a.Op, " ", strings.Replace(a.Target, address, "HOST", 1), " ", a.Status, " x", a.Count)))
		}
		assert.Equal(t, []string{"fetch GET http://HOST 200 x2", "fetch POST http://HOST 200 x1", "fs writeText a.txt 0 x1", "fs readText a.txt 0 x1",
			"fs readText ./a.txt 0 x1", "fs copy a.txt -> b.txt 0 x1", "fs readText none 0 x1"}, got)
		assert.EqualValues(t, 5, out.Accesses[3].Bytes)
		assert.Len(t, out.Denials, 2, "what was refused is a denial")
		raw, err := json.Marshal(out.Accesses)
		require.NoError(t, err)
		assert.NotContains(t, string(raw), "secret")

		req = request(`for (let i = 0; i < 250; i++) safety.fs.exists('f' + i)`)
		req.Posture.FileRead = true
		out = run(t, s, req)
		assert.Len(t, out.Accesses, 100)
		assert.Equal(t, 150, out.AccessesCut)
	})
}

// A trace sees what a spec needs, and the spec that it proposes passes without
// the network.
func TestTrace(t *testing.T) {
	address, heard := site(t)
	workspace := t.TempDir()
	s := newSandbox(t, &sandbox.Options{Workers: 1, Files: &sandbox.FileOptions{Workspace: workspace}, Network: &sandbox.NetworkOptions{OperatorHosts: []string{address}}})
	env := map[string]string{"TRACE_KEY": "topsecretvalue"}
	st, err := studio.New(t.Context(), s, memory.New(), &studio.Options{Lookup: func(name string) (string, bool) { v, ok := env[name]; return v, ok }})
	require.NoError(t, err)
	spec, err := toolspec.ParseSpec([]byte(`{"name":"traced","description":"Asks and writes it down.","codeType":"Javascript",
		"params":[{"name":"q","description":"what to ask","type":"STRING","required":true,"testValue":"/a"}],
		"staticVariables":[{"key":"${TRACE_KEY}"}],
		"code":"const r = await fetch('http://` + address + `' + q + '?k=' + key); safety.fs.writeText('out.txt', String(r.status)); console.log('asked', key); return {status: r.status};",
		"x-tests":[{"name":"b","args":{"q":"/b"},"want":{"status":200},"wantFiles":{"out.txt":"200"}}]}`))
	require.NoError(t, err)
	var console []string
	trace, err := st.Trace(t.Context(), spec, &studio.TestOptions{ByAuthor: true, Console: func(l activity.ConsoleLine) { console = append(console, l.Text) }})
	require.NoError(t, err)
	require.NoError(t, trace.Problems.Err())
	assert.True(t, trace.OK)
	assert.Len(t, heard, 2)
	assert.Equal(t, []string{"asked ***", "asked ***"}, console)
	assert.Equal(t, toolspec.L0, trace.Level)
	assert.Equal(t, toolspec.L4, trace.ProposedLevel)
	assert.Equal(t, []string{"networkMode: (nothing) becomes allowlist", "hostsAllow: (nothing) becomes " + address, "fileWrite: not given becomes true",
		"x-fixtures: holds the recorded exchanges, so that the tests need no network",
		"x-fixtures: gives each test a directory of its own, with no files so far"}, trace.Changes)
	entries, err := os.ReadDir(workspace)
	require.NoError(t, err)
	assert.Empty(t, entries, "a trace touches no file of the host")
	raw, err := json.Marshal(trace)
	require.NoError(t, err)
	assert.NotContains(t, string(raw), "topsecretvalue")

	proposed := trace.Proposed
	<-heard
	<-heard
	delete(env, "TRACE_KEY")
	report, err := st.Test(t.Context(), proposed, nil)
	require.NoError(t, err)
	require.NoError(t, report.Err())
	assert.True(t, report.OK)
	assert.Empty(t, heard)

	// Traced again, it proposes nothing more.
	trace, err = st.Trace(t.Context(), proposed, nil)
	require.NoError(t, err)
	assert.True(t, trace.OK, "%v", trace.Problems)
	assert.Empty(t, trace.Changes)

	// What cannot run is told like everywhere.
	for code, want := range map[string]string{"return {": "syntax", "throw new Error('no cheese');": "no cheese"} {
		broken := spec.Clone()
		broken.Code, env["TRACE_KEY"] = code, "topsecretvalue"
		trace, err = st.Trace(t.Context(), broken, nil)
		require.NoError(t, err)
		assert.False(t, trace.OK)
		assert.ErrorContains(t, trace.Problems.Err(), want)
	}
	delete(env, "TRACE_KEY")
	trace, err = st.Trace(t.Context(), spec, nil)
	require.NoError(t, err)
	assert.ErrorContains(t, trace.Problems.Err(), "TRACE_KEY")

	// The widest posture is what the host permits.
	narrow, err := studio.New(t.Context(), s, memory.New(), &studio.Options{Host: &toolspec.Host{Ceiling: &toolspec.Ceiling{FileRead: true}}})
	require.NoError(t, err)
	trace, err = narrow.Trace(t.Context(), proposed, nil)
	require.NoError(t, err)
	assert.False(t, trace.OK)
	assert.ErrorContains(t, trace.Problems.Err(), "fetch")
}

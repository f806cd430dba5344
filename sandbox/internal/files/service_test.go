package files_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/files"
	"github.com/localpass/localpass/sandbox/internal/hostcall"
)

// The service believes nothing: the caller may be an attacker in the worker.
func TestServeHostile(t *testing.T) {
	w := newWorld(t)
	w.write("ws/in.txt", "inside")
	for _, c := range []struct{ op, args, data, want string }{
		{"", `{}`, "", "INVALID_INPUT unknown-operation"},
		{"fs", `{}`, "", "INVALID_INPUT unknown-operation"},
		{"fs.", `{}`, "", "INVALID_INPUT unknown-operation"},
		{"readText", `{"path":"in.txt"}`, "", "INVALID_INPUT unknown-operation"},
		{"fs.fs.readText", `{"path":"in.txt"}`, "", "INVALID_INPUT unknown-operation"},
		{"fs.ReadText", `{"path":"in.txt"}`, "", "INVALID_INPUT unknown-operation"},
		{"fs." + strings.Repeat("x", 1<<20), `{}`, "", "INVALID_INPUT unknown-operation"},
		{"fs.readText", ``, "", "INVALID_INPUT path-required"},
		{"fs.readText", `null`, "", "INVALID_INPUT path-required"},
		{"fs.readText", `{`, "", "INVALID_INPUT invalid-arguments"},
		{"fs.readText", `[]`, "", "INVALID_INPUT invalid-arguments"},
		{"fs.readText", `{"path":1}`, "", "INVALID_INPUT invalid-arguments"},
		{"fs.readText", `{"path":["in.txt"]}`, "", "INVALID_INPUT invalid-arguments"},
		{"fs.readText", strings.Repeat("[", 60_000), "", "INVALID_INPUT invalid-arguments"},
		{"fs.readText", `{"path":"` + strings.Repeat("x", 1<<20) + `"}`, "", "INVALID_INPUT invalid-arguments"},
		{"fs.readText", `{"path":"in.txt\u0000"}`, "", "INVALID_INPUT invalid-path"},
		{"fs.readText", `{"path":"` + strings.Repeat("x/", 4000) + `"}`, "", "INVALID_INPUT invalid-path"},
		{"fs.writeText", `{"path":"x"}`, strings.Repeat("x", hostcall.MaxData+1), "INVALID_INPUT invalid-arguments"},
		{"fs.editText", `{"path":"in.txt","old":7}`, "inside", "INVALID_INPUT invalid-arguments"},
		{"fs.editText", `{"path":"in.txt","old":-1}`, "inside", "INVALID_INPUT invalid-arguments"},
		{"fs.editText", `{"path":"in.txt","old":9223372036854775807}`, "inside", "INVALID_INPUT invalid-arguments"},
		{"fs.cut", `{"path":"in.txt"}`, "", "INVALID_INPUT cut-fields-required"},
		{"fs.cut", `{"path":"in.txt","fields":[` + strings.Repeat("1,", 1000) + `1]}`, "", "INVALID_INPUT cut-too-many-fields"},
		{"fs.cut", `{"path":"in.txt","fields":[1e99]}`, "", "INVALID_INPUT invalid-arguments"},
		{"fs.cut", `{"path":"in.txt","fields":[9223372036854775807],"regex":true,"delimiter":"x"}`, "", ""},
		{"fs.slice", `{"path":"in.txt","start":-9223372036854775808,"end":9223372036854775807}`, "", ""},
		{"fs.grep", `{"path":"in.txt","pattern":"i","limit":-9223372036854775808}`, "", ""},
		{"fs.find", `{"path":".","glob":"*","maxDepth":9223372036854775807}`, "", ""},
		{"fs.find", `{"path":".","glob":"\ufffd"}`, "", ""},
		{"fs.next", `{"path":1}`, "", ""},
	} {
		_, failed := w.ask(c.op, c.args, []byte(c.data)...)
		assert.Equal(t, c.want, reason(failed), "%.60s %.60s", c.op, c.args)
		if failed != nil {
			assert.Equal(t, files.Helper, failed.Component)
			assert.Less(t, len(failed.Message), 500)
		}
	}
	_, failed := w.ask("fs.readText", `{"path":"nothing"}`)
	assert.NotContains(t, failed.ModelText(), w.dir, "where things are on this machine is not for the code")
	assert.Equal(t, `HELPER_RUNTIME: readText: "nothing": it does not exist`, failed.ModelText())
	require.NoError(t, w.service.Close())
	_, failed = w.ask("fs.readText", `{"path":"in.txt"}`)
	assert.Equal(t, "HELPER_RUNTIME io", reason(failed))
}

// Bodies that are sent ahead are bounded, used once, and begun anew.
func TestStage(t *testing.T) {
	w := limited(t, files.Limits{WriteBytes: 10})
	stage := func(args, data string) string {
		_, failed := w.ask("fs.stage", args, []byte(data)...)
		return reason(failed)
	}
	write := func(args, data string) string {
		_, failed := w.ask("fs.writeText", args, []byte(data)...)
		return reason(failed)
	}
	assert.Equal(t, "", stage(`{"first":true}`, "abc"))
	assert.Equal(t, "", stage(`{"first":true}`, "12"))
	assert.Equal(t, "", stage(`{}`, "34"))
	assert.Equal(t, "", write(`{"path":"x","staged":true}`, "5"))
	assert.Equal(t, "12345", w.file("ws/x"))
	assert.Equal(t, "", write(`{"path":"x","staged":true}`, "5"))
	assert.Equal(t, "5", w.file("ws/x"), "what was staged is gone")

	assert.Equal(t, "", stage(`{"first":true}`, "abc"))
	assert.Equal(t, "", write(`{"path":"x"}`, "5"))
	assert.Equal(t, "5", w.file("ws/x"))
	assert.Equal(t, "", write(`{"path":"x","staged":true}`, "6"))
	assert.Equal(t, "6", w.file("ws/x"))

	assert.Equal(t, "", stage(`{"first":true}`, strings.Repeat("x", 20)))
	assert.Equal(t, "RESOURCE_LIMIT file-too-large", stage(`{}`, "x"))
	assert.Equal(t, "", stage(`{"first":true}`, strings.Repeat("x", 20)))
	assert.Equal(t, "RESOURCE_LIMIT file-too-large", write(`{"path":"x","staged":true}`, "x"))
	assert.Equal(t, "", stage(`{"first":true}`, strings.Repeat("x", 20)))
	assert.Equal(t, "RESOURCE_LIMIT file-too-large", write(`{"path":"x","staged":true}`, ""))
	assert.Equal(t, "6", w.file("ws/x"))
	assert.Equal(t, "INVALID_INPUT invalid-arguments", stage(`1`, "x"))
}

// The rest of an answer is there until the next operation.
func TestNext(t *testing.T) {
	w := newWorld(t)
	w.write("ws/big", strings.Repeat("x", hostcall.MaxData+5))
	reply, failed := w.ask("fs.readText", `{"path":"big"}`)
	require.Nil(t, failed)
	assert.JSONEq(t, `{"bytes":3145733,"count":1}`, string(reply.Value))
	assert.Len(t, reply.Data, hostcall.MaxData)
	reply, _ = w.ask("fs.next", `{}`)
	assert.Equal(t, "xxxxx", string(reply.Data))
	reply, _ = w.ask("fs.next", `{}`)
	assert.Empty(t, reply.Data)
	_, _ = w.ask("fs.readText", `{"path":"big"}`)
	_, _ = w.ask("fs.stat", `{"path":"big"}`)
	reply, _ = w.ask("fs.next", `{}`)
	assert.Empty(t, reply.Data)
}

// FuzzServe asks for anything: there is always an answer, and nothing outside
// of the workspace is read or changed.
func FuzzServe(f *testing.F) {
	ops := []string{
		"workspace", "readRoots", "readText", "readBytes", "list", "exists", "stat", "grep", "lineCount", "slice", "cut", "sort", "find", "searchInFiles",
		"writeText", "writeBytes", "appendText", "editText", "copy", "move", "delete", "deleteDir", "stage", "next", "other",
	}
	for i, path := range []string{"a", "../outside/secret.txt", "up/secret.txt", "/", ".", "..", "d/../..", "a/b/c", "up", "x\x00", "", "abs/sub/deep.txt", "//", "...", "up/.././../outside"} {
		for j := range ops {
			if (i+j)%4 > 0 {
				continue
			}
			f.Add(byte(j), path, "../outside/new"[i%12:], "CANARY", int64(i))
		}
	}
	f.Fuzz(func(t *testing.T, op byte, path, to, text string, n int64) {
		w := newWorld(t)
		w.write("ws/a", "a\nb\n")
		w.write("ws/d/b", "b")
		w.link("../outside", "ws/up")
		w.link(w.outside, "ws/abs")
		w.link("d", "ws/in")
		args, err := json.Marshal(map[string]any{
			"path": path, "to": to, "pattern": text, "glob": text, "delimiter": text, "fields": []int64{n, 1}, "start": n, "end": -n, "limit": n, "maxDepth": n,
			"old": n, "numeric": n%2 == 0, "regex": n%2 == 0, "unique": n%3 == 0, "replaceAll": n%2 == 1, "staged": n%5 == 0,
		})
		require.NoError(t, err)
		reply, failed := w.ask("fs."+ops[int(op)%len(ops)], string(args), []byte(text)...)
		if failed != nil && (failed.Kind == "" || failed.Message == "" || failed.Reason == "panic") {
			t.Fatal(failed)
		}
		if strings.Contains(string(reply.Data), secret) || failed != nil && strings.Contains(failed.Error(), secret) {
			t.Fatalf("%q gave the secret", path)
		}
		if failed == nil && !json.Valid(reply.Value) {
			t.Fatalf("the value is no JSON: %q", reply.Value)
		}
		w.untouched()
	})
}

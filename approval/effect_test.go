package approval_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/toolspec"
)

// Changes lists what the sandbox enforces, or otherwise what the server claims.
func TestChanges(t *testing.T) {
	is, not := true, false
	both := toolspec.Posture{FileRead: true, FileWrite: true, FSBasePath: "/srv/notes", Network: toolspec.NetworkPosture{Mode: toolspec.NetworkBlocked}}
	for name, c := range map[string]struct {
		server string
		def    toolspec.Definition
		told   []string
		want   []string
	}{
		"enforced": {def: toolspec.Definition{Posture: &both, Annotations: toolspec.Annotations{ReadOnly: &not, Destructive: &is, OpenWorld: &is}},
			want: []string{"It may read and write any file below /srv/notes.", "It cannot use the network."}},
		"and what this call does": {def: toolspec.Definition{Posture: &both}, told: []string{"It replaces 2 lines."},
			want: []string{"It replaces 2 lines.", "It may read and write any file below /srv/notes.", "It cannot use the network."}},
		"a server, the worst": {server: "notes", def: toolspec.Definition{Annotations: toolspec.Annotations{Destructive: &is, OpenWorld: &is}},
			want: []string{"The server says that it may delete or overwrite things.", "The server says that it reaches other systems.", "localpass cannot restrict this tool."}},
		"a server, changes": {server: "notes", def: toolspec.Definition{Annotations: toolspec.Annotations{ReadOnly: &not, Destructive: &not}},
			want: []string{"The server says that it may change things.", "localpass cannot restrict this tool."}},
		"a server, nothing said": {server: "notes", want: []string{"The server does not say what it may change.", "localpass cannot restrict this tool."}},
		"a server's good word is none": {server: "notes", def: toolspec.Definition{Annotations: toolspec.Annotations{ReadOnly: &is, OpenWorld: &not}},
			want: []string{"localpass cannot restrict this tool."}},
		"a Go tool": {def: toolspec.Definition{Annotations: toolspec.Annotations{Destructive: &is}},
			want: []string{"The tool says that it may delete or overwrite things.", "It is part of this program, which limits nothing of it."}},
		"hidden characters": {def: toolspec.Definition{Posture: &toolspec.Posture{FileRead: true, FSBasePath: "/srv/\u202eseton", Network: toolspec.NetworkPosture{Mode: toolspec.NetworkBlocked}}},
			want: []string{`It may read any file below /srv/\u202eseton.`, "It cannot write files.", "It cannot use the network."}},
	} {
		t.Run(name, func(t *testing.T) {
			person := yes()
			g := newGate(t, approval.Options{Approvers: []approval.Approver{person}})
			def := tool("send", toolspec.L4, true)
			def.Posture, def.Annotations = c.def.Posture, c.def.Annotations
			asked := call(def, `{}`)
			asked.Server, asked.Changes = c.server, c.told
			out := decide(t, g, asked)
			require.True(t, out.Allowed(), "%v", out.Cause)
			assert.Equal(t, c.want, person.last().Changes)
			assert.Empty(t, person.last().Targets)
		})
	}
}

// Targets lists the files and addresses in the arguments, cut to a readable length.
func TestTargets(t *testing.T) {
	for arguments, want := range map[string][]string{
		`{"path":"notes/todo.md","text":"buy milk"}`:            {"path notes/todo.md"},
		`{"to":"b/c.txt","from":"a.txt"}`:                       {"from a.txt", "to b/c.txt"},
		`{"from":"EUR","to":"USD","folder":" "}`:                nil,
		`{"outputFile":"x","file_path":"y","profile":"z"}`:      {"file_path y", "outputFile x"},
		`{"link":"https://api.example.com/v1?q=1","n":1}`:       {"link https://api.example.com/v1?q=1"},
		`{"text":"see https://api.example.com","url":"about:"}`: nil,
		`{"path":["a"],"dir":{"b":1},"file":"two\nlines"}`:      nil,
		`{"path":"a\u202eb"}`:                                   {`path a\u202eb`},
		`{"path":"` + strings.Repeat("ä", 300) + `"}`:           {"path " + strings.Repeat("ä", 194) + "…"},
		`{}`: nil,
	} {
		t.Run(arguments[:min(len(arguments), 40)], func(t *testing.T) {
			person := yes()
			g := newGate(t, approval.Options{Approvers: []approval.Approver{person}})
			out := decide(t, g, call(tool("send", toolspec.L4, true), arguments))
			require.True(t, out.Allowed(), "%v", out.Cause)
			assert.Equal(t, want, person.last().Targets)
		})
	}
	person := yes()
	g := newGate(t, approval.Options{Approvers: []approval.Approver{person}})
	out := decide(t, g, call(tool("send", toolspec.L4, true), `{"aFile":"1","bFile":"1","cFile":"1","dFile":"1","eFile":"1","fFile":"1","gFile":"1","hFile":"1","iFile":"1"}`))
	require.True(t, out.Allowed())
	assert.Len(t, person.last().Targets, 8)
}

package approval_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

// An action follows from the enforced limits and the arguments, never from a name or a
// hint of the tool, and shows values as data.
func TestAction(t *testing.T) {
	is := true
	offline := toolspec.NetworkPosture{Mode: toolspec.NetworkBlocked}
	writes := &toolspec.Posture{FileRead: true, FileWrite: true, Network: offline}
	deletes := &toolspec.Posture{FileWrite: true, Destructive: true, Network: offline}
	writeOnly := &toolspec.Posture{FileWrite: true, Network: toolspec.NetworkPosture{Mode: toolspec.NetworkStrict}}
	reads := &toolspec.Posture{FileRead: true, Network: offline}
	online := &toolspec.Posture{FileRead: true, Network: toolspec.NetworkPosture{Mode: toolspec.NetworkAllowlist, Hosts: []string{"example.com"}}}
	nothing := &toolspec.Posture{Network: offline}
	for name, c := range map[string]struct {
		tool, server string
		posture      *toolspec.Posture
		hints        toolspec.Annotations
		arguments    string
		kind         approval.ActionKind
		want         string
	}{
		"write":               {posture: writes, arguments: `{"path":"notes/todo.md","text":"buy milk"}`, kind: approval.ActionWrite, want: `Write "buy milk" to notes/todo.md`},
		"read or write":       {posture: writes, arguments: `{"path":"notes/todo.md"}`, kind: approval.ActionAccess, want: `Read or write notes/todo.md`},
		"write only":          {posture: writeOnly, arguments: `{"path":"a b.md"}`, kind: approval.ActionWrite, want: `Write "a b.md"; it may also send requests`},
		"several texts":       {posture: writes, arguments: `{"path":"a","text":"harmless","data":"rest"}`, kind: approval.ActionAccess, want: `Read or write a`},
		"delete":              {posture: deletes, arguments: `{"from":"a.md","to":"b/a.md","text":"x"}`, kind: approval.ActionChange, want: `Write, move or delete a.md and b/a.md`},
		"many files":          {posture: deletes, arguments: `{"aFile":"1","bFile":"2","cFile":"3","dFile":"4","eFile":"5"}`, kind: approval.ActionChange, want: `Write, move or delete 1, 2, 3 and 2 more`},
		"no file named":       {posture: deletes, arguments: `{"n":1}`, kind: approval.ActionRun, want: `Run send with "n: 1"; it may write, move and delete files`},
		"read":                {posture: reads, arguments: `{"path":"notes/todo.md","text":"x"}`, kind: approval.ActionRead, want: `Read notes/todo.md`},
		"request":             {posture: online, arguments: `{"url":"https://example.com/a?b=1","path":"x"}`, kind: approval.ActionRequest, want: `Send a request to https://example.com/a?b=1; it may also read files`},
		"no address named":    {posture: online, arguments: `{"path":"x"}`, kind: approval.ActionRead, want: `Read x; it may also send requests`},
		"online, no argument": {posture: online, arguments: `{}`, kind: approval.ActionRun, want: `Run send; it may read files and send requests`},
		"pure":                {posture: nothing, arguments: `{"path":"x","a":[1,{"b":2}]}`, kind: approval.ActionRun, want: `Run send with "a: [1,{'b':2}], path: x"`},
		"not restricted":      {arguments: `{"path":"x"}`, kind: approval.ActionRun, want: `Run send with "path: x"`},
		"another server":      {tool: "read_file", server: "files", arguments: `{"path":"x"}`, kind: approval.ActionCall, want: `Call read_file of the server files with "path: x"`},
		"a claim of a server": {server: "files", hints: toolspec.Annotations{Destructive: &is}, arguments: `{}`, kind: approval.ActionCall, want: `Call send of the server files; the server says that it may delete or overwrite things`},
		"a value that looks like our words": {posture: writes, arguments: `{"path":"safe.md\" to safe.md","text":"a” to \u202esafe\nb"}`, kind: approval.ActionWrite,
			want: `Write "a' to \u202esafe\nb" to "safe.md' to safe.md"`},
		"a secret": {posture: writes, arguments: `{"path":"a","text":"my hunter2hunter2"}`, kind: approval.ActionWrite, want: `Write "my ***" to a`},
		"a long text": {posture: writes, arguments: `{"path":"a","text":"` + strings.Repeat("ä", 500) + `"}`, kind: approval.ActionWrite,
			want: `Write "` + strings.Repeat("ä", 119) + `…" to a`},
	} {
		t.Run(name, func(t *testing.T) {
			person := yes()
			redactor := secret.NewRedactor("hunter2hunter2")
			g := newGate(t, approval.Options{Approvers: []approval.Approver{person}, Redactor: redactor})
			if c.tool == "" {
				c.tool = "send"
			}
			def := tool(c.tool, toolspec.L4, true)
			def.Posture, def.Annotations = c.posture, c.hints
			asked := call(def, c.arguments)
			asked.Server = c.server
			out := decide(t, g, asked)
			require.True(t, out.Allowed(), "%v", out.Cause)
			a := person.last().Action
			assert.Equal(t, c.kind, a.Kind)
			assert.Equal(t, c.want, a.String())
			rec, err := g.Broker().Get(t.Context(), out.Request.ID)
			require.NoError(t, err)
			v := rec.View(redactor)
			assert.Equal(t, a, v.Action)
			assert.Equal(t, c.want, v.Sentence)
		})
	}
	r := approval.Request{Tool: "send", Server: "mail"}
	assert.Equal(t, approval.Action{Kind: approval.ActionCall, Tool: "send", Server: "mail"}, r.Doing())
	r.Server = ""
	a := r.Doing()
	assert.Equal(t, "Run send", a.String())
}

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

// A call whose question template fails is refused.
func TestTemplates(t *testing.T) {
	ask := func(template, arguments string) (approval.CallOutcome, *answering) {
		person := yes()
		g := newGate(t, approval.Options{Approvers: []approval.Approver{person}})
		def := tool("send", toolspec.L3, true)
		def.Approval.PromptTemplate = template
		return decide(t, g, call(def, arguments)), person
	}
	for name, template := range map[string]string{
		"dotted arguments": "Send {args.path}?",
		"indexed":          "Send {args[path]}?",
		"dotted name":      "Run {toolName.title}?",
		"not UTF-8":        "Send \xff?",
		"too long":         strings.Repeat("a", 8193),
		"grows too long":   strings.Repeat("{args}", 40),
		"names too long":   strings.Repeat("{toolName}", 2100),
		"escapes too long": strings.Repeat("\u202e", 2000),
	} {
		out, person := ask(template, `{"path":"`+strings.Repeat("p", 390)+`"}`)
		assert.Equal(t, approval.Failed, out.Outcome, name)
		assert.ErrorContains(t, out.Cause, "promptTemplate", name)
		assert.Zero(t, person.asked(), name)
	}
	const ours = `Run the tool send with {"path":"{toolName}"}?` + "\nthe tool says> "
	for template, want := range map[string]string{
		"":                            `Run the tool send with {"path":"{toolName}"}?`,
		" \n":                         `Run the tool send with {"path":"{toolName}"}?`,
		"Use {toolName} on {args}. {": ours + `Use send on {"path":"{toolName}"}. {`,
		"Sure? {other} {}":            ours + "Sure? {other} {}",
		"Un\u202eseen\u0007":          ours + `Un\u202eseen\u0007`,
	} {
		out, person := ask(template, `{"path":"{toolName}"}`)
		require.True(t, out.Allowed(), "%v", out.Cause)
		assert.Equal(t, want, person.last().Prompt)
	}
	out, person := ask("{args}", `{"path":"`+strings.Repeat("ä", 500)+`"}`)
	require.True(t, out.Allowed())
	assert.Equal(t, `{"path":"`+strings.Repeat("ä", 390)+"…", person.last().Shown)
	assert.Equal(t, "Run the tool send with "+person.last().Shown+"?", strings.Split(person.last().Prompt, "\n")[0])
}

// A request shows why the call is asked about and what it changes, masked and without
// invisible characters.
func TestQuestion(t *testing.T) {
	person, yesIs := yes(), true
	g := newGate(t, approval.Options{Approvers: []approval.Approver{person}, Redactor: secret.NewRedactor("hunter22")})
	c := call(tool("delete_page", toolspec.L5, true), `{"path":"hunter22\u202e","n":1}`)
	c.Server, c.Alias, c.Batch = "notes", "remove", "b1"
	c.Definition.Title = "Delete\u200b a page"
	c.Definition.Description = "Deletes with hunter22.\nSecond line."
	c.Definition.Annotations = toolspec.Annotations{Destructive: &yesIs, OpenWorld: &yesIs}
	c.Risk, c.Changes = []string{"destructive: can remove data (L5)"}, []string{"the page 7"}
	c.Findings = []approval.Finding{{Rule: "U3", Severity: "high"}}
	out := decide(t, g, c)
	require.True(t, out.Allowed(), "%v", out.Cause)
	r := person.last()
	assert.Equal(t, `{"n":1,"path":"***\u202e"}`, r.Shown)
	assert.Equal(t, `Run the tool delete_page with {"n":1,"path":"***\u202e"}?`, r.Prompt)
	assert.Equal(t, `{"n":1,"path":"hunter22`+"\u202e"+`"}`, string(r.Arguments), "the arguments that run are not masked")
	assert.Equal(t, `Delete\u200b a page`, r.Title)
	assert.Equal(t, "Deletes with ***.\nSecond line.", r.Description)
	assert.Equal(t, "delete_page", r.Confirm)
	assert.Equal(t, []string{"the page 7", "The server says that it may delete or overwrite things.", "The server says that it reaches other systems.", "localpass cannot restrict this tool."}, r.Changes)
	assert.Equal(t, []string{`path ***\u202e`}, r.Targets)
	assert.Equal(t, []string{
		"a scan of the tool's texts found something serious: U3 (high)",
		"destructive: can remove data (L5)",
		"a scan of the tool's texts found U3 (high)",
		`its name says "delete", which cannot be taken back`,
	}, r.Why)
	assert.Equal(t, []string{"notes", "remove", "b1", "c1", "conv"}, []string{r.Server, r.Alias, r.Batch, r.CallID, r.Conversation})
	assert.Equal(t, ada, r.Principal)
	assert.Equal(t, approval.SideChat, r.Side)
}

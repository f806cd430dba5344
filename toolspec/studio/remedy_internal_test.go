package studio

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/toolspec"
)

func TestRunRemedy(t *testing.T) {
	failed := func(kind toolspec.Kind, reason, message string) *toolspec.Result {
		return toolspec.ErrorResult(&toolspec.CallError{Kind: kind, Reason: reason, Message: message})
	}
	const other, otherCase = "correct the code or the test values of the parameters", "correct the code or what the case wants"
	for name, tc := range map[string]struct {
		result *toolspec.Result
		i      int
		want   string
	}{
		"nothing returned": {&toolspec.Result{Content: []toolspec.Content{toolspec.Text("undefined")}}, 1, "end the code with a return of the result"},
		"something else":   {&toolspec.Result{Content: []toolspec.Content{toolspec.Text("x")}}, 1, otherCase},
		"host":             {failed(toolspec.KindSecurity, "host-not-in-allowlist", ""), 0, "add the host to sandboxOverrides.hostsAllow, or correct the address"},
		"method":           {failed(toolspec.KindSecurity, "method-not-allowed", ""), 0, "widen the rule in sandboxOverrides.hostsAllow, or correct the request"},
		"path":             {failed(toolspec.KindSecurity, "path-not-allowed", ""), 1, "widen the rule in sandboxOverrides.hostsAllow, or correct the request"},
		"internal address": {failed(toolspec.KindSecurity, "resolved-private-ip", ""), 0, "call a public address; only the operator of this host can open an internal one"},
		"not granted":      {failed(toolspec.KindSecurity, "capability-not-granted", ""), 0, "grant it there, or leave the call out"},
		"not recorded":     {failed(toolspec.KindHelperRuntime, "replay-miss", ""), 0, "record the request in x-fixtures just as the code makes it"},
		"argument":         {failed(toolspec.KindInvalidInput, toolspec.ReasonMissingArgument, ""), 1, `correct the "args" of the case`},
		"argument, own":    {failed(toolspec.KindInvalidInput, toolspec.ReasonArgumentType, ""), 0, other},
		"schema":           {failed(toolspec.KindRuntimeError, "output-schema", ""), 0, "return what x-output-schema promises, or correct the schema"},
		"a promise":        {failed(toolspec.KindHelperRuntime, "result-promise", ""), 0, "return plain values: text, numbers, lists and objects"},
		"time":             {failed(toolspec.KindTimeout, "deadline", ""), 1, "look for a loop that does not end, or give the tests less to do"},
		"memory":           {failed(toolspec.KindResourceLimit, toolspec.ReasonMemory, ""), 0, "make the code do less at once, or give the tests less to do"},
		"unknown name":     {failed(toolspec.KindJSError, "", "ReferenceError: x is not defined"), 0, "declare it, or add a parameter of that name"},
		"approval":         {toolspec.ErrorResult(&toolspec.CallError{Kind: toolspec.KindSecurity, Component: "approval"}), 0, "let a person approve its test: test it in Tool Studio, or with mcpserver pass FILE in a terminal on the same home, which keeps the pass; or approve the call when it is asked about"},
		"thrown":           {failed(toolspec.KindJSError, "", "Error: x is not defined"), 0, other},
		"thrown in a case": {failed(toolspec.KindJSError, "", "Error: x"), 2, otherCase},
	} {
		assert.Equal(t, tc.want, runRemedy(Run{Result: tc.result}, tc.i), name)
	}
}

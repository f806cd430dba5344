package toolspec

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRunRemedy(t *testing.T) {
	failed := func(kind Kind, reason, message string) *Result {
		return ErrorResult(&CallError{Kind: kind, Reason: reason, Message: message})
	}
	const other, otherCase = "correct the code or the test values of the parameters", "correct the code or what the case wants"
	for name, tc := range map[string]struct {
		result *Result
		i      int
		want   string
	}{
		"nothing returned": {&Result{Content: []Content{Text("undefined")}}, 1, "end the code with a return of the result"},
		"something else":   {&Result{Content: []Content{Text("x")}}, 1, otherCase},
		"host":             {failed(KindSecurity, "host-not-in-allowlist", ""), 0, "add the host to sandboxOverrides.hostsAllow, or correct the address"},
		"method":           {failed(KindSecurity, "method-not-allowed", ""), 0, "widen the rule in sandboxOverrides.hostsAllow, or correct the request"},
		"path":             {failed(KindSecurity, "path-not-allowed", ""), 1, "widen the rule in sandboxOverrides.hostsAllow, or correct the request"},
		"internal address": {failed(KindSecurity, "resolved-private-ip", ""), 0, "call a public address; only the operator of this host can open an internal one"},
		"not granted":      {failed(KindSecurity, "capability-not-granted", ""), 0, "grant it there, or leave the call out"},
		"not recorded":     {failed(KindHelperRuntime, "replay-miss", ""), 0, "record the request in x-fixtures just as the code makes it"},
		"argument":         {failed(KindInvalidInput, ReasonMissingArgument, ""), 1, `correct the "args" of the case`},
		"argument, own":    {failed(KindInvalidInput, ReasonArgumentType, ""), 0, other},
		"schema":           {failed(KindRuntimeError, "output-schema", ""), 0, "return what x-output-schema promises, or correct the schema"},
		"a promise":        {failed(KindHelperRuntime, "result-promise", ""), 0, "return plain values: text, numbers, lists and objects"},
		"time":             {failed(KindTimeout, "deadline", ""), 1, "look for a loop that does not end, or give the tests less to do"},
		"memory":           {failed(KindResourceLimit, ReasonMemory, ""), 0, "make the code do less at once, or give the tests less to do"},
		"unknown name":     {failed(KindJSError, "", "ReferenceError: x is not defined"), 0, "declare it, or add a parameter of that name"},
		"approval":         {ErrorResult(&CallError{Kind: KindSecurity, Component: "approval"}), 0, "let a person approve its test: test it in Tool Studio, or with mcpserver pass FILE in a terminal on the same home, which keeps the pass; or approve the call when it is asked about"},
		"thrown":           {failed(KindJSError, "", "Error: x is not defined"), 0, other},
		"thrown in a case": {failed(KindJSError, "", "Error: x"), 2, otherCase},
	} {
		assert.Equal(t, tc.want, runRemedy(Run{Result: tc.result}, tc.i), name)
	}
}

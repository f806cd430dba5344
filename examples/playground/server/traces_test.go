package server_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Test runs and calls by clients have traces.
func TestTraces(t *testing.T) {
	t.Parallel()
	w := serve(t, nil)
	w.publish(doubler("doubled"))
	w.eventually("the test run", func() bool { return len(w.traces("q=doubled")) == 1 })

	w.callTool("doubled", jsonObject{"n": 4})
	w.eventually("the call", func() bool { return len(w.traces("tool=doubled&status=ok")) == 2 })
	call := w.traces("tool=doubled")[0].(jsonObject)
	assert.Equal(t, "tools/call", call["operation"])
	whole := w.get("/api/observe/traces/" + call["traceId"].(string))
	var operations []string
	for _, s := range whole["spans"].([]any) {
		operations = append(operations, s.(jsonObject)["operation"].(string))
	}
	assert.Equal(t, []string{"tools/call", "execute_tool", "sandbox"}, operations)

	// The first page links to the trace, and a search finds it.
	trace := call["traceId"].(string)
	home := w.get("/api/home")
	traced := map[any]any{}
	for _, it := range home["recent"].([]any) {
		one := it.(jsonObject)
		traced[one["kind"]] = one["traceId"]
	}
	assert.Equal(t, trace, traced["call"])
	assert.Nil(t, traced["published"], "a publication has no trace")
	require.EventuallyWithT(t, func(t *assert.CollectT) { // a search omits sources that are too slow
		named, doubled := w.search("q="+trace[:10]), w.search("q=doubled")
		if !assert.NotEmpty(t, named) || !assert.NotEmpty(t, doubled) {
			return
		}
		assert.Equal(t, "trace", named[0]["kind"])
		assert.Equal(t, "/observe/traces?trace="+trace, named[0]["where"])
		assert.Equal(t, "MCP call doubled", named[0]["title"])
		assert.Equal(t, "tool", doubled[0]["kind"], "the tool itself comes first")
		kinds := map[any]int{}
		for _, h := range doubled {
			kinds[h["kind"]]++
		}
		assert.Equal(t, 2, kinds["trace"], "the test run and the call")
	}, patience, 10*time.Millisecond)
	assert.Len(t, w.search("kind=trace&q=test+run+doubled"), 0, "no trace has these words")
}

// A stored secret is masked in traces, also if a tool prints it.
func TestTracesHoldNoSecrets(t *testing.T) {
	t.Parallel()
	const value = "correct-horse-battery"
	w := serve(t, nil)
	w.must(http.StatusNoContent, "PUT", "/api/secrets/DOUBLER_KEY", jsonObject{"value": value})
	spec := doubler("leaky")
	spec["staticVariables"] = []jsonObject{{"key": "${DOUBLER_KEY}"}}
	spec["code"] = "if (n === 2) return { twice: 4 };\nthrow new Error('the key is ' + key);\n"
	w.publish(spec)
	w.callTool("leaky", jsonObject{"n": 5})
	require.Eventually(t, func() bool { return len(w.traces("q=leaky&status=error")) == 1 }, patience, 10*time.Millisecond)
	id := w.traces("q=leaky&status=error")[0].(jsonObject)["traceId"].(string)
	for _, at := range []string{"", "?format=otlp"} {
		whole := w.get("/api/observe/traces/" + id + at)
		assert.NotContains(t, asJSON(t, whole), value)
		assert.Contains(t, asJSON(t, whole), "the key is ***")
	}
}

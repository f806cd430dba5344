package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func (w *world) hits(query string) (out []map[string]any) {
	w.t.Helper()
	status, _, list := w.do("GET", "/api/search?"+query, nil)
	require.Equal(w.t, http.StatusOK, status, list)
	for _, it := range list["items"].([]any) {
		out = append(out, it.(map[string]any))
	}
	return out
}

func TestSearch(t *testing.T) {
	t.Parallel()
	w := serve(t, nil)
	_, _, tool := w.do("POST", "/api/tools", doubler("tipOfTheDay"))
	_, _, talk := w.do("POST", "/api/conversations", map[string]any{"title": "Tips for the garden"})
	status, _, _ := w.do("POST", "/api/mcp/servers", map[string]any{"id": "tipserver", "name": "Tip server", "transport": "stdio", "connection": map[string]any{"command": "none"}, "disabled": true})
	require.Less(t, status, 300)
	want := map[any]any{"tool": "/tools/" + tool["id"].(string), "server": "/servers/tipserver", "conversation": "/chat/" + talk["id"].(string)}
	require.EventuallyWithT(t, func(t *assert.CollectT) { // a search leaves out the parts that take too long
		found := w.hits("q=tip")
		if !assert.NotEmpty(t, found) {
			return
		}
		assert.Equal(t, tool["id"], found[0]["id"], "the tool comes first")
		kinds := map[any]any{}
		for _, h := range found {
			if _, ok := kinds[h["kind"]]; !ok {
				kinds[h["kind"]] = h["where"]
			}
		}
		for kind, where := range want {
			assert.Equal(t, where, kinds[kind])
		}
	}, patience, 10*time.Millisecond)

	first := w.hits("q=dark+mode")[0]
	assert.Equal(t, "/settings/appearance", first["where"], "a setting by another word")
	for _, h := range w.hits("q=t&kind=conversation") {
		assert.Equal(t, "conversation", h["kind"])
	}
	assert.NotEmpty(t, w.hits("kind=setting"))
	assert.Len(t, w.hits("q=&limit=3"), 3)
	assert.Empty(t, w.hits("q=zzqqxxyy"))
	for _, bad := range []string{"limit=0", "limit=51", "kind=nothing", "q=" + url.QueryEscape(fmt.Sprintf("%201d", 1))} {
		status, _, _ := w.do("GET", "/api/search?"+bad, nil)
		assert.Equal(t, http.StatusBadRequest, status, bad)
	}
}

// A tool comes first under its own name, in the palette and in the list.
func TestSearchGivesTheNameFirst(t *testing.T) {
	t.Parallel()
	w := serve(t, nil)
	for _, name := range []string{"aaDoubleIt", "doubleIt", "doubleItAgain"} {
		status, _, _ := w.do("POST", "/api/tools", doubler(name))
		require.Equal(t, http.StatusCreated, status)
	}
	titles := func(hits []map[string]any, member string) (out []any) {
		for _, h := range hits {
			out = append(out, h[member])
		}
		return out
	}
	want := []any{"doubleIt", "doubleItAgain", "aaDoubleIt"}
	require.Eventually(t, func() bool {
		return assert.ObjectsAreEqual(want, titles(w.hits("kind=tool&q=DOUBLEIT"), "title"))
	}, patience, 10*time.Millisecond)
	_, _, list := w.do("GET", "/api/tools?q=DOUBLEIT", nil)
	var items []map[string]any
	for _, it := range list["items"].([]any) {
		items = append(items, it.(map[string]any))
	}
	assert.Equal(t, want, titles(items, "name"))
}

// With many tools the palette still has its answer at once.
func TestSearchAmongMany(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes 200 tools")
	}
	w := serve(t, nil)
	for i := range 200 {
		status, _, _ := w.do("POST", "/api/tools", doubler(fmt.Sprintf("many%d", i)))
		require.Equal(t, http.StatusCreated, status)
	}
	require.Eventually(t, func() bool { return len(w.hits("q=many199&kind=tool")) == 1 }, patience, 10*time.Millisecond)
	best := time.Hour // what else the machine does is none of the search
	for range 40 {
		began := time.Now()
		assert.NotEmpty(t, w.hits("q=many"))
		best = min(best, time.Since(began))
	}
	t.Logf("a search among 300 tools takes %v", best)
	assert.Less(t, best, 50*time.Millisecond)
}

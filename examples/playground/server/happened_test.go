package server_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/playground/server"
)

// The first page tells what was tested, published and answered, beside calls.
func TestHappened(t *testing.T) {
	t.Parallel()
	w := serve(t, nil)
	id := w.publish(doubler("doubled"))
	kinds := func() map[string]map[string]any {
		_, _, home := w.do("GET", "/api/home", nil)
		out := map[string]map[string]any{}
		for _, it := range home["recent"].([]any) {
			one := it.(map[string]any)
			out[one["kind"].(string)] = one
		}
		return out
	}
	require.Eventually(t, func() bool { k := kinds(); return k["test"] != nil && k["published"] != nil }, patience, 10*time.Millisecond)
	assert.Equal(t, "/tools/"+id, kinds()["published"]["where"])
	assert.Equal(t, "doubled", kinds()["test"]["title"])
	status, _, _ := w.do("POST", "/api/tools/"+id+"/unpublish", map[string]any{})
	require.Equal(t, http.StatusOK, status)
	require.Eventually(t, func() bool { return kinds()["withdrawn"] != nil }, patience, 10*time.Millisecond)

	_, _, made := w.do("POST", "/api/conversations", map[string]any{"title": "one"})
	_, _, home := w.do("GET", "/api/home", nil)
	assert.EqualValues(t, 1, home["conversations"])
	status, _, _ = w.do("DELETE", "/api/conversations/"+made["id"].(string), nil)
	require.Less(t, status, 300)
	_, _, home = w.do("GET", "/api/home", nil)
	assert.EqualValues(t, 0, home["conversations"])
}

// What needs a person: a model that is away, a change of the home that waits.
func TestAttention(t *testing.T) {
	t.Parallel()
	w := serve(t, &server.Options{Config: configured(t, "", "-profile", "ollama", "-base-url", "http://127.0.0.1:9")})
	status, _, _ := w.do("POST", "/api/storage/reset", map[string]any{"confirm": "reset"})
	require.Equal(t, http.StatusAccepted, status)
	require.Eventually(t, func() bool {
		_, _, home := w.do("GET", "/api/home", nil)
		var kinds []any
		for _, a := range home["attention"].([]any) {
			kinds = append(kinds, a.(map[string]any)["kind"])
		}
		return assert.ObjectsAreEqual([]any{"model", "storage"}, kinds)
	}, patience, 10*time.Millisecond)
}

package server_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/playground/server"
)

// The first page lists calls, tests, publications and decisions.
func TestRecent(t *testing.T) {
	t.Parallel()
	w := serve(t, nil)
	id := w.publish(doubler("doubled"))
	kinds := func() map[string]jsonObject {
		home := w.get("/api/home")
		out := map[string]jsonObject{}
		for _, it := range home["recent"].([]any) {
			one := it.(jsonObject)
			out[one["kind"].(string)] = one
		}
		return out
	}
	require.Eventually(t, func() bool { k := kinds(); return k["test"] != nil && k["published"] != nil }, patience, 10*time.Millisecond)
	assert.Equal(t, "/tools/"+id, kinds()["published"]["where"])
	assert.Equal(t, "doubled", kinds()["test"]["title"])
	w.must(http.StatusOK, "POST", "/api/tools/"+id+"/unpublish", jsonObject{})
	require.Eventually(t, func() bool { return kinds()["withdrawn"] != nil }, patience, 10*time.Millisecond)

	_, _, made := w.do("POST", "/api/conversations", jsonObject{"title": "one"})
	home := w.get("/api/home")
	assert.EqualValues(t, 1, home["conversations"])
	status, _, _ := w.do("DELETE", "/api/conversations/"+made["id"].(string), nil)
	require.Less(t, status, 300)
	home = w.get("/api/home")
	assert.EqualValues(t, 0, home["conversations"])
}

// The first page lists what needs a person: a model that cannot be reached, and a pending
// change of the home.
func TestAttention(t *testing.T) {
	t.Parallel()
	w := serve(t, &server.Options{Config: configured(t, "", "-profile", "ollama", "-base-url", "http://127.0.0.1:9")})
	w.must(http.StatusAccepted, "POST", "/api/storage/reset", jsonObject{"confirm": "reset"})
	require.Eventually(t, func() bool {
		home := w.get("/api/home")
		var kinds []any
		for _, a := range home["attention"].([]any) {
			kinds = append(kinds, a.(jsonObject)["kind"])
		}
		return assert.ObjectsAreEqual([]any{"model", "storage"}, kinds)
	}, patience, 10*time.Millisecond)
}

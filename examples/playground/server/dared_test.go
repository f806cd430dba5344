package server_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A call of L4 that a person approved is remembered; one that was declined and one
// of L0 are not. The decision leads to its trace, and the turn is found by the id
// of the question.
func TestDared(t *testing.T) {
	t.Parallel()
	w := serve(t, nil)
	tour := func() map[string]any {
		_, _, home := w.do("GET", "/api/home", nil)
		return home["tour"].(map[string]any)
	}
	decide := func(name, decision string, more map[string]any) {
		spec := doubler(name)
		spec["humanInTheLoop"] = map[string]any{"mode": "REQUIRED"}
		spec["x-tests"] = []any{}
		for k, v := range more {
			spec[k] = v
		}
		f := w.follow("?topics=approvals")
		_, _, tool := w.do("POST", "/api/tools", spec)
		status, _, run := w.do("POST", "/api/tools/"+tool["id"].(string)+"/runs", struct{}{})
		require.Equal(t, http.StatusAccepted, status, run)
		var item struct{ ID string }
		require.NoError(t, json.Unmarshal(f.next(t, "approval.pending").Data, &item))
		status, _, answer := w.do("POST", "/api/approvals/"+item.ID, map[string]any{"decision": decision})
		require.Equal(t, http.StatusOK, status, answer)
		require.Eventually(t, func() bool {
			_, _, home := w.do("GET", "/api/home", nil)
			for _, it := range home["recent"].([]any) {
				if one := it.(map[string]any); one["traceId"] == item.ID {
					return true
				}
			}
			return false
		}, patience, 10*time.Millisecond, "the decision and its trace")
		require.Eventually(t, func() bool { // a search leaves out the parts that take too long
			found := w.hits("q=" + item.ID)
			return len(found) > 0 && found[0]["kind"] == "trace"
		}, patience, 10*time.Millisecond)
	}
	writes := map[string]any{"sandboxOverrides": map[string]any{"networkMode": "blocked", "fileRead": false, "fileWrite": true}}
	decide("harmless", "approved", nil)
	decide("declined", "declined", writes)
	assert.Nil(t, tour()["daredAt"])
	decide("daring", "approved", writes)
	require.Eventually(t, func() bool { return tour()["daredAt"] != nil }, patience, 10*time.Millisecond)
	assert.NotEmpty(t, tour()["steps"])
}

// The tool that the page prepares is none of the tour's steps.
func TestPreparedToolIsNoStep(t *testing.T) {
	t.Parallel()
	w := serve(t, nil)
	done := func() (n int) {
		_, _, home := w.do("GET", "/api/home", nil)
		for _, it := range home["tour"].(map[string]any)["steps"].([]any) {
			if it.(map[string]any)["doneAt"] != nil {
				n++
			}
		}
		return n
	}
	w.publish(doubler("saveNote"))
	assert.Never(t, func() bool { return done() > 0 }, 300*time.Millisecond, 20*time.Millisecond)
	w.publish(doubler("myOwn"))
	require.Eventually(t, func() bool { return done() == 3 }, patience, 10*time.Millisecond)
}

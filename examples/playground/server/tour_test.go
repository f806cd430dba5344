package server_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The tour notes that a person approved a call of level L4, but not a declined call or one of
// L0. A search for the approval request finds its trace.
func TestTourNotesADaringApproval(t *testing.T) {
	t.Parallel()
	w := serve(t, nil)
	tour := func() jsonObject {
		home := w.get("/api/home")
		return home["tour"].(jsonObject)
	}
	decide := func(name, decision string, more jsonObject) {
		spec := doubler(name)
		spec["humanInTheLoop"] = jsonObject{"mode": "REQUIRED"}
		spec["x-tests"] = []any{}
		for k, v := range more {
			spec[k] = v
		}
		f := w.openEvents("?topics=approvals")
		_, _, tool := w.do("POST", "/api/tools", spec)
		w.must(http.StatusAccepted, "POST", "/api/tools/"+tool["id"].(string)+"/runs", struct{}{})
		id := f.until("approval.pending").Data["data"].(jsonObject)["id"].(string)
		w.must(http.StatusOK, "POST", "/api/approvals/"+id, jsonObject{"decision": decision})
		require.Eventually(t, func() bool {
			home := w.get("/api/home")
			for _, it := range home["recent"].([]any) {
				if one := it.(jsonObject); one["traceId"] == id {
					return true
				}
			}
			return false
		}, patience, 10*time.Millisecond, "the decision and its trace")
		require.Eventually(t, func() bool { // a search omits sources that are too slow
			found := w.search("q=" + id)
			return len(found) > 0 && found[0]["kind"] == "trace"
		}, patience, 10*time.Millisecond)
	}
	writes := jsonObject{"sandboxOverrides": jsonObject{"networkMode": "blocked", "fileRead": false, "fileWrite": true}}
	decide("harmless", "approved", nil)
	decide("declined", "declined", writes)
	assert.Nil(t, tour()["daredAt"])
	decide("daring", "approved", writes)
	require.Eventually(t, func() bool { return tour()["daredAt"] != nil }, patience, 10*time.Millisecond)
	assert.NotEmpty(t, tour()["steps"])
}

// The tool that the page prepares itself does not count as a step of the tour.
func TestPreparedToolIsNoStep(t *testing.T) {
	t.Parallel()
	w := serve(t, nil)
	done := func() (n int) {
		home := w.get("/api/home")
		for _, it := range home["tour"].(jsonObject)["steps"].([]any) {
			if it.(jsonObject)["doneAt"] != nil {
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

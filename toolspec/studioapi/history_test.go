package studioapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec/studioapi"
)

// What passed is kept, and what is stored can be compared with it.
func TestHistory(t *testing.T) {
	store := memory.New()
	w := newWorld(t, nil, &studioapi.Options{Versions: store})
	created := w.OK(201, "POST", "/api/tools", shout)
	path := "/api/tools/" + created.Text("id")
	assert.Empty(t, w.OK(200, "GET", path+"/history", "").Get("items"))
	pass := func() string { return w.OK(200, "POST", path+"/runs?wait=1", "").Text("receipt.contentHash") }
	first := pass()
	w.OK(200, "PUT", path, strings.ReplaceAll(documentOf(created, "spec"), "for signs and", "for banners and"), "If-Match: *")
	second := pass()
	require.NotEqual(t, first, second)
	pass() // the same again is no further version
	list := w.OK(200, "GET", path+"/history", "")
	require.Len(t, list.Get("items"), 2)
	assert.Equal(t, second, list.Get("items.0.receipt.contentHash"))
	assert.Equal(t, true, list.Get("items.0.current"))
	assert.Equal(t, true, list.Get("items.0.kept"))
	assert.Equal(t, true, list.Get("items.0.valid"))
	assert.Equal(t, false, list.Get("items.0.live"))
	assert.Equal(t, false, list.Get("items.1.current"))

	diff := w.OK(200, "GET", path+"/diff?against="+url.QueryEscape("receipt:"+first), "")
	assert.Equal(t, "description", diff.Get("difference.rows.0.field"))
	assert.Contains(t, diff.Get("difference.rows.0.before"), "signs")
	assert.Empty(t, w.OK(200, "GET", path+"/diff?against="+url.QueryEscape("receipt:"+second), "").Get("difference.rows"))
	w.Fails(404, "not_found", "GET", path+"/diff?against=receipt:0000", "")

	old := w.OK(200, "GET", path+"/history/"+first, "")
	assert.Contains(t, old.Get("description"), "signs")
	var content json.RawMessage
	old.Into(&content)
	w.OK(200, "PUT", path, string(content), "If-Match: *")
	assert.Equal(t, first, w.OK(200, "GET", path, "").Get("contentHash"), "saved again, it is that version")
	assert.Equal(t, "passed", w.OK(200, "GET", path, "").Get("state"), "whose pass is still valid")
	w.Fails(404, "not_found", "GET", path+"/history/sha256:0000", "")

	// A pass that was earned without this API has no content here.
	for doc, err := range store.List(t.Context(), "studioversions", localpass.ListOptions{}) {
		require.NoError(t, err)
		require.NoError(t, store.Delete(t.Context(), "studioversions", doc.Key))
	}
	list = w.OK(200, "GET", path+"/history", "")
	require.Len(t, list.Get("items"), 2)
	assert.Equal(t, false, list.Get("items.0.kept"))
	w.Fails(404, "not_found", "GET", "/api/tools/nothing/history", "")
}

// Twenty versions of a tool are kept.
func TestHistoryIsBounded(t *testing.T) {
	w := newWorld(t, nil, &studioapi.Options{Versions: memory.New()})
	created := w.OK(201, "POST", "/api/tools", shout)
	path := "/api/tools/" + created.Text("id")
	for i := range 22 {
		w.OK(200, "PUT", path, strings.ReplaceAll(documentOf(created, "spec"), "for signs", fmt.Sprint("for sign ", i)), "If-Match: *")
		require.Equal(t, "passed", w.OK(200, "POST", path+"/runs?wait=1", "").Get("state"))
	}
	kept := 0
	for i := range w.OK(200, "GET", path+"/history", "").Get("items").([]any) {
		if w.OK(200, "GET", path+"/history", "").Get(fmt.Sprintf("items.%d.kept", i)) == true {
			kept++
		}
	}
	assert.Equal(t, 20, kept)
}

// broken is a store that fails.
type broken struct{ localpass.Persistence }

func (broken) Put(context.Context, string, string, localpass.Document) (localpass.Document, error) {
	return localpass.Document{}, errors.New("the disk is full")
}

// A version that cannot be kept takes nothing off the pass.
func TestHistoryStoreFails(t *testing.T) {
	w := newWorld(t, nil, &studioapi.Options{Versions: broken{memory.New()}})
	path := "/api/tools/" + w.OK(201, "POST", "/api/tools", shout).Text("id")
	assert.Equal(t, "passed", w.OK(200, "POST", path+"/runs?wait=1", "").Get("state"))
	assert.Contains(t, w.log.String(), "the disk is full")
}

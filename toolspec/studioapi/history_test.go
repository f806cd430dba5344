package studioapi_test

import (
	"context"
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
	created := w.ok(201, "POST", "/api/tools", shout)
	path := "/api/tools/" + created.text("id")
	assert.Empty(t, w.ok(200, "GET", path+"/history", "").get("items"))
	pass := func() string { return w.ok(200, "POST", path+"/runs?wait=1", "").text("receipt.contentHash") }
	first := pass()
	w.ok(200, "PUT", path, strings.ReplaceAll(created.documentOf("spec"), "for signs and", "for banners and"), "If-Match: *")
	second := pass()
	require.NotEqual(t, first, second)
	pass() // the same again is no further version
	list := w.ok(200, "GET", path+"/history", "")
	require.Len(t, list.get("items"), 2)
	assert.Equal(t, second, list.get("items.0.receipt.contentHash"))
	assert.Equal(t, true, list.get("items.0.current"))
	assert.Equal(t, true, list.get("items.0.kept"))
	assert.Equal(t, true, list.get("items.0.valid"))
	assert.Equal(t, false, list.get("items.0.live"))
	assert.Equal(t, false, list.get("items.1.current"))

	diff := w.ok(200, "GET", path+"/diff?against="+url.QueryEscape("receipt:"+first), "")
	assert.Equal(t, "description", diff.get("difference.rows.0.field"))
	assert.Contains(t, diff.get("difference.rows.0.before"), "signs")
	assert.Empty(t, w.ok(200, "GET", path+"/diff?against="+url.QueryEscape("receipt:"+second), "").get("difference.rows"))
	w.fails(404, "not_found", "GET", path+"/diff?against=receipt:0000", "")

	// A pass that was earned without this API has no content here.
	for doc, err := range store.List(t.Context(), "studioversions", localpass.ListOptions{}) {
		require.NoError(t, err)
		require.NoError(t, store.Delete(t.Context(), "studioversions", doc.Key))
	}
	list = w.ok(200, "GET", path+"/history", "")
	require.Len(t, list.get("items"), 2)
	assert.Equal(t, false, list.get("items.0.kept"))
	w.fails(404, "not_found", "GET", "/api/tools/nothing/history", "")
}

// Twenty versions of a tool are kept.
func TestHistoryIsBounded(t *testing.T) {
	w := newWorld(t, nil, &studioapi.Options{Versions: memory.New()})
	created := w.ok(201, "POST", "/api/tools", shout)
	path := "/api/tools/" + created.text("id")
	for i := range 22 {
		w.ok(200, "PUT", path, strings.ReplaceAll(created.documentOf("spec"), "for signs", fmt.Sprint("for sign ", i)), "If-Match: *")
		require.Equal(t, "passed", w.ok(200, "POST", path+"/runs?wait=1", "").get("state"))
	}
	kept := 0
	for i := range w.ok(200, "GET", path+"/history", "").get("items").([]any) {
		if w.ok(200, "GET", path+"/history", "").get(fmt.Sprintf("items.%d.kept", i)) == true {
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
	path := "/api/tools/" + w.ok(201, "POST", "/api/tools", shout).text("id")
	assert.Equal(t, "passed", w.ok(200, "POST", path+"/runs?wait=1", "").get("state"))
	assert.Contains(t, w.log.String(), "the disk is full")
}

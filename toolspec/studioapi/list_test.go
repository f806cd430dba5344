package studioapi_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/httpapi/apitest"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/catalog"
	"github.com/localpass/localpass/toolspec/studio"
	"github.com/localpass/localpass/toolspec/studioapi"
)

// simple is a spec of the name, with more members.
func simple(name, more string) string {
	return fmt.Sprintf(`{"name":%q,"description":"Does %s, for tests.","codeType":"Javascript","code":"return {ok: true}"%s}`, name, name, more)
}

func names(r *apitest.Reply) []string {
	out := []string{}
	for i := 0; ; i++ {
		name, ok := r.Get(fmt.Sprintf("items.%d.name", i)).(string)
		if !ok {
			return out
		}
		out = append(out, name)
	}
}

func TestListFilters(t *testing.T) {
	w := newWorld(t, nil, nil)
	for _, document := range []string{
		simple("alpha", `,"category":"TEXT","tags":["util","search"]`),
		simple("Beta", `,"category":"WEB","tags":["search"],"sandboxOverrides":{"networkMode":"strict"}`),
		simple("gamma", `,"category":"TEXT","sandboxOverrides":{"fileWrite":true},"humanInTheLoop":{"mode":"REQUIRED"}`),
		simple("delta", ``),
		simple("epsilon", `,"sandboxOverrides":{"destructive":true}`),
	} {
		w.create(document)
	}
	for query, want := range map[string]string{
		"":                             "alpha Beta delta epsilon gamma",
		"sort=-name":                   "gamma epsilon delta Beta alpha",
		"q=ALPHA":                      "alpha",
		"q=does+tests":                 "delta epsilon gamma Beta alpha",
		"q=does+tests&sort=name":       "alpha Beta delta epsilon gamma",
		"q=search":                     "Beta alpha",
		"q=does+nothing":               "",
		"cat=TEXT":                     "alpha gamma",
		"cat=text,WEB":                 "alpha Beta gamma",
		"cat=TEXT&cat=CUSTOM":          "alpha delta epsilon gamma",
		"cat=TEXT&tag=search":          "alpha",
		"level=L3,L4":                  "Beta gamma",
		"state=draft&source=mine&q=ta": "Beta delta",
		"state=live":                   "",
		"source=bundled":               "",
		"sort=level&level=L0,L5":       "alpha delta epsilon",
		"sort=-level&limit=2":          "epsilon gamma",
		"sort=edited":                  "alpha Beta gamma delta epsilon",
		"sort=-edited&limit=1":         "epsilon",
		"tag=none":                     "",
	} {
		got := w.OK(200, "GET", "/api/tools?"+query, "")
		if query == "sort=level&level=L0,L5" {
			assert.Equal(t, "epsilon", names(got)[2])
			continue // equal levels stand by their ids
		}
		assert.Equal(t, want, strings.Join(names(got), " "), query)
		assert.EqualValues(t, 5, got.Get("all"))
	}
	r := w.OK(200, "GET", "/api/tools?cat=TEXT&level=L4", "")
	assert.JSONEq(t, `{"categories":{"TEXT":1},"levels":{"L0":1,"L4":1},"sources":{"mine":1},"states":{"draft":1},"tags":{}}`, documentOf(r, "facets"),
		"each facet is counted under the others")
	assert.Equal(t, "L3", r.Get("items.0.mitigatedLevel"))
	assert.Equal(t, true, r.Get("items.0.approval"))
	assert.Empty(t, w.OK(200, "GET", "/api/tools?q=delta", "").Get("items.0.tags"))

	for query, detail := range map[string]string{
		"limit=0": "limit is 1 to 200", "limit=201": "limit is 1 to 200", "limit=x": "limit is 1 to 200", "sort=size": "sort is best",
		"cursor=x": "the cursor", "cursor=e30": "the cursor", "cats=TEXT": `"cats" is not known`, "q=%zz": "cannot be read",
	} {
		p := w.Fails(400, "invalid_argument", "GET", "/api/tools?"+query, "")
		assert.Contains(t, p.Get("detail"), detail)
	}
}

func TestListPages(t *testing.T) {
	w := newWorld(t, nil, nil)
	var want []string
	for i := range 25 {
		name := fmt.Sprintf("tool%02d", i)
		want = append(want, name)
		w.create(simple(name, ""))
	}
	for _, order := range []string{"name", "level", "-edited"} {
		var got []string
		cursor, pages := "", 0
		for {
			r := w.OK(200, "GET", "/api/tools?limit=10&sort="+order+"&cursor="+cursor, "")
			got = append(got, names(r)...)
			assert.EqualValues(t, 25, r.Get("total"))
			pages++
			if cursor = r.Text("nextCursor"); cursor == "" {
				break
			}
			if pages == 1 { // what goes in between moves nothing
				w.OK(204, "DELETE", "/api/tools/"+r.Text("items.9.id"), "")
				w.create(simple(names(r)[9][:5], "")) // "tool0", before all others
				w.Fails(400, "invalid_argument", "GET", "/api/tools?sort=edited&cursor="+cursor, "")
			}
		}
		assert.Equal(t, 3, pages)
		if order == "name" {
			assert.Equal(t, want, got)
		}
	}
}

func TestBundledTools(t *testing.T) {
	bundled, err := catalog.Specs()
	require.NoError(t, err)
	pins := map[string]string{}
	for _, s := range bundled {
		pins[s.Name] = s.CatalogHash()
	}
	w := newWorld(t, &studio.Options{Pins: pins}, &studioapi.Options{Bundled: bundled})
	r := w.OK(200, "GET", "/api/tools?source=bundled&limit=200", "")
	assert.EqualValues(t, len(bundled), r.Get("total"))
	r = w.OK(200, "GET", "/api/tools?q=stats+numbers", "")
	require.Contains(t, names(r), "stats")
	id := ""
	for i, name := range names(r) {
		if name == "stats" {
			id = r.Text(fmt.Sprintf("items.%d.id", i))
		}
	}
	path := "/api/tools/" + id

	one := w.OK(200, "GET", path, "")
	assert.Equal(t, true, one.Get("readOnly"))
	assert.Empty(t, one.Header.Get("ETag"))
	p := w.Fails(403, "read_only", "PUT", path, documentOf(one, "spec"), "If-Match: *")
	assert.Contains(t, p.Get("detail"), "fork it")
	w.Fails(403, "read_only", "DELETE", path, "")
	w.Fails(409, "id_taken", "POST", "/api/tools", documentOf(one, "spec"))

	// It is tested and published as it is, and changed by way of a fork.
	run := w.OK(200, "POST", path+"/runs?wait=1", "")
	require.Equal(t, "passed", run.Get("state"), run.Body)
	w.OK(200, "POST", path+"/publish", `{"receipt":"`+run.Text("receipt.id")+`"}`)
	assert.Equal(t, "live", w.OK(200, "GET", path, "").Get("state"))
	w.create(simple("ofMyOwn", ""))
	for collection, total := range map[string]int{"": len(bundled) + 1, "bundled": len(bundled), "mine": 1, "published": 1} {
		list := w.OK(200, "GET", "/api/tools?limit=200&collection="+collection, "")
		assert.EqualValues(t, total, list.Get("total"), collection)
		assert.EqualValues(t, total, list.Get("all"), collection)
		assert.JSONEq(t, fmt.Sprintf(`{"all":%d,"bundled":%d,"mine":1,"published":1}`, len(bundled)+1, len(bundled)), documentOf(list, "collections"))
	}
	list := w.OK(200, "GET", "/api/tools?collection=published&q=ofMyOwn", "")
	assert.Empty(t, names(list))
	assert.JSONEq(t, `{}`, documentOf(list, "facets.sources"), "what is not in the collection is not counted")
	assert.Contains(t, w.Fails(400, "invalid_argument", "GET", "/api/tools?collection=others", "").Get("detail"), "mine, published or bundled")
	assert.Equal(t, "passed", w.OK(200, "POST", path+"/unpublish", "").Get("state"))
	fork := w.OK(201, "POST", path+"/fork", "")
	assert.Equal(t, "copyOfStats", fork.Get("name"))
	assert.Equal(t, false, fork.Get("readOnly"))
	assert.Equal(t, pins["stats"], fork.Get("forkedFrom.catalogHash"))

	dry := w.OK(200, "POST", "/api/tools/import?dryRun=1&onClash=replace", strings.Replace(documentOf(one, "spec"), `"stats"`, `"mine"`, 1))
	assert.Equal(t, "rename", dry.Get("items.0.outcome"), "the id of a bundled tool is left alone")
	assert.NotEqual(t, id, dry.Get("items.0.toolId"))
	export := w.OK(200, "GET", "/api/tools/export?ids="+id, "")
	assert.Equal(t, `attachment; filename="stats.json"`, export.Header.Get("Content-Disposition"))
	assert.Equal(t, "stats", export.Get("name"))

	_, err = studioapi.New(w.studio, &studioapi.Options{Bundled: append(bundled, bundled[0])})
	assert.ErrorContains(t, err, "have one tool id")
	_, err = studioapi.New(nil, nil)
	assert.ErrorContains(t, err, "there is no studio")
	_, err = studioapi.New(w.studio, &studioapi.Options{AllowedHosts: []string{"*"}})
	assert.ErrorContains(t, err, "allowed host")
}

// A tool that the program published from a file is shown, and changed there.
func TestLoadedTools(t *testing.T) {
	w := newWorld(t, nil, nil)
	spec, err := toolspec.ParseSpec([]byte(shout))
	require.NoError(t, err)
	passed, _, err := w.studio.TestAndPublish(t.Context(), spec, nil)
	require.NoError(t, err)
	r := w.OK(200, "GET", "/api/tools", "")
	assert.Equal(t, "loaded", r.Get("items.0.source"))
	assert.Equal(t, "live", r.Get("items.0.state"))
	path := "/api/tools/" + passed.ID()
	w.Fails(403, "read_only", "PUT", path, shout, "If-Match: *")
	off := w.OK(200, "POST", path+"/unpublish", "")
	assert.Equal(t, "passed", off.Get("state"))
	w.Fails(404, "not_found", "GET", path, "")
}

func TestUnreadableDocuments(t *testing.T) {
	w := newWorld(t, nil, nil)
	_, err := w.store.Put(t.Context(), "specs", "odd id", localpass.Document{Data: []byte(`{"name":"x","code":7}`)})
	require.NoError(t, err)
	w.create(shout)
	r := w.OK(200, "GET", "/api/tools", "")
	assert.EqualValues(t, 1, r.Get("total"))
	assert.Contains(t, r.Get("unreadable.0"), `"odd id"`)
	path := "/api/tools/" + url.PathEscape("odd id")
	p := w.Fails(409, "unreadable", "GET", path, "")
	assert.NotEmpty(t, p.Get("fields"))
	w.Fails(409, "unreadable", "PUT", path, shout, "If-Match: *")
	w.Fails(409, "unreadable", "DELETE", path, "", `If-Match: "v1"`)
	w.OK(204, "DELETE", path, "")
	w.Fails(404, "not_found", "GET", path, "")
	for _, id := range []string{strings.Repeat("i", 1100), "%ff"} {
		w.Fails(404, "not_found", "GET", "/api/tools/"+id, "")
	}
}

// What others do to the home shows after a moment; what is done here, at once.
func TestListIsFresh(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	w := newWorld(t, nil, &studioapi.Options{Clock: func() time.Time { return now }})
	path, _ := w.create(shout)
	assert.Equal(t, "draft", w.OK(200, "GET", "/api/tools", "").Get("items.0.state"))
	draft, err := w.studio.Draft(t.Context(), strings.TrimPrefix(path, "/api/tools/"))
	require.NoError(t, err)
	report, err := w.studio.Test(t.Context(), draft.Spec, nil) // behind the API's back
	require.NoError(t, err)
	require.True(t, report.OK)
	assert.Equal(t, "draft", w.OK(200, "GET", "/api/tools", "").Get("items.0.state"))
	now = now.Add(3 * time.Second)
	assert.Equal(t, "passed", w.OK(200, "GET", "/api/tools", "").Get("items.0.state"))
	w.OK(200, "POST", path+"/publish", `{"receipt":"`+report.Receipt.ID+`"}`)
	assert.Equal(t, "live", w.OK(200, "GET", "/api/tools", "").Get("items.0.state"))
}

func TestStoreFailure(t *testing.T) {
	w := newWorld(t, nil, nil)
	path, _ := w.create(shout)
	require.NoError(t, w.store.Close())
	for _, c := range [][2]string{{"GET", "/api/tools"}, {"GET", path}, {"GET", "/api/tools/export"}, {"DELETE", path}, {"POST", path + "/fork"}, {"POST", path + "/unpublish"}} {
		r := w.Do(c[0], c[1], "")
		assert.Equal(t, 503, r.Status, c)
		assert.Equal(t, "shutting_down", r.Get("code"))
	}
}

// A search gives the tool of that name first, then those whose names begin so, then
// the others, over all pages; another order is kept where it is asked for.
func TestSearchGivesTheNameFirst(t *testing.T) {
	w := newWorld(t, nil, nil)
	for _, document := range []string{
		simple("aHash", `,"tags":["hash"]`),
		simple("fileHash", ``),
		simple("hash", `,"tags":["digest","of","a","text","and","more","words"]`),
		simple("hashAll", `,"tags":["digest","of","many"]`),
		simple("other", `,"tags":["rehash"]`),
	} {
		w.create(document)
	}
	for _, q := range []string{"hash", "HASH", "+hash+"} {
		got := names(w.OK(200, "GET", "/api/tools?q="+q, ""))
		assert.Equal(t, []string{"hash", "hashAll"}, got[:2], q)
		assert.Equal(t, "other", got[4], "it has no word of the query: %s", q)
		assert.Len(t, got, 5)
		var paged []string
		for cursor := ""; ; {
			r := w.OK(200, "GET", "/api/tools?limit=2&q="+q+cursor, "")
			paged = append(paged, names(r)...)
			next, _ := r.Get("nextCursor").(string)
			if next == "" {
				break
			}
			cursor = "&cursor=" + next
		}
		assert.Equal(t, got, paged)
	}
	assert.Equal(t, "aHash fileHash hash hashAll other", strings.Join(names(w.OK(200, "GET", "/api/tools?q=hash&sort=name", "")), " "))
	assert.Equal(t, "aHash", names(w.OK(200, "GET", "/api/tools?q=hash&sort=edited", ""))[0])
}

package studioapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/toolspec/studio"
)

// What a live run was answered becomes the fixtures of the tool: with them its test
// passes without the network, and no secret is in them.
func TestRecordedAnswersBecomeFixtures(t *testing.T) {
	const token = "s3cr3t-token-value"
	var asked atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"rate":2,"for":%q,"authorized":%t}`, r.URL.Query().Get("key"), r.Header.Get("Authorization") != "")
	}))
	t.Cleanup(site.Close)
	address := strings.TrimPrefix(site.URL, "http://")
	own, err := sandbox.New(&sandbox.Options{Workers: 1, Network: &sandbox.NetworkOptions{OperatorHosts: []string{address}}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, own.Close()) })
	lookup := func(name string) (string, bool) { return token, name == "RATES_KEY" }
	w := worldOn(t, own, &studio.Options{Lookup: lookup}, nil)
	doc := `{"name": "rates", "description": "Asks for a rate, to convert money with.", "codeType": "Javascript",
		"params": [{"name": "n", "description": "How much, such as 2.", "type": "NUMBER", "required": true, "testValue": "2"}],
		"staticVariables": [{"key": "${RATES_KEY}"}], "sandboxOverrides": {"networkMode": "allowlist", "hostsAllow": ["` + address + `"]},
		"code": "const r = await fetch('http://` + address + `/rates?key=' + key, {headers: {Authorization: 'Bearer ' + key}});\nreturn {out: n * (await r.json()).rate};",
		"x-tests": [{"args": {"n": 3}, "want": {"out": 6}}]FIXTURES}`
	path, _ := w.create(strings.Replace(doc, "FIXTURES", "", 1))

	w.Fails(400, "invalid_argument", "POST", path+"/runs?wait=1", `{"args":{"n":2},"record":true}`)
	run := w.OK(200, "POST", path+"/runs?wait=1", `{"live":true,"record":true}`)
	require.Equal(t, "passed", run.Get("state"), run.Get("message"))
	require.Len(t, run.List("exchanges"), 1, "both runs ask the same")
	require.Len(t, run.List("cases"), 2)
	exchanges := documentOf(run, "exchanges")
	assert.NotContains(t, exchanges, token)
	assert.Contains(t, exchanges, "/rates?key=")
	assert.EqualValues(t, 2, asked.Load())
	assert.Empty(t, w.OK(200, "POST", path+"/runs?wait=1", `{"args":{"n":2},"live":true}`).Get("exchanges"), "nothing is kept of a run that is not recorded")

	before := asked.Load()
	w.OK(200, "PUT", path, strings.Replace(doc, "FIXTURES", `, "x-fixtures": {"fetch": `+exchanges+`}`, 1), "If-Match: *")
	test := w.OK(200, "POST", path+"/runs?wait=1", "")
	assert.Equal(t, "passed", test.Get("state"), test.Get("message"))
	assert.Equal(t, true, test.Get("receipt.recorded"))
	assert.Equal(t, before, asked.Load(), "the test asks no host")
}

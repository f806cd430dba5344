package hubapi_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/directory"
	"github.com/localpass/localpass/mcphub/hubapi"
)

// A page finds a server by words, sees its risk while it is filled in, and saves it.
func TestDirectory(t *testing.T) {
	leak.Check(t)
	w := serveAPI(t, nil, func(_ *servedAPI, o *hubapi.Options) {
		var err error
		o.Directory, err = directory.New(nil)
		require.NoError(t, err)
	})
	const path = "/api/mcp/directory"
	all := w.OK(200, "GET", path, "")
	assert.Len(t, all.List("items"), 57)
	assert.Len(t, all.List("categories"), 14)
	assert.Equal(t, "EXAMPLE", all.Text("categories.0.id"))
	found := w.OK(200, "GET", path+"?q=mail&category=PRODUCTIVITY&category=STORAGE", "")
	assert.EqualValues(t, 57, found.Get("total"))
	assert.Contains(t, []string{"gmail", "outlook-mail"}, found.Text("items.0.id"))
	assert.Equal(t, "L1", found.Get("items.0.risk.level"))
	assert.Empty(t, w.OK(200, "GET", path+"?tag=none", "").List("items"))
	assert.Contains(t, w.OK(200, "GET", path+"/tags?q=korea&have=legal", "").List("items"), "korea")
	assert.Empty(t, w.OK(200, "GET", path+"/tags?q=qqqq", "").List("items"))

	entry := w.OK(200, "GET", path+"/exa", "")
	assert.Equal(t, "secret", entry.Get("variables.0.kind"))
	w.Fails(404, "not_found", "GET", path+"/none", "")
	w.Fails(404, "not_found", "POST", path+"/none/instantiate", `{}`)

	made := w.OK(200, "POST", path+"/exa/instantiate", `{}`)
	assert.Equal(t, "EXA_API_KEY", made.Text("secrets.0"))
	assert.Empty(t, made.List("missing"))
	assert.Equal(t, "L2", made.Get("risk.level"))
	made = w.OK(200, "POST", path+"/git/instantiate", `{"id":"code"}`)
	assert.Equal(t, "GIT_REPOSITORY", made.Text("missing.0.name"))
	assert.Empty(t, made.List("secrets"))
	made = w.OK(200, "POST", path+"/git/instantiate", `{"id":"code","values":{"GIT_REPOSITORY":"/srv/code"}}`)
	assert.Empty(t, made.List("missing"))
	assert.Equal(t, "/srv/code", made.Get("server.connection.args.2"))
	w.Fails(422, "validation_failed", "POST", path+"/git/instantiate", `{"values":{"OTHER":"x"}}`)
	w.Fails(422, "validation_failed", "POST", path+"/exa/instantiate", `{"values":{"EXA_API_KEY":"sk-12345"}}`)
	assert.NotContains(t, w.log.String(), "sk-12345")
	assert.Empty(t, w.OK(200, "GET", "/api/mcp/servers", "").List("items"), "nothing was saved")
}

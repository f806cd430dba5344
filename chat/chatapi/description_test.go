package chatapi_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chatapi"
	"github.com/localpass/localpass/chat/chattest"
)

var updateOpenAPI = flag.Bool("update-openapi", false, "rewrite the description of the chat API in testdata")

// Every change of the API changes its description in testdata, where a reviewer sees it.
// "go test ./chat/chatapi -run TestAPIDescription -update-openapi" accepts a change.
func TestAPIDescription(t *testing.T) {
	w := newServer(t, chattest.NewModel(), chat.ClientOptions{}, chatapi.Options{})
	var pretty bytes.Buffer
	require.NoError(t, json.Indent(&pretty, w.api.OpenAPI(), "", " "))
	file := filepath.Join("testdata", "openapi.json")
	if *updateOpenAPI {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, pretty.Bytes(), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.JSONEq(t, string(want), pretty.String(), "see the comment of this test")
	assert.JSONEq(t, string(want), w.Do("GET", "/api/openapi.json", "").Body, "the API serves it")

	mux := http.NewServeMux()
	require.NoError(t, w.api.Mount(mux))
	require.ErrorContains(t, w.api.Mount(mux), "cannot be mounted")
}

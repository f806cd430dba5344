package apitest_test

import (
	"net/http"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/internal/httpapi/apitest"
)

type thing struct {
	Name string `json:"name"`
}

// judged notes whether a check ends its test.
type judged struct {
	testing.TB
	failed bool
}

func (j *judged) Helper()               {}
func (j *judged) Errorf(string, ...any) { j.failed = true }
func (j *judged) FailNow()              { j.failed = true; runtime.Goexit() }

// Answers that the description foresees pass, all others end the test.
func TestClientJudgesAnswers(t *testing.T) {
	row := func(path string, status int, body any) httpapi.Route {
		return httpapi.Route{Method: http.MethodGet, Path: path, ID: "get" + path[len("/api/"):], Summary: "One.",
			Answers: []httpapi.Answer{{Status: http.StatusOK, Description: "It.", Content: httpapi.Of[thing]()}},
			Handle:  func(w http.ResponseWriter, _ *http.Request) error { return httpapi.Reply(w, status, body) }}
	}
	api, err := httpapi.New(&httpapi.Options{Title: "things"}, httpapi.Table{Tag: "things", Routes: []httpapi.Route{
		row("/api/good", 200, thing{Name: "a"}), row("/api/status", 201, thing{Name: "a"}), row("/api/body", 200, map[string]int{"name": 1}),
	}})
	require.NoError(t, err)
	c := apitest.NewClient(t, api)
	assert.Equal(t, "a", c.OK(200, "GET", "/api/good", "").Text("name"))
	assert.ElementsMatch(t, []string{"GET /api/status 200", "GET /api/body 200"}, c.Spec.Missed())
	for _, path := range []string{"/api/status", "/api/body"} {
		j := &judged{TB: t}
		done := make(chan struct{})
		go func() {
			defer close(done)
			(&apitest.Client{Server: c.Server, T: j, Spec: c.Spec}).Do("GET", path, "")
		}()
		<-done
		assert.True(t, j.failed, path)
	}
	c.Fails(404, "not_found", "GET", "/api/none", "")
}

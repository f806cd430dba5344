package main

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/internal/modelserver"
)

// process is the program as a process, with a client for it.
type process struct {
	t         *testing.T
	page      string
	out, errs *text
	stop      func()
}

// run starts the program in the network of a world. It ends with the test.
func (c *process) run(w *modelserver.World) {
	cmd := exec.Command(os.Args[0], append(w.Args, "-addr", "127.0.0.1:0")...)
	cmd.Env = append(w.Env, asProgram+"=1")
	c.out, c.errs = &text{}, &text{}
	cmd.Stdout, cmd.Stderr = c.out, c.errs
	require.NoError(c.t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	stopped := false
	c.stop = func() {
		if stopped {
			return
		}
		stopped = true
		_ = cmd.Process.Signal(os.Interrupt)
		assert.NoError(c.t, <-ended, c.errs.String())
	}
	c.t.Cleanup(c.stop)
	require.Eventually(c.t, func() bool { return pageAt.MatchString(c.out.String()) }, time.Minute, 10*time.Millisecond)
	c.page = pageAt.FindStringSubmatch(c.out.String())[1]
}

// do sends a request and returns the status and the body.
func (c *process) do(method, path string, body any) (int, string) {
	c.t.Helper()
	var data []byte
	if body != nil {
		var err error
		data, err = json.Marshal(body)
		require.NoError(c.t, err)
	}
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.page+path, bytes.NewReader(data))
	require.NoError(c.t, err)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	require.NoError(c.t, err)
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	require.NoError(c.t, err)
	assert.NotContains(c.t, string(raw), "-0815", "a key is never sent back")
	return res.StatusCode, string(raw)
}

// A key that a user enters reaches its own server and no other, whatever is edited
// afterwards; it is sealed in the home, and the file of settings has its placeholder.
func TestConnectModel(t *testing.T) {
	t.Parallel()
	const key = "page-key-0815"
	c := modelserver.Case{Name: "the page", File: "{\n  // mine\n  \"chat\": {\"attempts\": 1} // once\n}\n"}
	w := c.Arrange(t)
	one, two := w.Servers["one"], w.Servers["two"]
	one.Require(key, false)
	p := &process{t: t}
	p.run(w)
	const place = "/api/settings/model/servers"
	server := func(at, key string) map[string]any {
		return map[string]any{"provider": "compatible", "baseURL": at, "key": key}
	}

	_, said := p.do("POST", place+"/test", server(one.URL+"/v1", "wrong-key-0815"))
	assert.Contains(t, said, "refused the key (HTTP 401)")
	_, said = p.do("POST", place+"/test", map[string]any{"provider": "compatible", "baseURL": one.URL + "/v1"})
	assert.Contains(t, said, "wants a key")
	_, said = p.do("POST", place+"/test", server("http://127.0.0.1:9/v1", key))
	assert.Contains(t, said, "Nothing answers at 127.0.0.1:9")
	_, said = p.do("POST", place+"/test", server("http://models.example/v1", key))
	assert.Contains(t, said, "unencrypted")
	status, _ := p.do("PUT", place+"/work", server(one.URL+"/v1", "wrong-key-0815"))
	assert.Equal(t, http.StatusUnprocessableEntity, status)
	raw, err := os.ReadFile(filepath.Join(w.Home, "localpass.json"))
	require.NoError(t, err)
	assert.NotContains(t, string(raw), "work", "a server that fails the test is not stored")

	status, said = p.do("PUT", place+"/work", server(one.URL+"/v1", key))
	require.Equal(t, http.StatusOK, status, said)
	raw, err = os.ReadFile(filepath.Join(w.Home, "localpass.json"))
	require.NoError(t, err)
	assert.Contains(t, string(raw), "${LOCALPASS_MODEL_KEY_WORK}")
	assert.Contains(t, string(raw), "// mine\n  \"chat\": {\"attempts\": 1}, // once\n")
	status, said = p.do("PUT", "/api/settings/model", map[string]any{"provider": "work", "name": "first-of-one"})
	require.Equal(t, http.StatusOK, status, said)
	status, said = p.do("POST", "/api/settings/model/check", map[string]any{})
	require.Equal(t, http.StatusOK, status)
	assert.Contains(t, said, `"state":"ready"`)

	// The stored key goes to no other address, and a server that is used stays.
	status, said = p.do("PUT", place+"/work", map[string]any{"provider": "compatible", "baseURL": two.URL + "/v1"})
	assert.Equal(t, http.StatusUnprocessableEntity, status)
	assert.Contains(t, said, "enter the key for the new address")
	status, _ = p.do("DELETE", place+"/work", nil)
	assert.Equal(t, http.StatusConflict, status)

	// After a restart the key is found in the home.
	p.stop()
	p.run(w)
	status, said = p.do("POST", "/api/settings/model/check", map[string]any{})
	require.Equal(t, http.StatusOK, status)
	assert.Contains(t, said, `"state":"ready"`)
	status, said = p.do("PUT", "/api/settings/model", map[string]any{"provider": "demo", "name": "demo-rules"})
	require.Equal(t, http.StatusOK, status, said)
	status, said = p.do("DELETE", place+"/work", nil)
	require.Equal(t, http.StatusNoContent, status, said)
	p.stop()

	assert.ElementsMatch(t, []string{"Bearer wrong-key-0815", "Bearer " + key}, one.Keys())
	for _, other := range []string{"two", "ollama"} {
		assert.Empty(t, w.Servers[other].Keys(), other)
	}
	assert.Zero(t, w.Proxy.Refused.Load(), "nothing left the machine")
	require.NoError(t, filepath.WalkDir(w.Home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), "-0815") {
			t.Errorf("%s has a key in it", path)
		}
		if strings.Contains(filepath.Base(path), "LOCALPASS_MODEL_KEY") {
			t.Errorf("%s stays after its server was removed", path)
		}
		return err
	}))
}

// Where a server lists its models for everyone, the key is proven with a short answer.
func TestConnectModelWithPublicList(t *testing.T) {
	t.Parallel()
	c := modelserver.Case{Name: "a public list"}
	w := c.Arrange(t)
	one := w.Servers["one"]
	one.Require("right-key-0815", true)
	p := &process{t: t}
	p.run(w)
	for key, want := range map[string]string{"wrong-key-0815": "refused the key", "right-key-0815": `"ok":true`} {
		_, said := p.do("POST", "/api/settings/model/servers/test", map[string]any{"provider": "compatible", "baseURL": one.URL + "/v1", "key": key})
		assert.Contains(t, said, want, key)
	}
	assert.Zero(t, w.Proxy.Refused.Load())
}

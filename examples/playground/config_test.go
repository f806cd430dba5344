package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The files of config are read as they stand, with -config or out of a home.
func TestExampleFiles(t *testing.T) {
	for name, want := range map[string]struct{ profile, model, baseURL string }{
		"ollama":     {"ollama", "qwen3:0.6b", "http://127.0.0.1:11434"},
		"openai":     {"openai", "gpt-5.4-mini", ""},
		"compatible": {"compatible", "", "http://127.0.0.1:8000/v1"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("config", name+".json")
			home := t.TempDir()
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(home, configName), raw, 0o600))
			for _, args := range [][]string{{"-config", file, "-home", t.TempDir()}, {"-home", home}} {
				c, err := parse(args, io.Discard)
				require.NoError(t, err)
				assert.Equal(t, want, struct{ profile, model, baseURL string }{c.profile, c.model, c.baseURL})
				assert.Equal(t, 30*time.Second, c.timeout)
				assert.Equal(t, 2*time.Minute, c.approvalTimeout)
				assert.NotContains(t, c.workspace, "~")
			}
			page, stdout, end := start(t, "-config", file, "-home", t.TempDir(), "-addr", "127.0.0.1:0", "-workspace", t.TempDir())
			assert.NotEmpty(t, page)
			assert.Contains(t, stdout.String(), "model     "+want.profile)
			assert.Contains(t, stdout.String(), "-profile "+want.profile)
			assert.Equal(t, 0, end())
		})
	}
}

func TestConfigFileThatIsNotThere(t *testing.T) {
	_, err := parse([]string{"-config", filepath.Join(t.TempDir(), "none.json")}, io.Discard)
	assert.ErrorContains(t, err, "none.json")
}

// What the page shows names where a value is changed, and no credentials.
func TestShown(t *testing.T) {
	c, err := parse([]string{"-home", t.TempDir(), "-base-url", "http://me:hidden@localhost:1/v1"}, io.Discard)
	require.NoError(t, err)
	for _, s := range c.shown("127.0.0.1:1") {
		assert.NotContains(t, s.Value, "hidden")
		assert.NotEmpty(t, s.Section, s.Name)
		assert.True(t, s.Restart)
	}
}

// After a backup was brought back, or everything removed, the program begins anew
// at the same place.
func TestBeginsAnew(t *testing.T) {
	page, stdout, end := start(t, "-addr", "127.0.0.1:0", "-home", t.TempDir(), "-profile", "demo")
	res, err := http.Post(page+"/api/storage/reset", "application/json", strings.NewReader(`{"confirm":"reset"}`))
	require.NoError(t, err)
	res.Body.Close()
	assert.Equal(t, http.StatusAccepted, res.StatusCode)
	require.Eventually(t, func() bool { return strings.Contains(stdout.String(), "restart ") }, 20*time.Second, 10*time.Millisecond)
	require.Eventually(t, func() bool {
		res, err := http.Get(page + "/readyz")
		if err != nil {
			return false
		}
		res.Body.Close()
		return res.StatusCode == http.StatusOK
	}, 20*time.Second, 20*time.Millisecond)
	assert.Equal(t, 0, end())
}

package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/internal/config"
)

const fileToken = "a-token-that-stands-in-a-file"

func tokenFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

// The token of a file is the page's, and is neither shown nor repeated by an error.
func TestTokenFile(t *testing.T) {
	good := tokenFile(t, fileToken+"\n")
	c, err := parse([]string{"-token-file", good, "-home", t.TempDir()}, io.Discard)
	require.NoError(t, err)
	assert.Equal(t, fileToken, c.Page.Token)
	for _, s := range c.shown() {
		assert.NotContains(t, s.Value, fileToken)
		if s.Name == "page.token" {
			assert.Equal(t, "set", s.Value)
		}
	}
	t.Run("from the file of settings", func(t *testing.T) {
		home := t.TempDir()
		raw, err := json.Marshal(map[string]any{"page": map[string]string{"tokenFile": good}})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(home, config.FileName), raw, 0o600))
		c, err := parse([]string{"-home", home}, io.Discard)
		require.NoError(t, err)
		assert.Equal(t, fileToken, c.Page.Token)
	})
	for name, tc := range map[string]struct{ file, more, want string }{
		"none":       {filepath.Join(t.TempDir(), "none"), "", "none"},
		"a folder":   {t.TempDir(), "", "is no file"},
		"short":      {tokenFile(t, "short-secret"), "", "at least 16"},
		"two lines":  {tokenFile(t, fileToken+"\n"+fileToken), "", "one line"},
		"much":       {tokenFile(t, strings.Repeat(fileToken, 1000)), "", "one line"},
		"two tokens": {good, fileToken, "one of them"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse([]string{"-token-file", tc.file, "-token", tc.more, "-home", t.TempDir()}, io.Discard)
			require.ErrorContains(t, err, tc.want)
			assert.NotContains(t, err.Error(), "secret")
			assert.NotContains(t, err.Error(), fileToken)
		})
	}
	if runtime.GOOS != "windows" {
		open := tokenFile(t, fileToken)
		require.NoError(t, os.Chmod(open, 0o644))
		_, err := parse([]string{"-token-file", open, "-home", t.TempDir()}, io.Discard)
		require.ErrorContains(t, err, "chmod 600")
	}
}

// The token of the page may be a secret that was saved at the page.
func TestTokenSavedAtThePage(t *testing.T) {
	home := t.TempDir()
	page, _, end := start(t, "-home", home, "-addr", "127.0.0.1:0", "-profile", "demo")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, page+"/api/secrets/PAGE_TOKEN", strings.NewReader(`{"value":"`+fileToken+`"}`))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	res.Body.Close()
	require.Equal(t, http.StatusNoContent, res.StatusCode)
	require.Equal(t, 0, end())
	write := func(text string) {
		require.NoError(t, os.WriteFile(filepath.Join(home, config.FileName), []byte(text), 0o600))
	}
	write(`{"page": {"token": "${PAGE_TOKEN}"}}`)
	c, err := parse([]string{"-home", home}, io.Discard)
	require.NoError(t, err)
	assert.Equal(t, fileToken, c.Page.Token)
	write("{\n\"mcp\": {\"token\": \"${NOT_SAVED}\"}}")
	_, err = parse([]string{"-home", home}, io.Discard)
	require.ErrorContains(t, err, "localpass.json:2: ")
	assert.ErrorContains(t, err, "NOT_SAVED")
}

// Who comes by way of a proxy needs the token, and is told the proxy's name.
func TestPublicURL(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"without a token":  {[]string{"-public-url", "https://tools.example.com"}, "-token"},
		"without TLS":      {[]string{"-public-url", "http://tools.example.com", "-token", fileToken}, "-insecure"},
		"with a path":      {[]string{"-public-url", "https://tools.example.com/x", "-token", fileToken}, "scheme and host"},
		"with credentials": {[]string{"-public-url", "https://me:hidden@tools.example.com", "-token", fileToken}, "scheme and host"},
		"another scheme":   {[]string{"-public-url", "ftp://tools.example.com", "-token", fileToken}, "scheme and host"},
		"no URL":           {[]string{"-public-url", "https://%zz", "-token", fileToken}, "scheme and host"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse(append(tc.args, "-home", t.TempDir()), io.Discard)
			require.ErrorContains(t, err, tc.want)
			assert.NotContains(t, err.Error(), "hidden")
		})
	}
	c, err := parse([]string{"-public-url", "http://localhost:3000/", "-home", t.TempDir()}, io.Discard)
	require.NoError(t, err, "another port of this machine")
	assert.Equal(t, "http://localhost:3000", c.Page.PublicURL)

	page, stdout, end := start(t, "-home", t.TempDir(), "-addr", "127.0.0.1:0", "-token-file", tokenFile(t, fileToken), "-public-url", "https://Tools.example.com")
	assert.Equal(t, "https://tools.example.com", page)
	assert.Contains(t, stdout.String(), "login     https://tools.example.com/login")
	assert.NotContains(t, stdout.String(), fileToken)
	assert.Equal(t, 0, end())
}

package main

import (
	"flag"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestConfigFileThatIsNotThere(t *testing.T) {
	_, err := parse([]string{"-config", filepath.Join(t.TempDir(), "none.json")}, io.Discard)
	assert.ErrorContains(t, err, "none.json")
}

// What the page shows names where a value is changed, and no credentials.
func TestShown(t *testing.T) {
	_, err := parse([]string{"-home", t.TempDir(), "-profile", "openai", "-base-url", "http://me:hidden@localhost:1/v1"}, io.Discard)
	require.ErrorContains(t, err, "-base-url: ")
	assert.NotContains(t, err.Error(), "hidden")
	c, err := parse([]string{"-home", t.TempDir(), "-token", "hidden-hidden-hidden"}, io.Discard)
	require.NoError(t, err)
	var help strings.Builder
	_, err = parse([]string{"-help"}, &help)
	require.ErrorIs(t, err, flag.ErrHelp)
	for _, s := range c.shown() {
		if s.Origin == "default" {
			name, _, _ := strings.Cut(s.Source, " ")
			assert.Regexp(t, `(?m)^  `+regexp.QuoteMeta(name)+`( |$)`, help.String(), "%s is not changed by a flag of that name", s.Name)
		}
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
	require.Eventually(t, func() bool { return strings.Contains(stdout.String(), "restart ") }, time.Minute, 10*time.Millisecond)
	require.Eventually(t, func() bool {
		res, err := http.Get(page + "/readyz")
		if err != nil {
			return false
		}
		res.Body.Close()
		return res.StatusCode == http.StatusOK
	}, time.Minute, 20*time.Millisecond)
	assert.Equal(t, 0, end())
}

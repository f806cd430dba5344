package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/internal/config"
)

// Whether an image is sent is decided by the profile, else by what the server says of the
// model; an image that is not sent is an error that says what to do.
func TestWhoGetsPictures(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var picture bytes.Buffer
	require.NoError(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 1, 1))))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "p.png"), picture.Bytes(), 0o600))
	const blind = `{"object":"list","data":[{"id":"small","object":"model","architecture":{"input_modalities":["text"]}}]}`
	const silent = `{"object":"list","data":[{"id":"small","object":"model"}]}`
	for name, c := range map[string]struct {
		models, profile string
		sent            bool
		says            string
	}{
		"nobody says":              {silent, ``, true, ""},
		"the profile says yes":     {silent, `, "capabilities": {"pictures": true}`, true, ""},
		"the profile says no":      {silent, `, "capabilities": {"pictures": false}`, false, "capabilities.pictures"},
		"the server says no":       {blind, ``, false, "capabilities.pictures"},
		"the profile knows better": {blind, `, "capabilities": {"pictures": true}`, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var sent atomic.Bool
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodPost {
					fmt.Fprint(w, c.models)
					return
				}
				body, _ := io.ReadAll(r.Body)
				sent.Store(bytes.Contains(body, []byte("data:image/png;base64,")))
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprint(w, `data: {"id":"x","object":"chat.completion.chunk","model":"small","choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":"stop"}]}`+"\n\n")
			}))
			t.Cleanup(server.Close)
			home := t.TempDir()
			file := fmt.Sprintf(`{"profile": "p", "profiles": {"p": {"provider": "compatible", "baseURL": "%s/v1"%s}}}`, server.URL, c.profile)
			require.NoError(t, os.WriteFile(filepath.Join(home, config.FileName), []byte(file), 0o600))
			var out, errs bytes.Buffer
			code := run(t.Context(), []string{"-home", home, "-tools", "none", "look @" + filepath.Join(dir, "p.png")}, &streams{nil, &out, &errs}, providers)
			assert.Equal(t, c.sent, sent.Load())
			assert.Contains(t, errs.String(), c.says)
			if c.sent {
				assert.Equal(t, 0, code, errs.String())
			} else {
				assert.Equal(t, exitUsage, code, errs.String())
				assert.Empty(t, out.String())
			}
		})
	}
}

//go:build unix

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A server that ends its stream in the middle of an answer: what it said stands on the
// terminal once, and below it why it ended and what to do.
func TestBrokenStreamInATerminal(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost {
			fmt.Fprint(w, `{"object":"list","data":[{"id":"small","object":"model"}]}`)
			return
		}
		say := func(text, finish string) {
			fmt.Fprintf(w, `data: {"id":"x","object":"chat.completion.chunk","model":"small","choices":[{"index":0,"delta":{"content":%q},"finish_reason":%s}]}`+"\n\n", text, finish)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		if strings.Contains(string(body), "again") {
			say("Here is all of it.", `"stop"`)
			return
		}
		for _, word := range []string{"Here is the **first** line,\n\n- a point", " and the beginning of"} {
			say(word, "null")
		}
	}))
	t.Cleanup(server.Close)
	home := t.TempDir()
	start := func(args ...string) *pane {
		return terminalIn(t, "", 80, []string{asProgram + "=" + realModels, "OPENAI_API_KEY=", "OPENAI_BASE_URL=" + server.URL + "/v1"}, append([]string{os.Args[0], "-home", home, "-tools", "none"}, args...)...)
	}
	p := start().ready()
	p.says("tell me").sees(`stream_broken`).ready().says("tell me again").sees("all of it").ready()
	text := stable(p.all(), home, home)
	p.leaves()
	p = start("-conversation", "last").ready()
	golden(t, filepath.Join("testdata", "broken.txt"), text+"--- the next start\n"+stable(p.all(), home, home))
	require.NotContains(t, p.all(), "interrupted")
	p.leaves()
}

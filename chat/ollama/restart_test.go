package ollama_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/ollama"
)

// If the server restarts on the same port and first reports that it is loading, the call
// waits and is answered once.
func TestServerThatRestarts(t *testing.T) {
	var loading int
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/api/show":
			fmt.Fprint(w, `{"capabilities":["completion"]}`)
		case loading > 0:
			loading--
			http.Error(w, `{"error":"loading"}`, http.StatusServiceUnavailable)
		default:
			fmt.Fprintln(w, `{"message":{"content":"Back."},"done":false}`)
			fmt.Fprintln(w, `{"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":1}`)
		}
	})
	first := httptest.NewServer(handler)
	address := first.Listener.Addr().String()
	provider, err := ollama.New(&ollama.Options{BaseURL: first.URL})
	require.NoError(t, err)
	model, err := provider.Model(t.Context(), "m")
	require.NoError(t, err)
	model, err = llm.Retrying(model, llm.RetryPolicy{BaseDelay: time.Millisecond, MaxDelay: 5 * time.Millisecond})
	require.NoError(t, err)
	first.Close()

	var second *httptest.Server
	text, tries := "", 0
	for d, err := range model.Generate(t.Context(), &llm.ModelRequest{Messages: []llm.Message{{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: "hi"}}}}}) {
		require.NoError(t, err)
		switch d.Kind {
		case llm.DeltaRetry:
			if tries++; tries == 2 { // after two refusals the server is back
				l, err := net.Listen("tcp", address)
				require.NoError(t, err)
				loading = 1
				second = &httptest.Server{Listener: l, Config: &http.Server{Handler: handler}}
				second.Start()
				defer second.Close()
			}
		case llm.DeltaText:
			text += d.Text
		}
	}
	assert.Equal(t, "Back.", text)
	assert.Equal(t, 3, tries, "two refused connections and one 503")
}

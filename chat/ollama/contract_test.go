package ollama_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/ollama"
)

// TestContract runs the model suite over real connections to a server that calls the
// offered tool and answers when it has the result.
func TestContract(t *testing.T) {
	var active atomic.Int64
	s := newServer(t, func(http.ResponseWriter, *http.Request, int) {}, "tools")
	s.chat = func(w http.ResponseWriter, _ *http.Request, n int) {
		active.Add(1)
		defer active.Add(-1)
		var req struct {
			Messages []struct{ Role string }
			Tools    []struct{ Function struct{ Name string } }
		}
		s.mu.Lock()
		body := s.ask[n-1]
		s.mu.Unlock()
		if err := json.Unmarshal([]byte(body), &req); err != nil {
			t.Errorf("the request is no JSON: %v", err)
		}
		frame := func(text string) {
			fmt.Fprintln(w, text)
			_ = http.NewResponseController(w).Flush() // the client may have disconnected
		}
		if len(req.Tools) > 0 && req.Messages[len(req.Messages)-1].Role != "tool" {
			frame(`{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"id":"call_1","function":{"index":0,"name":"` +
				req.Tools[0].Function.Name + `","arguments":{"city":"Seoul"}}}]},"done":false}`)
		} else {
			for word := range strings.FieldsSeq("Hello, it is half past nine there.") {
				frame(`{"model":"m","message":{"role":"assistant","content":"` + word + ` "},"done":false}`)
			}
		}
		frame(`{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":9,"eval_count":7}`)
	}
	chattest.TestModel(t, func(t *testing.T) llm.Model {
		client := &http.Client{Transport: &http.Transport{}}
		t.Cleanup(client.CloseIdleConnections)
		p, err := ollama.New(&ollama.Options{BaseURL: s.URL, HTTPClient: client})
		require.NoError(t, err)
		m, err := p.Model(t.Context(), "m")
		require.NoError(t, err)
		return m
	}, &chattest.ModelOptions{Active: func() int { return int(active.Load()) }})
}

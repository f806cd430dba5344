//go:build unix

package ollama_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/internal/tinymodel"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/ollama"
)

// The model suite runs on a real server with each kind of model. The test has its own
// server, since the suite often stops answers.
func TestLiveContract(t *testing.T) {
	s := newOwnServer(t)
	s.start(t)
	require.NoError(t, tinymodel.Register(t.Context(), "http://"+s.address))
	def := getTime()
	for _, name := range []string{tinymodel.ModelPlain, tinymodel.ModelTools, tinymodel.ModelThinking} {
		t.Run(name, func(t *testing.T) {
			chattest.TestModel(t, func(t *testing.T) llm.Model {
				client := &http.Client{Transport: &http.Transport{}}
				t.Cleanup(client.CloseIdleConnections)
				p, err := ollama.New(&ollama.Options{BaseURL: "http://" + s.address, HTTPClient: client})
				require.NoError(t, err)
				m, err := p.Model(t.Context(), name)
				require.NoError(t, err)
				return m
			}, &chattest.ModelOptions{Question: tinymodel.AskHello, ToolQuestion: tinymodel.AskTime, Tool: &def})
		})
	}
}

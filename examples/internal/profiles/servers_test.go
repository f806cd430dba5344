package profiles_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/examples/internal/config"
	"github.com/localpass/localpass/examples/internal/profiles"
	"github.com/localpass/localpass/internal/modelservers"
	"github.com/localpass/localpass/toolspec"
)

type source struct{ tool toolspec.Tool }

func (s source) Tools(context.Context) ([]toolspec.Tool, error) { return []toolspec.Tool{s.tool}, nil }

// Chat, tools, images, reasoning and both APIs need a profile, and nothing else.
func TestAProfileIsEnough(t *testing.T) {
	for _, k := range []modelservers.Kind{
		modelservers.LiteLLM(true),
		modelservers.LlamaCpp(modelservers.LlamaOptions{Jinja: true, Projector: true}),
		modelservers.VLLM(modelservers.VLLMOptions{Tools: true, Images: true}),
	} {
		for _, api := range []string{"", "chat", "responses"} {
			t.Run(strings.TrimSpace(k.Name+" "+api), func(t *testing.T) { profileTurns(t, k, api) })
		}
	}
}

func profileTurns(t *testing.T, k modelservers.Kind, api string) {
	s, err := modelservers.Start(k)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	p := config.Profile{Name: "work", Provider: config.Compatible, BaseURL: s.URL(), API: api, Model: k.Model,
		Capabilities: config.Capabilities{Efforts: []string{"none", "low", "high"}}}
	if k.Key != "" {
		p.Key = "${WORK_KEY}"
	}
	keys := map[string]string{"WORK_KEY": k.Key, "OPENAI_API_KEY": "sk-of-another-server-0123456789"}
	server, err := profiles.Open(p, func(name string) (string, bool) { key, ok := keys[name]; return key, ok }, nil)
	require.NoError(t, err)
	m, err := server.Provider.Model(t.Context(), p.Model)
	require.NoError(t, err)
	getTime, err := toolspec.Func("getTime", "Tells the time.", func(_ context.Context, in struct {
		Zone string `json:"zone"`
	}) (string, error) {
		return "9:00 in " + in.Zone, nil
	}, nil)
	require.NoError(t, err)
	client, err := chat.NewClient(m, &chat.ClientOptions{Tools: source{getTime}, Uncertified: []string{"getTime"}, Retry: &llm.RetryPolicy{MaxAttempts: 1}})
	require.NoError(t, err)
	ask := func(question llm.Message, effort llm.Effort) *chat.Response {
		r, err := chat.Collect(client.Stream(t.Context(), "", question, &chat.TurnOptions{Effort: effort}))
		require.NoError(t, err)
		return r
	}
	assert.Contains(t, ask(llm.UserText("What is the time?"), "").Text(), "9:00 in Asia/Seoul")
	red := llm.Image{MIMEType: "image/png", Data: redImage(t)}
	assert.Contains(t, ask(llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: "Its colour?"}, red}}, "").Text(), "red")
	assert.Equal(t, "They ask why.", ask(llm.UserText("why"), llm.EffortHigh).Message.Reasoning())
	assert.Empty(t, ask(llm.UserText("why"), llm.EffortOff).Message.Reasoning())
	asked := s.Asked()
	assert.Equal(t, "high", asked[len(asked)-2].Effort)
	assert.Equal(t, "none", asked[len(asked)-1].Effort)
	for _, a := range asked {
		assert.Equal(t, k.Key, a.Key)
		assert.Equal(t, api == "responses", a.API == "responses")
	}
}

func redImage(t *testing.T) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 4, 4))
	for x := range 4 {
		for y := range 4 {
			img.Set(x, y, color.RGBA{R: 255, A: 255})
		}
	}
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, img))
	return b.Bytes()
}

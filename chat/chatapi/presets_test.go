package chatapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chatapi"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/prompt"
	"github.com/localpass/localpass/persistence/memory"
)

func TestAPIPresets(t *testing.T) {
	p := memory.New()
	presets, err := prompt.NewPresets(p)
	require.NoError(t, err)
	w := newAPIWorld(t, chattest.NewModel(chattest.Say("a")), chat.ClientOptions{}, chatapi.Options{Presets: presets})
	builtin := len(apiAs[chatapi.APIPresets](w, 200, "GET", "/api/presets", "").Items)
	assert.Equal(t, 27, builtin)
	saved := apiAs[chatapi.APIPreset](w, 201, "POST", "/api/presets", `{"displayName":"Guide","prompt":"Guide me through {{city}}, {{days:number(1,9)=2}} days."}`)
	assert.Equal(t, "user-guide", saved.ID)
	assert.True(t, saved.Own)
	assert.Equal(t, prompt.PresetTemplate, saved.Kind)
	require.Len(t, saved.Variables, 2)

	// A conversation of a template, filled in.
	id := w.newConversation(`{"presetId":"user-guide","values":{"city":"Seoul"}}`)
	got := apiAs[chatapi.APIConversationDetail](w, 200, "GET", "/api/conversations/"+id, "")
	assert.Equal(t, "Guide me through Seoul, 2 days.", got.SystemPrompt)
	assert.Equal(t, "user-guide", got.PresetID)
	assert.Equal(t, []string{}, got.Tools, "the tools of the preset, and no others")
	own := apiAs[chatapi.APIConversationDetail](w, 200, "GET", "/api/conversations/"+w.newConversation(`{"presetId":"user-guide","systemPrompt":"My own."}`), "")
	assert.Equal(t, "My own.", own.SystemPrompt)
	w.Do("POST", "/api/conversations", `{"presetId":"user-guide","values":{"days":"10"}}`).Problem(400, "invalid_argument")
	huge, err := json.Marshal(map[string]any{"presetId": "user-guide", "values": map[string]string{"city": strings.Repeat("x", 1<<20)}})
	require.NoError(t, err)
	w.Do("POST", "/api/conversations", string(huge)).Problem(400, "invalid_argument")

	out := apiAs[chatapi.APIRendered](w, 200, "POST", "/api/templates/render", `{"presetId":"user-guide","values":{"city":"Seoul","days":"10","shoes":"x"}}`)
	assert.Equal(t, "Guide me through Seoul, 10 days.", out.Text)
	assert.Equal(t, []string{`template variable "days": 10 is more than 9: invalid argument`, `the template has no variable "shoes": invalid argument`}, out.Problems)
	out = apiAs[chatapi.APIRendered](w, 200, "POST", "/api/templates/render", `{"template":"{{d=Go}} and {{d}}","loose":true}`)
	assert.Equal(t, "Go and ", out.Text)
	assert.Equal(t, "plain", apiAs[chatapi.APIRendered](w, 200, "POST", "/api/templates/render", `{"template":"plain"}`).Text)
	bomb, err := json.Marshal(map[string]any{"template": strings.Repeat("{{a}}", 2000), "values": map[string]string{"a": strings.Repeat("x", 1000)}})
	require.NoError(t, err)
	w.Do("POST", "/api/templates/render", string(bomb)).Problem(400, "invalid_argument")
	for _, bad := range []string{`{}`, `{"presetId":"a","template":"b"}`} {
		w.Do("POST", "/api/templates/render", bad).Problem(400, "invalid_argument")
	}
	w.Do("POST", "/api/templates/render", `{"presetId":"nope"}`).Problem(404, "not_found")

	for _, bad := range []string{`{"displayName":"","prompt":"x"}`, `{"displayName":"x","prompt":" "}`, `{"displayName":"` + strings.Repeat("x", 300) + `","prompt":"x"}`,
		`{"displayName":"x","prompt":"x","tools":["a"],"dynamicTools":true}`} {
		w.Do("POST", "/api/presets", bad).Problem(400, "invalid_argument")
	}
	w.Do("DELETE", "/api/presets/"+apiAs[chatapi.APIPresets](w, 200, "GET", "/api/presets", "").Items[0].ID, "").Problem(400, "invalid_argument")
	assert.Equal(t, 204, w.Do("DELETE", "/api/presets/user-guide", "").Status)
	w.Do("DELETE", "/api/presets/user-guide", "").Problem(404, "not_found")

	// One that cannot be read hides nothing else.
	_, err = p.Put(t.Context(), "chat-presets", "user-broken", localpass.Document{Version: localpass.NoVersion, Data: json.RawMessage(`{"displayName":1}`)})
	require.NoError(t, err)
	assert.Len(t, apiAs[chatapi.APIPresets](w, 200, "GET", "/api/presets", "").Items, builtin)
	assert.Contains(t, w.log.String(), "user-broken")
}

// Without presets there are no such rows, and templates can be filled in all the
// same.
func TestAPIWithoutPresets(t *testing.T) {
	c := newClient(t, chattest.NewModel(), chat.ClientOptions{Store: newStore(t)})
	api, err := chatapi.New(c, nil)
	require.NoError(t, err)
	defer api.Close()
	assert.NotContains(t, string(api.OpenAPI()), "/api/presets")
	w := newAPIWorld(t, chattest.NewModel(), chat.ClientOptions{}, chatapi.Options{})
	w.Config.Handler = api
	w.Do("POST", "/api/templates/render", `{"presetId":"x"}`).Problem(404, "not_found")
	w.Do("POST", "/api/conversations", `{"presetId":"x"}`).Problem(404, "not_found")
}

// A store that fails is told of as one.
type failingStore struct {
	conversation.Store
	err error
}

func (s *failingStore) Create(context.Context, *conversation.Conversation) error { return s.err }

func TestAPIStoreFails(t *testing.T) {
	for code, err := range map[string]error{"archive": &llm.Error{Code: llm.CodeStore, Message: "it cannot be stored"}, "storage_read_only": localpass.ErrReadOnly} {
		w := newAPIWorld(t, chattest.NewModel(), chat.ClientOptions{Store: &failingStore{newStore(t), err}}, chatapi.Options{})
		w.Do("POST", "/api/conversations", "{}").Problem(503, code)
	}
	w := newAPIWorld(t, chattest.NewModel(), chat.ClientOptions{Store: &failingStore{newStore(t), errors.New("disk on fire")}}, chatapi.Options{})
	assert.NotContains(t, w.Do("POST", "/api/conversations", "{}").Body, "fire")
}

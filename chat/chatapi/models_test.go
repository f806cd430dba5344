package chatapi_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chatapi"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/leak"
)

func TestAPIModels(t *testing.T) {
	leak.Check(t)
	w := newServer(t, chattest.NewModel(), chat.ClientOptions{}, chatapi.Options{Providers: []llm.Provider{
		(&scriptedProvider{id: "good"}).add("m/1"), &scriptedProvider{id: "down", err: &llm.Error{Code: llm.CodeUnavailable, Message: "is it running?"}},
		&scriptedProvider{id: "odd", err: errHub}, &scriptedProvider{id: "mad", panics: true}, &scriptedProvider{id: "late", err: context.DeadlineExceeded}, &pullingProvider{scriptedProvider: scriptedProvider{id: "fetching"}},
	}})
	got := requestAs[chatapi.APIModels](w, 200, "GET", "/api/models", "")
	require.Len(t, got.Items, 2)
	assert.Equal(t, "m/1", got.Items[0].Name)
	assert.False(t, got.Items[0].Default)
	assert.True(t, got.Items[1].Default)
	assert.Equal(t, "script", got.Items[1].Provider)
	assert.Equal(t, []chatapi.APIProvider{{ID: "good"}, {ID: "down", Code: llm.CodeUnavailable, Problem: "is it running?"}, {ID: "odd", Code: "internal", Problem: "the provider failed"},
		{ID: "mad", Code: "internal", Problem: "the provider failed"}, {ID: "late", Code: llm.CodeProviderTimeout, Problem: "the provider did not answer in time"},
		{ID: "fetching", CanPull: true}}, got.Providers)
}

// The models that a server keeps are listed with their sizes, unloaded and deleted.
func TestAPIModelStore(t *testing.T) {
	leak.Check(t)
	store := &storingProvider{scriptedProvider: scriptedProvider{id: "kept"}, stored: []llm.StoredModel{{Name: "m/1:latest", Bytes: 7, LoadedBytes: 8}, {Name: "embed:latest", Bytes: 3}}}
	store.add("m/1:latest")
	w := newServer(t, chattest.NewModel(), chat.ClientOptions{}, chatapi.Options{Providers: []llm.Provider{store, &scriptedProvider{id: "fixed"}}})
	got := requestAs[chatapi.APIModels](w, 200, "GET", "/api/models", "")
	assert.Equal(t, []chatapi.APIProvider{{ID: "kept", CanDelete: true, Stored: store.stored}, {ID: "fixed"}}, got.Providers)
	assert.Equal(t, 204, w.Do("POST", "/api/models/unload", `{"provider":"kept","name":"m/1:latest"}`).Status)
	assert.Equal(t, 204, w.Do("POST", "/api/models/delete", `{"provider":"kept","name":"m/1:latest"}`).Status)
	assert.Equal(t, []string{"unload m/1:latest", "delete m/1:latest"}, store.done)
	for _, action := range []string{"unload", "delete"} {
		w.Do("POST", "/api/models/"+action, `{"provider":"kept","name":""}`).Problem(400, "invalid_argument")
		w.Do("POST", "/api/models/"+action, `{"provider":"fixed","name":"m"}`).Problem(404, "not_found")
		w.Do("POST", "/api/models/"+action, `{"provider":"kept","name":"gone"}`).Problem(404, "model_not_found")
	}
	store.storeErr = &llm.Error{Code: llm.CodeUnavailable, Message: "is it running?"}
	got = requestAs[chatapi.APIModels](w, 200, "GET", "/api/models", "")
	assert.Equal(t, "is it running?", got.Providers[0].Problem)
}

// Providers can be replaced while the API serves.
func TestAPISetProviders(t *testing.T) {
	leak.Check(t)
	w := newServer(t, chattest.NewModel(), chat.ClientOptions{}, chatapi.Options{})
	assert.Empty(t, requestAs[chatapi.APIModels](w, 200, "GET", "/api/models", "").Providers)
	require.NoError(t, w.api.SetProviders([]llm.Provider{(&scriptedProvider{id: "new"}).add("m", chattest.Say("one"))}))
	assert.Equal(t, []chatapi.APIProvider{{ID: "new"}}, requestAs[chatapi.APIModels](w, 200, "GET", "/api/models", "").Providers)
	id := w.newConversation("")
	list := checked(t, w.open("POST", "/api/conversations/"+id+"/turns", `{"text":"q","model":"new/m"}`).Rest())
	assert.Equal(t, "one", shownText(list))
	for name, bad := range map[string][]llm.Provider{"nil": {nil}, "slash": {&scriptedProvider{id: "a/b"}}, "twice": {&scriptedProvider{id: "a"}, &scriptedProvider{id: "a"}}} {
		require.ErrorIs(t, w.api.SetProviders(bad), llm.ErrInvalid, name)
	}
	assert.Len(t, requestAs[chatapi.APIModels](w, 200, "GET", "/api/models", "").Providers, 1, "a wrong list changes nothing")
}

func TestAPIPull(t *testing.T) {
	leak.Check(t)
	d := &pullingProvider{scriptedProvider: scriptedProvider{id: "fetching"}, left: make(chan struct{}, 1)}
	w := newServer(t, chattest.NewModel(), chat.ClientOptions{}, chatapi.Options{Providers: []llm.Provider{&scriptedProvider{id: "fixed"}, d}})
	frames := w.open("POST", "/api/models/pull", `{"name":"m"}`).Rest()
	require.Len(t, frames, 4)
	assert.Equal(t, []string{"", "progress", `{"status":"pulling","total":3}`}, []string{frames[0].ID, frames[0].Kind, frames[0].Text})
	assert.Equal(t, []string{"", "done", `{"status":"pulling","completed":2,"total":3}`}, []string{frames[3].ID, frames[3].Kind, frames[3].Text})
	for name, want := range map[string]string{"broken": "the line is dead", "odd": "the provider failed"} {
		frames = w.open("POST", "/api/models/pull", `{"provider":"fetching","name":"`+name+`"}`).Rest()
		last := frames[len(frames)-1]
		assert.Equal(t, "error", last.Kind)
		var e chatapi.APIPullEvent
		require.NoError(t, json.Unmarshal([]byte(last.Text), &e))
		assert.Equal(t, want, e.Message)
	}
	s := w.open("POST", "/api/models/pull", `{"name":"endless"}`)
	s.Until("progress")
	s.Close()
	<-d.left
	for body, code := range map[string]string{`{"name":""}`: "invalid_argument", `{"name":"m","provider":"fixed"}`: "invalid_argument"} {
		w.Do("POST", "/api/models/pull", body).Problem(400, code)
	}
	w.Do("POST", "/api/models/pull", `{"name":"m","provider":"none"}`).Problem(404, "not_found")
	two := newServer(t, chattest.NewModel(), chat.ClientOptions{}, chatapi.Options{Providers: []llm.Provider{d, &pullingProvider{scriptedProvider: scriptedProvider{id: "other"}}}})
	two.Do("POST", "/api/models/pull", `{"name":"m"}`).Problem(400, "invalid_argument")
}

// A turn can name its model. The conversation stays with its provider, and continues with
// its last model.
func TestAPITurnModels(t *testing.T) {
	leak.Check(t)
	own := chattest.NewModel(chattest.Say("own"), chattest.Say("own again"))
	good := (&scriptedProvider{id: "good"}).add("m/1", chattest.Say("one"), chattest.Say("one again"), chattest.Say("one more")).add("m/2", chattest.Say("two"))
	w := newServer(t, own, chat.ClientOptions{}, chatapi.Options{Providers: []llm.Provider{good, &scriptedProvider{id: "empty"}}})
	ask := func(id, more string) (string, chat.TurnStarted) {
		list := checked(t, w.open("POST", "/api/conversations/"+id+"/turns", `{"text":"q"`+more+`}`).Rest())
		return shownText(list), *list[0].(*chat.TurnStarted)
	}
	id := w.newConversation("")
	text, started := ask(id, `,"model":"good/m/1"`)
	assert.Equal(t, "one", text)
	assert.Equal(t, "good", started.Provider)
	assert.Equal(t, "m/1", started.Model)
	text, _ = ask(id, "")
	assert.Equal(t, "one again", text, "the conversation continues with its last model")
	text, _ = ask(id, `,"options":{"model":"m/2"}`)
	assert.Equal(t, "two", text, "a name without a provider means the provider of the conversation")
	w.Do("POST", "/api/conversations/"+id+"/turns", `{"text":"q","model":"script/script-1"}`).Problem(409, "provider_locked")
	w.Do("POST", "/api/conversations/"+id+"/turns", `{"text":"q","model":"m/3"}`).Problem(404, "model_not_found")
	w.Do("POST", "/api/conversations/"+id+"/turns", `{"text":"q","model":"empty/m"}`).Problem(404, "model_not_found")

	fixed := w.newConversation(`{"options":{"model":"good/m/1"}}`)
	text, _ = ask(fixed, "")
	assert.Equal(t, "one more", text)
	plain := w.newConversation("")
	text, _ = ask(plain, "")
	assert.Equal(t, "own", text)
	text, _ = ask(plain, `,"model":"script-1"`)
	assert.Equal(t, "own again", text)
	w.Do("POST", "/api/conversations/"+plain+"/turns", `{"text":"q","model":"script-2"}`).Problem(404, "model_not_found")

	// The provider is missing.
	without := newServer(t, own, chat.ClientOptions{Store: w.store}, chatapi.Options{})
	without.Do("POST", "/api/conversations/"+id+"/turns", `{"text":"q"}`).Problem(409, "provider_locked")
}

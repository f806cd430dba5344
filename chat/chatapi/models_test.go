package chatapi_test

import (
	"context"
	"encoding/json"
	"iter"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chatapi"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/leak"
)

// shop is a provider of scripted models.
type shop struct {
	id     string
	models map[string]*chattest.Model
	err    error
	panics bool
}

func (s *shop) ID() string { return s.id }

func (s *shop) Models(context.Context) (out []llm.ModelInfo, err error) {
	if s.panics {
		panic("out of stock")
	}
	for _, m := range s.models {
		out = append(out, m.Info())
	}
	return out, s.err
}

func (s *shop) Model(_ context.Context, name string) (llm.Model, error) {
	if m := s.models[name]; m != nil {
		return m, nil
	}
	return nil, &llm.Error{Code: llm.CodeModelNotFound, Provider: s.id, Message: "no " + name}
}

// stock puts a model with a script on the shelf.
func (s *shop) stock(name string, steps ...chattest.Step) *shop {
	if s.models == nil {
		s.models = map[string]*chattest.Model{}
	}
	m := chattest.NewModel(steps...)
	m.Described.Provider, m.Described.Name = s.id, name
	s.models[name] = m
	return s
}

// depot is a shop that fetches models.
type depot struct {
	shop
	left chan struct{} // a message when a pull was broken off
}

func (d *depot) Pull(ctx context.Context, name string) iter.Seq2[llm.PullProgress, error] {
	return func(yield func(llm.PullProgress, error) bool) {
		if name == "endless" {
			defer func() { d.left <- struct{}{} }()
		}
		for n := range int64(3) {
			if !yield(llm.PullProgress{Status: "pulling", Completed: n, Total: 3}, nil) {
				return
			}
		}
		switch name {
		case "broken":
			yield(llm.PullProgress{}, &llm.Error{Code: llm.CodeUnavailable, Message: "the line is dead"})
		case "odd":
			yield(llm.PullProgress{}, errHub)
		case "endless":
			<-ctx.Done()
			yield(llm.PullProgress{}, ctx.Err())
		}
	}
}

func TestAPIModels(t *testing.T) {
	leak.Check(t)
	w := newAPIWorld(t, chattest.NewModel(), chat.ClientOptions{}, chatapi.Options{Providers: []llm.Provider{
		(&shop{id: "good"}).stock("m/1"), &shop{id: "down", err: &llm.Error{Code: llm.CodeUnavailable, Message: "is it running?"}},
		&shop{id: "odd", err: errHub}, &shop{id: "mad", panics: true}, &shop{id: "late", err: context.DeadlineExceeded}, &depot{shop: shop{id: "depot"}},
	}})
	got := apiAs[chatapi.APIModels](w, 200, "GET", "/api/models", "")
	require.Len(t, got.Items, 2)
	assert.Equal(t, "m/1", got.Items[0].Name)
	assert.False(t, got.Items[0].Default)
	assert.True(t, got.Items[1].Default)
	assert.Equal(t, "script", got.Items[1].Provider)
	assert.Equal(t, []chatapi.APIProvider{{ID: "good"}, {ID: "down", Code: llm.CodeUnavailable, Problem: "is it running?"}, {ID: "odd", Code: "internal", Problem: "the provider failed"},
		{ID: "mad", Code: "internal", Problem: "the provider failed"}, {ID: "late", Code: llm.CodeProviderTimeout, Problem: "the provider did not answer in time"},
		{ID: "depot", CanPull: true}}, got.Providers)
}

func TestAPIPull(t *testing.T) {
	leak.Check(t)
	d := &depot{shop: shop{id: "depot"}, left: make(chan struct{}, 1)}
	w := newAPIWorld(t, chattest.NewModel(), chat.ClientOptions{}, chatapi.Options{Providers: []llm.Provider{&shop{id: "shop"}, d}})
	frames := w.open("POST", "/api/models/pull", `{"name":"m"}`).Rest()
	require.Len(t, frames, 4)
	assert.Equal(t, []string{"", "progress", `{"status":"pulling","total":3}`}, []string{frames[0].ID, frames[0].Kind, frames[0].Text})
	assert.Equal(t, []string{"", "done", `{"status":"pulling","completed":2,"total":3}`}, []string{frames[3].ID, frames[3].Kind, frames[3].Text})
	for name, want := range map[string]string{"broken": "the line is dead", "odd": "the provider failed"} {
		frames = w.open("POST", "/api/models/pull", `{"provider":"depot","name":"`+name+`"}`).Rest()
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
	for body, code := range map[string]string{`{"name":""}`: "invalid_argument", `{"name":"m","provider":"shop"}`: "invalid_argument"} {
		w.Do("POST", "/api/models/pull", body).Problem(400, code)
	}
	w.Do("POST", "/api/models/pull", `{"name":"m","provider":"none"}`).Problem(404, "not_found")
	two := newAPIWorld(t, chattest.NewModel(), chat.ClientOptions{}, chatapi.Options{Providers: []llm.Provider{d, &depot{shop: shop{id: "other"}}}})
	two.Do("POST", "/api/models/pull", `{"name":"m"}`).Problem(400, "invalid_argument")
}

// A turn names its model; the conversation stays with its provider, and goes on with
// the model that it had.
func TestAPITurnModels(t *testing.T) {
	leak.Check(t)
	own := chattest.NewModel(chattest.Say("own"), chattest.Say("own again"))
	good := (&shop{id: "good"}).stock("m/1", chattest.Say("one"), chattest.Say("one again"), chattest.Say("one more")).stock("m/2", chattest.Say("two"))
	w := newAPIWorld(t, own, chat.ClientOptions{}, chatapi.Options{Providers: []llm.Provider{good, &shop{id: "empty"}}})
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
	assert.Equal(t, "one again", text, "it goes on with the model that it had")
	text, _ = ask(id, `,"options":{"model":"m/2"}`)
	assert.Equal(t, "two", text, "a name is one of the conversation's provider")
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

	// Where the provider is not there any more, the client says so.
	without := newAPIWorld(t, own, chat.ClientOptions{Store: w.store}, chatapi.Options{})
	without.Do("POST", "/api/conversations/"+id+"/turns", `{"text":"q"}`).Problem(409, "provider_locked")
}

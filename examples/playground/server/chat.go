package server

import (
	"context"
	"sync"
	"time"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chatapi"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/prompt"
	"github.com/localpass/localpass/examples/internal/profiles"
	"github.com/localpass/localpass/toolspec/secret"
)

const (
	// chatLease is how long a turn counts as running after its program was last
	// heard of: short, because a user that starts the playground again after a crash
	// waits that long.
	chatLease = 6 * time.Second
)

// chats are the conversations, and the models that answer in them.
type chats struct {
	models *models
	store  conversation.Store
	talks  talks
	api    *chatapi.API
}

// openChats makes the conversations: models, the tools of the hub behind the gate
// that everything passes, and the API.
func (s *Server) openChats(ctx context.Context) (err error) {
	s.chats = &chats{}
	if s.chats.models, err = newModels(ctx, s.core, s.secrets.lookup); err != nil {
		return err
	}
	if s.chats.store, err = conversation.NewStore(s.local.Store); err != nil {
		return err
	}
	presets, err := prompt.NewPresets(s.local.Store)
	if err != nil {
		return err
	}
	manager, err := chat.NewToolCallingManager(&chat.ToolManagerOptions{Gate: s.approvals.gate, Telemetry: s.local.Telemetry})
	if err != nil {
		return err
	}
	opts := &chat.ClientOptions{Store: s.chats.store, Tools: s.mcp.hub, Manager: manager, Lease: chatLease, Telemetry: s.local.Telemetry}
	profiles.Apply(s.opts.Config, s.chats.models.profile(), opts)
	client, err := chat.NewClient(&s.chats.models.own, opts)
	if err != nil {
		return err
	}
	if err := s.chats.talks.read(ctx, s.chats.store); err != nil {
		s.opts.Logger.Warn("not every conversation can be listed", "error", err)
	}
	s.recoverChats(ctx, client)
	s.chats.api, err = chatapi.New(client, &chatapi.Options{
		Providers: s.chats.models.providers, Presets: presets, DefaultPreset: s.opts.Config.Chat.Preset, Principal: s.principal, Logger: s.opts.Logger, Redactor: secret.RedactorFunc(s.redactor), Approvals: s.approvals.gate.Broker(),
		Events: func(e chatapi.Event) {
			s.chats.talks.changed(e)
			s.tellChat(e)
		},
	})
	if err == nil {
		s.atEnd(s.chats.api.Close)
	}
	return err
}

// talks counts the conversations: the first page shows how many there are, and must
// not list them for that.
type talks struct {
	mu    sync.Mutex
	known map[string]bool // by id
}

// read counts those of the store.
func (t *talks) read(ctx context.Context, store conversation.Store) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known = map[string]bool{}
	for c, err := range store.List(ctx, conversation.ListQuery{}) {
		if err != nil {
			return err
		}
		t.known[c.ID] = true
	}
	return nil
}

func (t *talks) changed(e chatapi.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e.Type == "conversation.deleted" {
		delete(t.known, e.Conversation)
		return
	}
	t.known[e.Conversation] = true
}

func (t *talks) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.known)
}

// recoverChats closes what a program left open that was killed: now, and once more
// when the lease of one that died a moment ago is over.
func (s *Server) recoverChats(ctx context.Context, client *chat.Client) {
	look := func(ctx context.Context) {
		paused, incomplete, err := client.Recover(ctx)
		if err != nil && ctx.Err() == nil {
			s.opts.Logger.Warn("not every interrupted turn could be closed", "error", err)
		}
		if len(paused)+len(incomplete) > 0 {
			s.events.send("chat", "conversation.recovered", struct{}{})
		}
	}
	look(ctx)
	s.background(func(ctx context.Context) {
		select {
		case <-time.After(chatLease + time.Second):
			look(ctx)
		case <-ctx.Done():
		}
	})
}

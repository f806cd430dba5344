package server

import (
	"context"
	"sync"
	"time"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chatapi"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/prompt"
	"github.com/localpass/localpass/toolspec/secret"
)

const (
	// chatLease is how long a turn counts as running after its program was last
	// heard of: short, because a user that starts the playground again after a crash
	// waits that long.
	chatLease = 6 * time.Second
	// maxMessages is how many messages of a conversation are kept.
	maxMessages = 20_000
)

// openChat makes the conversations: models, the tools of the hub behind the gate
// that everything passes, and the API.
func (s *Server) openChat(ctx context.Context, lookup secret.Lookup) error {
	if err := s.openModels(ctx, lookup); err != nil {
		return err
	}
	store, err := conversation.NewStore(s.local.Store)
	if err != nil {
		return err
	}
	s.finder.chats = store
	presets, err := prompt.NewPresets(s.local.Store)
	if err != nil {
		return err
	}
	manager, err := chat.NewToolCallingManager(&chat.ToolManagerOptions{Gate: s.gate, Telemetry: s.local.Telemetry})
	if err != nil {
		return err
	}
	client, err := chat.NewClient(&s.models.own, &chat.ClientOptions{
		Store: store, Tools: s.hub, Manager: manager, Lease: chatLease, MaxMessages: maxMessages, Telemetry: s.local.Telemetry, Retry: s.opts.Retry,
		Policy: chat.TurnPolicy{Deadline: s.opts.TurnTimeout},
	})
	if err != nil {
		return err
	}
	s.talks.known = map[string]bool{}
	for c, err := range store.List(ctx, conversation.ListQuery{}) {
		if err != nil {
			s.opts.Logger.Warn("not every conversation can be listed", "error", err)
			break
		}
		s.talks.known[c.ID] = true
	}
	s.recoverChats(ctx, client)
	s.chatAPI, err = chatapi.New(client, &chatapi.Options{
		Providers: s.models.providers, Presets: presets, Principal: s.principal, Logger: s.opts.Logger, Redact: s.redactor, Approvals: s.gate.Broker(),
		Events: func(e chatapi.Event) {
			s.talks.changed(e)
			s.tellChat(e)
		},
	})
	return err
}

// talks counts the conversations: the first page shows how many there are, and must
// not list them for that.
type talks struct {
	mu    sync.Mutex
	known map[string]bool // by id
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

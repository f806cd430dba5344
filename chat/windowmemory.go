package chat

import (
	"context"
	"sync"

	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
)

// NewMemory returns a [Memory] that exists only in this process. most bounds the messages
// that it keeps per conversation, in whole turns; 0 means 200.
func NewMemory(most int) Memory {
	if most <= 0 {
		most = defaultRemembered
	}
	return &processMemory{most: most, all: map[string][]llm.Message{}}
}

const defaultRemembered = 200

type processMemory struct {
	most int

	mu  sync.Mutex
	all map[string][]llm.Message
}

func (m *processMemory) Load(ctx context.Context, convID string, window Window) ([]llm.Message, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	kept := m.all[convID]
	m.mu.Unlock()
	if len(kept) == 0 {
		return nil, nil
	}
	out := window.Apply(kept) // safe: appends never change stored messages
	for i := range out {
		out[i] = out[i].Clone()
	}
	return out, nil
}

func (m *processMemory) Append(ctx context.Context, convID string, messages ...llm.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	before := m.all[convID]
	all := make([]llm.Message, 0, len(before)+len(messages))
	all = append(all, before...)
	for i := range messages {
		all = append(all, messages[i].Clone())
	}
	if err := llm.CheckHistory(all); err != nil {
		return err
	}
	if len(all) > m.most {
		all = Window{Messages: m.most, Tools: conversation.ToolFull}.Apply(all)
	}
	m.all[convID] = all
	return nil
}

func (m *processMemory) Clear(ctx context.Context, convID string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.all, convID)
	return nil
}

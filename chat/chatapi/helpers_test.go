package chatapi_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

func newStore(t testing.TB) conversation.Store {
	t.Helper()
	s, err := conversation.NewStore(memory.New())
	require.NoError(t, err)
	return s
}

func newClient(t testing.TB, m llm.Model, opts chat.ClientOptions) *chat.Client {
	t.Helper()
	listTools(&opts)
	c, err := chat.NewClient(m, &opts)
	require.NoError(t, err)
	return c
}

// listTools lets a client offer the tools of a source, which hold no pass.
func listTools(opts *chat.ClientOptions) {
	tools, _ := opts.Tools.(source)
	for _, t := range tools {
		opts.Uncertified = append(opts.Uncertified, t.Definition().Name)
	}
}

// source is a list of tools.
type source []toolspec.Tool

func (s source) Tools(context.Context) ([]toolspec.Tool, error) { return s, nil }

// tool is a tool of a function.
type tool struct {
	def toolspec.Definition
	do  func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error)
}

func (t *tool) Definition() toolspec.Definition { return t.def }

func (t *tool) Call(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
	return t.do(ctx, call)
}

// textTool answers with a text.
func textTool(name, text string) *tool {
	return &tool{def: toolspec.Definition{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)},
		do: func(context.Context, *toolspec.Call) (*toolspec.Result, error) { return toolspec.TextResult(text), nil }}
}

// gatedTool wants approval.
func gatedTool(name string, run func()) *tool {
	gated := textTool(name, "done")
	gated.def.Fingerprint, gated.def.Level = "f1", toolspec.L3
	gated.def.Approval = &toolspec.Approval{Mode: toolspec.ApprovalRequired}
	gated.do = func(context.Context, *toolspec.Call) (*toolspec.Result, error) {
		run()
		return toolspec.TextResult("done"), nil
	}
	return gated
}

// find returns the events of one type.
func find[E chat.Event](events []chat.Event) (found []E) {
	for _, ev := range events {
		if e, ok := ev.(E); ok {
			found = append(found, e)
		}
	}
	return found
}

// history is what a model sees of a conversation.
func history(t testing.TB, s conversation.Store, id string) (all []llm.Message) {
	t.Helper()
	for turn, err := range s.Turns(t.Context(), id, conversation.TurnQuery{}) {
		require.NoError(t, err)
		all = append(all, turn.History()...)
	}
	assert.NoError(t, llm.CheckHistory(all))
	return all
}

// status is the state of a conversation.
func status(t testing.TB, s conversation.Store, id string) conversation.ConversationStatus {
	t.Helper()
	c, err := s.Get(t.Context(), id)
	require.NoError(t, err)
	assert.Equal(t, c.Status == conversation.StatusPaused, c.Running != nil)
	return c.Status
}

// amnesiac is a memory that cannot keep anything.
type amnesiac struct{ chat.Memory }

func (amnesiac) Load(context.Context, string, chat.Window) ([]llm.Message, error) { return nil, nil }

func (amnesiac) Append(context.Context, string, ...llm.Message) error { panic("no memory") }

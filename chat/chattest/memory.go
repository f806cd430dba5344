package chattest

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/toolspec"
)

// TestMemory holds a [chat.Memory] against its contract. open returns an empty
// one.
func TestMemory(t *testing.T, open func(t *testing.T) chat.Memory) {
	exchange := func(n int) []llm.Message {
		id := fmt.Sprintf("c%d", n)
		return []llm.Message{
			llm.UserText(fmt.Sprintf("question %d", n)),
			{Role: llm.RoleAssistant, Parts: []llm.Part{llm.ToolCall{ID: id, Name: "look", Arguments: json.RawMessage(`{}`)}}},
			llm.ToolResults(llm.ToolResult{CallID: id, Name: "look", Content: []toolspec.Content{toolspec.Text("seen")}}),
			llm.AssistantText(fmt.Sprintf("answer %d", n)),
		}
	}
	t.Run("window", func(t *testing.T) {
		m := open(t)
		ctx := t.Context()
		none, err := m.Load(ctx, "c_1", chat.Window{})
		require.NoError(t, err)
		assert.Empty(t, none)
		for n := range 5 {
			require.NoError(t, m.Append(ctx, "c_1", exchange(n)...))
		}
		require.NoError(t, m.Append(ctx, "c_2", llm.UserText("another"), llm.AssistantText("conversation")))
		for size := 1; size <= 25; size++ {
			for _, tools := range []conversation.ToolHistory{conversation.ToolSummaries, conversation.ToolFull, conversation.ToolNothing} {
				got, err := m.Load(ctx, "c_1", chat.Window{Messages: size, Tools: tools})
				require.NoError(t, err)
				require.NoError(t, llm.CheckHistory(got), "a window of %d", size)
				require.NotEmpty(t, got)
				assert.Equal(t, "answer 4", got[len(got)-1].Text())
				assert.Equal(t, llm.RoleUser, got[0].Role, "a window begins with a question")
				assert.LessOrEqual(t, len(got), max(size, 4), "the last turn is there whole, and nothing else over the limit")
			}
		}
	})
	t.Run("copies", func(t *testing.T) {
		m := open(t)
		ctx := t.Context()
		in := exchange(1)
		require.NoError(t, m.Append(ctx, "c_1", in...))
		in[0].Parts[0] = llm.Text{Text: "changed"}
		out, err := m.Load(ctx, "c_1", chat.Window{Tools: conversation.ToolFull})
		require.NoError(t, err)
		assert.Equal(t, "question 1", out[0].Text())
		out[0].Parts[0] = llm.Text{Text: "changed"}
		again, err := m.Load(ctx, "c_1", chat.Window{Tools: conversation.ToolFull})
		require.NoError(t, err)
		assert.Equal(t, "question 1", again[0].Text())
	})
	t.Run("clear", func(t *testing.T) {
		m := open(t)
		ctx := t.Context()
		require.NoError(t, m.Append(ctx, "c_1", exchange(1)...))
		require.NoError(t, m.Append(ctx, "c_2", exchange(2)...))
		require.NoError(t, m.Clear(ctx, "c_1"))
		require.NoError(t, m.Clear(ctx, "c_1"))
		gone, err := m.Load(ctx, "c_1", chat.Window{})
		require.NoError(t, err)
		assert.Empty(t, gone)
		kept, err := m.Load(ctx, "c_2", chat.Window{})
		require.NoError(t, err)
		assert.NotEmpty(t, kept)
	})
	t.Run("refuses", func(t *testing.T) {
		m := open(t)
		assert.ErrorIs(t, m.Append(t.Context(), "c_1", exchange(1)[:2]...), llm.ErrHistory, "a call without its result")
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := m.Load(ended, "c_1", chat.Window{})
		assert.ErrorIs(t, err, context.Canceled)
	})
	t.Run("side by side", func(t *testing.T) {
		m := open(t)
		var all sync.WaitGroup
		for n := range 8 {
			all.Go(func() {
				for range 5 {
					assert.NoError(t, m.Append(context.Background(), "c_1", exchange(n)...))
					got, err := m.Load(context.Background(), "c_1", chat.Window{Messages: 1000, Tools: conversation.ToolFull})
					assert.NoError(t, err)
					assert.NoError(t, llm.CheckHistory(got))
				}
			})
		}
		all.Wait()
		got, err := m.Load(t.Context(), "c_1", chat.Window{Messages: 1000, Tools: conversation.ToolFull})
		require.NoError(t, err)
		assert.Len(t, got, 8*5*4)
	})
}

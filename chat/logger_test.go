package chat_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/toolspec"
)

// What goes wrong in a tool is logged: to the client's logger, else to that of its
// telemetry.
func TestClientLogs(t *testing.T) {
	var own, theirs bytes.Buffer
	tel := &genai.Telemetry{Logger: slog.New(slog.NewTextHandler(&theirs, nil))}
	bad := textTool("bad", "")
	bad.do = func(context.Context, *toolspec.Call) (*toolspec.Result, error) { panic("oh") }
	for _, log := range []*slog.Logger{slog.New(slog.NewTextHandler(&own, nil)), nil} {
		c := newClient(t, chattest.NewModel(chattest.Call("bad", "{}"), chattest.Say("It failed.")), chat.ClientOptions{Tools: source{bad}, Telemetry: tel, Logger: log})
		_, err := c.Ask(t.Context(), "", "Try.", nil)
		require.NoError(t, err)
		if log != nil {
			assert.Contains(t, own.String(), "a tool panicked")
			assert.Empty(t, theirs.String())
		}
	}
	assert.Contains(t, theirs.String(), "a tool panicked")
}

package turntest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/toolspec"
)

// User is the principal that asks and decides in tests.
var User = toolspec.Principal{Subject: "ada", Via: "test"}

// NewClient returns a client. If opts.Tools is of type [Tools], the client may offer them
// although they hold no pass.
func NewClient(t testing.TB, m llm.Model, opts chat.ClientOptions) *chat.Client {
	t.Helper()
	if tools, ok := opts.Tools.(Tools); ok && opts.Uncertified == nil {
		opts.Uncertified = tools.names()
	}
	c, err := chat.NewClient(m, &opts)
	require.NoError(t, err)
	return c
}

// NewManager returns a tool calling manager.
func NewManager(t testing.TB, opts chat.ToolManagerOptions) chat.ToolCallingManager {
	t.Helper()
	m, err := chat.NewToolCallingManager(&opts)
	require.NoError(t, err)
	return m
}

// Turn asks a question and returns the events of the turn, whose order it checks.
func Turn(t testing.TB, c *chat.Client, conversation, question string, opts *chat.TurnOptions) ([]chat.Event, error) {
	t.Helper()
	return Run(t, c.Stream(t.Context(), conversation, llm.UserText(question), opts))
}

// Run reads a stream to its end and returns its events, whose order it checks. The events
// of a resumed turn are not checked: they are the second part of a turn.
func Run(t testing.TB, s chat.Stream) (events []chat.Event, failure error) {
	t.Helper()
	for ev, err := range s {
		if failure = err; err == nil {
			events = append(events, ev)
		}
	}
	if len(events) == 0 {
		return nil, failure
	}
	switch first, ok := events[0].(*chat.TurnStarted); {
	case !ok:
		require.NoError(t, chattest.CheckRound(events))
	case !first.Resumed:
		require.NoError(t, chattest.CheckEvents(events))
	}
	return events, failure
}

package advisor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/advisor"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/turntest"
)

func chain(t *testing.T, advisors ...advisor.Advisor) chat.Middleware {
	t.Helper()
	m, err := advisor.Chain(advisors...)
	require.NoError(t, err)
	return m
}

func client(t *testing.T, m llm.Model, opts chat.ClientOptions, advisors ...advisor.Advisor) *chat.Client {
	t.Helper()
	opts.Middleware = chain(t, advisors...)
	return turntest.NewClient(t, m, opts)
}

// ask runs a turn and returns its events, whose order it checks, and its response.
func ask(t *testing.T, c *chat.Client, conversation, question string, opts *chat.TurnOptions) ([]chat.Event, *chat.Response, error) {
	t.Helper()
	events, err := turntest.Turn(t, c, conversation, question, opts)
	return events, turntest.Response(events), err
}

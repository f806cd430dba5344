package advisor_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/advisor"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
)

// A secret is masked however the model splits it, and the message is equal to the stream.
func TestRedactMasksInTheMiddleOfAStream(t *testing.T) {
	const secret = "sk-0123456789abcdef"
	mask := func(s string) string { return strings.ReplaceAll(s, secret, "***") }
	long := strings.Repeat("words and more words ", 60)
	for _, size := range []int{1, 3, 7, 100, 5000} {
		for _, text := range []string{secret, "The key is " + secret + ".", long + secret + " " + long + secret, strings.Repeat("x", 3000) + secret + "é"} {
			var steps []chattest.Step
			for rest := text; rest != ""; {
				n := min(size, len(rest))
				for n < len(rest) && rest[n]&0xC0 == 0x80 {
					n++
				}
				steps = append(steps, chattest.One(llm.Delta{Kind: llm.DeltaText, Text: rest[:n]}))
				rest = rest[n:]
			}
			steps = append(steps, chattest.Finish(llm.FinishStop))
			chain, err := advisor.Chain(advisor.Redact(mask))
			require.NoError(t, err)
			client, err := chat.NewClient(chattest.NewModel(chattest.Steps(steps...)), &chat.ClientOptions{Middleware: chain})
			require.NoError(t, err)
			var shown strings.Builder
			var events []chat.Event
			for ev, err := range client.Stream(t.Context(), "", llm.UserText("q"), nil) {
				require.NoError(t, err)
				events = append(events, ev)
				switch e := ev.(type) {
				case *chat.TextDelta:
					shown.WriteString(e.Text)
				case *chat.MessageCompleted:
					assert.Equal(t, mask(text), e.Message.Text())
					assert.Equal(t, mask(text), e.Content)
				}
			}
			assert.Equal(t, mask(text), shown.String())
			require.NoError(t, chattest.CheckEvents(events))
		}
	}
}

func TestRedactWithoutFunctionFails(t *testing.T) {
	chain, err := advisor.Chain(advisor.Redact(nil))
	require.NoError(t, err)
	client, err := chat.NewClient(chattest.NewModel(chattest.Say("secret")), &chat.ClientOptions{Middleware: chain})
	require.NoError(t, err)
	_, err = client.Ask(t.Context(), "", "q", nil)
	assert.ErrorIs(t, err, llm.ErrInvalid)
}

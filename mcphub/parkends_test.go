package mcphub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/toolspec"
)

// A client that goes away while the resumed call runs has cancelled it, over each
// transport in its own way.
func TestResumedCallIsCancelled(t *testing.T) {
	for _, over := range []string{"http", "stdio", "in process"} {
		t.Run(over, func(t *testing.T) {
			leak.Check(t)
			resumed, ended := make(chan string, 1), make(chan error, 1)
			h := hubtest.NewHub(t, nil, talks(t, "ask", func(ctx context.Context, peer toolspec.Peer, text string) string {
				resumed <- elicits(ctx, peer, text)
				<-ctx.Done()
				ended <- ctx.Err()
				return ""
			}))
			who := &hubtest.Person{Answers: map[string]string{"elicitation/create": `{"action":"accept"}`}}
			s := hubtest.Front(t, h, over, who.Dial(hubtest.Newer))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error, 1)
			go func() {
				_, err := s.Call(ctx, "tools/call", json.RawMessage(`{"name":"ask","arguments":{"text":"1"}}`), &client.CallOptions{Rounds: 3})
				done <- err
			}()
			assert.Contains(t, <-resumed, "accept")
			cancel()
			require.ErrorIs(t, <-done, context.Canceled)
			require.ErrorIs(t, <-ended, context.Canceled)
		})
	}
}

// A call that is parked ends with the connection, where that is a pipe: nobody can
// call again. Over HTTP it waits for its client.
func TestParkedCallEndsWithItsPipe(t *testing.T) {
	ends := make(chan string, 2)
	inAskingHub(t, nil, tools(talker("ask", func(ctx context.Context, peer toolspec.Peer, text string) string {
		_ = elicits(ctx, peer, text)
		<-ctx.Done()
		ends <- fmt.Sprint(text, " ", ctx.Err())
		return ""
	})), func(l *askingHub) {
		pipe, end := l.overStdio()
		l.asked(l.begin(pipe, "ask", text1), "q1")
		l.asked(l.begin(l.client("ada"), "ask", `{"text":"2"}`), "q1")
		end()
		synctest.Wait()
		require.Len(t, ends, 1)
		assert.Equal(t, "1 context canceled", <-ends)
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		require.Len(t, ends, 1)
		assert.Contains(t, <-ends, "2 ")
	})
}

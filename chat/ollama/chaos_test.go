package ollama_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/ollama"
	"github.com/localpass/localpass/internal/leak"
)

// TestChaos runs 200 chats with a server that misbehaves at random: each turn ends with
// one terminal event and a valid history, and no goroutine is left.
func TestChaos(t *testing.T) {
	leak.Check(t)
	random := rand.New(rand.NewPCG(1, 2)) // the same faults each time
	var mu sync.Mutex
	luck := func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return random.IntN(n)
	}
	s := newServer(t, func(w http.ResponseWriter, r *http.Request, n int) {
		trouble := []func(http.ResponseWriter, *http.Request, int){
			says(hello, bye), says(call, bye), says(bye), says(hello), says(),
			cutOff("", hello), cutOff(`{"mess`, hello, call), cutOff(""),
			status(503, ""), status(429, `{"error":"slow down"}`, "Retry-After-Ms", "1"), status(500, "<html>"), status(404, `{"error":"model 'm' not found"}`),
			says(hello, "nonsense", bye), says(hello, `{"error":"out of memory"}`), says(call, call, bye),
			says(`{"message":{"tool_calls":[{"function":{"name":"getTime","arguments":"{zone: 'U"}},{"function":{"name":"rm"}}]},"done":true,"done_reason":"length"}`),
			func(w http.ResponseWriter, r *http.Request, _ int) { write(w, hello); <-r.Context().Done() },
			func(_ http.ResponseWriter, r *http.Request, _ int) { <-r.Context().Done() },
		}
		trouble[luck(len(trouble))](w, r, n)
	}, "tools", "thinking")
	m := modelOf(t, s, ollama.Options{})
	tools, _, _, _ := liveTools()
	client, err := chat.NewClient(m, &chat.ClientOptions{Tools: oneTool(tools), Uncertified: []string{"getTime"}, Retry: &llm.RetryPolicy{BaseDelay: time.Millisecond, MaxDelay: 2 * time.Millisecond},
		Policy: chat.TurnPolicy{FirstToken: 50 * time.Millisecond, Idle: 50 * time.Millisecond, SoftMaxRounds: 3}})
	assert.NoError(t, err)
	var wg sync.WaitGroup
	work := make(chan int)
	for range 8 {
		wg.Go(func() {
			for i := range work {
				ctx, cancel := context.WithCancel(t.Context())
				stopAt := -1
				if luck(4) == 0 {
					stopAt = luck(12)
				}
				var events []chat.Event
				question := fmt.Sprintf("question %d", i)
				c := chat.NewCollector()
				for ev, err := range client.Stream(ctx, "", llm.UserText(question), nil) {
					if err != nil {
						continue
					}
					c.Add(ev)
					if events = append(events, ev); len(events) == stopAt {
						cancel()
					}
				}
				cancel()
				assert.NoError(t, chattest.CheckEvents(events))
				ends := 0
				for _, ev := range events {
					if _, ok := ev.(*chat.TurnFinished); ok {
						ends++
					}
				}
				assert.Equal(t, 1, ends)
				assert.NoError(t, llm.CheckHistory(append([]llm.Message{llm.UserText(question)}, c.Response().Messages...)))
			}
		})
	}
	for i := range 200 {
		work <- i
	}
	close(work)
	wg.Wait()
}

// oneTool returns the first tool, whose calls are counted, with a lock.
func oneTool(tools toolList) toolList { return toolList{&lockedTool{liveTool: tools[0].(*liveTool)}} }

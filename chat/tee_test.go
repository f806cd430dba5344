package chat_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/localpass/localpass/chat"
	"github.com/stretchr/testify/require"
)

// Whoever reads on does not keep another reader from what is there for it already:
// a question that one of them shows is what the other waits for.
func TestTeeLetsTheSlowerReadWhatIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		source := func(yield func(chat.Event, error) bool) {
			if !yield(&chat.ApprovalRequired{CallID: "1"}, nil) {
				return
			}
			select { // the answer comes of whoever shows the question
			case <-answer:
			case <-time.After(time.Hour):
				t.Error("nobody saw the question")
			}
			yield(&chat.ApprovalResolved{CallID: "1"}, nil)
		}
		streams := chat.Tee(source, 3)
		counts := make(chan int, 2)
		go func() { // reads as fast as it can
			n := 0
			for range streams[0] {
				n++
			}
			counts <- n
		}()
		synctest.Wait()
		for range streams[2] { // breaking off does not wait either
			break
		}
		n := 0
		for ev := range streams[1] {
			if n++; ev.Type() == chat.EventApprovalRequired {
				close(answer)
			}
		}
		require.Equal(t, 2, n)
		require.Equal(t, 2, <-counts)
	})
}

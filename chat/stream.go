package chat

import "context"

// Item is one element of a stream in a channel.
type Item struct {
	Event Event
	Err   error
}

// ToChannel sends the elements of s to a channel, for code that needs select. The channel
// is closed after the last element. It runs s on a separate goroutine, which ends with s
// or soon after ctx: cancel ctx to break off s.
func ToChannel(ctx context.Context, s Stream) <-chan Item {
	out := make(chan Item)
	go func() {
		defer close(out)
		for event, err := range s {
			select {
			case out <- Item{event, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

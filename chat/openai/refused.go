package openai

import "sync"

// refusals remembers what a server refused.
type refusals struct {
	mu sync.Mutex
}

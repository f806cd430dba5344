package sandbox

import (
	"container/list"
	"sync"
)

// lru keeps the most recently used values, up to a number and a sum of costs. It is safe
// for concurrent use.
type lru[K comparable, V any] struct {
	mu      sync.Mutex
	entries map[K]*list.Element
	order   list.List // front: used last
	max     int
	room    int // cost that is still free
}

type lruEntry[K comparable, V any] struct {
	key   K
	value V
	cost  int
}

func newLRU[K comparable, V any](max, cost int) *lru[K, V] {
	return &lru[K, V]{entries: make(map[K]*list.Element), max: max, room: cost}
}

// get returns the value of key and marks it as used.
func (c *lru[K, V]) get(key K) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[key]
	if !ok {
		return v, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*lruEntry[K, V]).value, true
}

// put stores a value, replacing an existing one, and drops the least recently used values
// to make room.
func (c *lru[K, V]) put(key K, v V, cost int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[key]; ok {
		c.drop(e)
	}
	c.entries[key] = c.order.PushFront(&lruEntry[K, V]{key: key, value: v, cost: cost})
	c.room -= cost
	for c.order.Len() > 1 && (c.order.Len() > c.max || c.room < 0) {
		c.drop(c.order.Back())
	}
}

func (c *lru[K, V]) drop(e *list.Element) {
	entry := c.order.Remove(e).(*lruEntry[K, V])
	delete(c.entries, entry.key)
	c.room += entry.cost
}

package schema

import (
	"encoding/json"
	"sync"
)

// maxCached bounds how many schemas a cache keeps.
const maxCached = 512

// Cache keeps compiled schemas of objects by their text, because compiling a schema costs
// many times more than checking a value. The zero value is empty; it is safe for
// concurrent use.
type Cache struct {
	mu    sync.Mutex
	known map[string]*Schema
}

// Object is like CompileObject, but compiles each text only once. It does not keep
// schemas that fail to compile.
func (c *Cache) Object(raw json.RawMessage) (*Schema, error) {
	c.mu.Lock()
	s := c.known[string(raw)]
	c.mu.Unlock()
	if s != nil {
		return s, nil
	}
	s, err := CompileObject(raw)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = map[string]*Schema{}
	}
	for other := range c.known { // drop any one: tracking the least used is not worth the effort
		if len(c.known) < maxCached {
			break
		}
		delete(c.known, other)
	}
	c.known[string(raw)] = s
	return s, nil
}

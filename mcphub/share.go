package mcphub

import (
	"io"
	"net/http"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/localpass/localpass/toolspec"
)

// bodyShare is how many messages of the maximum size one principal may have in progress.
const bodyShare = 8

// bodyOwner distinguishes the clients that share the memory for messages: by
// principal, and without credentials by session.
type bodyOwner struct {
	principal toolspec.Principal
	session   string
}

// bodyOwnerOf returns the owner of a request's message. A session counts only if it
// belongs to the principal.
func (h *Hub) bodyOwnerOf(r *http.Request, who toolspec.Principal) bodyOwner {
	id := r.Header.Get(mcp.HeaderSessionID)
	if id == "" || who.Subject != "local" {
		return bodyOwner{principal: who}
	}
	s := h.sessions.find(id)
	if s == nil || s.principal != who {
		return bodyOwner{principal: who}
	}
	return bodyOwner{who, id}
}

// bodies counts the bytes of the messages that are currently read or answered.
type bodies struct {
	most int64 // maximum for one owner

	mu   sync.Mutex
	used map[bodyOwner]int64
}

// take adds n bytes, or returns false if that exceeds the limit.
func (b *bodies) take(who bodyOwner, n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.used[who] + n
	if now > b.most {
		return false
	}
	b.used[who] = now
	return true
}

func (b *bodies) give(who bodyOwner, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used[who] -= n; b.used[who] <= 0 {
		delete(b.used, who)
	}
}

// charge is the share of one request.
type charge struct {
	bodies *bodies
	who    bodyOwner
	n      int64
	over   bool // there was no room for more bytes
}

func (c *charge) add(n int64) bool {
	if c.over = c.over || !c.bodies.take(c.who, n); c.over {
		return false
	}
	c.n += n
	return true
}

func (c *charge) end() {
	if c.n > 0 {
		c.bodies.give(c.who, c.n)
	}
}

// counted is a body whose bytes are counted as they are read.
type counted struct {
	io.Reader
	charge *charge
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if n > 0 && !c.charge.add(int64(n)) {
		return 0, io.ErrShortBuffer
	}
	return n, err
}

// retryLater is the Retry-After, in seconds, of a request that found no room.
const retryLater = "1"

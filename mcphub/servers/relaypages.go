package servers

import (
	"sync"
	"time"

	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// pages are the pages that servers asked clients with a session to open, by the server's
// id of the page. Clients get ids made by the hub, so no server can refer to a page of
// another server.
type pages struct {
	spawn func(do func()) bool // runs what may take long

	mu   sync.Mutex
	open map[pageKey]page
}

type pageKey struct{ server, id string }

type page struct {
	until time.Time
	tell  func() // notifies the client that the page is done
}

const (
	// pageKept is how long a page is remembered, and pagesMost how many pages are.
	pageKept  = 10 * time.Minute
	pagesMost = 1_000
)

// add stores a page. If there are too many, the client is not notified about it.
func (p *pages) add(server, id string, tell func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if len(p.open) >= pagesMost {
		for key, old := range p.open {
			if now.After(old.until) {
				delete(p.open, key)
			}
		}
	}
	if len(p.open) >= pagesMost {
		return
	}
	if p.open == nil {
		p.open = map[pageKey]page{}
	}
	p.open[pageKey{server, id}] = page{now.Add(pageKept), tell}
}

// done notifies the client that a page is done, once.
func (p *pages) done(server string, params []byte) {
	id, _ := rpc.Text(rpc.Object(params)["elicitationId"])
	p.mu.Lock()
	key := pageKey{server, id}
	known, ok := p.open[key]
	delete(p.open, key)
	p.mu.Unlock()
	if ok && time.Now().Before(known.until) {
		known.tell()
	}
}

// page makes the id under which the client of this call knows a page of its server, and
// arranges that the client is notified when the page is done. A client of 2026-07-28 has
// no such ids and gets no notification.
func (r *relay) page(ask []byte) (id []byte) {
	p, ok := r.peer.(rpc.RawPeer)
	if !ok {
		return nil
	}
	c := p.Client()
	if !c.Session {
		return nil
	}
	id = rpc.AppendString(nil, clock.Clock{}.ID())
	theirs, ok := rpc.Text(rpc.Object(ask)["elicitationId"])
	if r.pages == nil || !ok {
		return id
	}
	frame := append(append([]byte(`{"jsonrpc":"2.0","method":"`+rpc.MethodPageDone+`","params":{"elicitationId":`), id...), "}}"...)
	r.pages.add(r.server, theirs, func() {
		if !r.feed.put(func() { _ = p.SendRaw(frame) }) && c.SendLater != nil { // the call has ended
			r.pages.spawn(func() { _ = c.SendLater(frame) })
		}
	})
	return id
}

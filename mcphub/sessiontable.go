package mcphub

import (
	"sync"
	"time"

	"github.com/localpass/localpass/toolspec"
)

// sessionTable holds the sessions over HTTP.
type sessionTable struct {
	most int           // maximum number of sessions
	idle time.Duration // how long a session may be idle before it ends

	mu     sync.Mutex // guards the fields below
	closed bool
	byID   map[string]*session
}

// find returns the session with an id; nil if there is none.
func (t *sessionTable) find(id string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[id]
}

// add puts a session in the table. If the table is full, another session is ended, if
// there is one that may be. It returns false if there is no room.
func (t *sessionTable) add(s *session) bool {
	t.mu.Lock()
	var gone *session
	if !t.closed && len(t.byID) >= t.most {
		gone = t.takeIdlest(s.principal)
	}
	ok := !t.closed && len(t.byID) < t.most
	if ok {
		if t.byID == nil {
			t.byID = map[string]*session{}
		}
		s.watchIdle(t.idle, func() { t.end(s) })
		t.byID[s.id] = s
	}
	t.mu.Unlock()
	if gone != nil {
		gone.end()
	}
	return ok
}

// takeIdlest removes a session from a full table: the most idle session of the principal
// with the most sessions, or of the newcomer if no principal has more. A session with a
// request in progress or an open stream stays. It returns nil if there is none to remove.
// t.mu must be held.
func (t *sessionTable) takeIdlest(newcomer toolspec.Principal) *session {
	count := map[toolspec.Principal]int{}
	most := newcomer
	for _, s := range t.byID {
		if count[s.principal]++; count[s.principal] > count[most] {
			most = s.principal
		}
	}
	var idlest *session
	var since time.Time
	for _, s := range t.byID {
		if s.principal != most {
			continue
		}
		if last, idle := s.idleSince(); idle && (idlest == nil || last.Before(since)) {
			idlest, since = s, last
		}
	}
	if idlest != nil {
		delete(t.byID, idlest.id)
	}
	return idlest
}

// end ends a session and removes it from the table.
func (t *sessionTable) end(s *session) {
	t.mu.Lock()
	delete(t.byID, s.id)
	t.mu.Unlock()
	s.end()
}

// close empties the table for good and returns its sessions, which the caller ends.
func (t *sessionTable) close() map[string]*session {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.byID
	t.closed, t.byID = true, nil
	return all
}

package mcphub

import (
	"sync"
	"time"

	"github.com/localpass/localpass/toolspec"
)

// sessionTable holds the sessions over HTTP.
type sessionTable struct {
	most int           // of them
	idle time.Duration // that one may be before it ends

	mu     sync.Mutex // guards what follows
	closed bool
	byID   map[string]*session
}

// find returns the session of an id; nil when there is none.
func (t *sessionTable) find(id string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[id]
}

// add puts a session in the table. In a full one another session ends for it,
// if there is one that may. false: there is no room.
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

// takeIdlest takes a session out of a full table: the idlest one of the principal
// that has most, or of the newcomer when none has more. A session in which a
// request is under way or a stream is open stays. It returns nil when there is
// none to take. t.mu must be held.
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

// end ends a session and takes it out of the table.
func (t *sessionTable) end(s *session) {
	t.mu.Lock()
	delete(t.byID, s.id)
	t.mu.Unlock()
	s.end()
}

// close empties the table for good and returns what was in it, to be ended.
func (t *sessionTable) close() map[string]*session {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.byID
	t.closed, t.byID = true, nil
	return all
}

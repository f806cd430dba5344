package mcphub

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/localpass/localpass/toolspec"
)

// The prefixes distinguish the states of parked calls, those of calls that may become
// tasks, and those of questions about approval, which have none.
const (
	parkPrefix     = "parked."
	taskParkPrefix = "task:"
)

func isParkState(state string) bool { return strings.HasPrefix(state, parkPrefix) }

// suspendedCalls are the calls of one kind that wait for their client to call again, by
// the state that the client has. A state is 256 random bits and says nothing: what it
// refers to is kept here, and it is valid once. So it can neither be forged, nor changed,
// nor used again.
type suspendedCalls[T any] struct {
	prefix string // of the states

	mu          sync.Mutex // guards what follows
	closed      bool
	byState     map[string]suspendedCall[T]
	byPrincipal map[toolspec.Principal]int
}

type suspendedCall[T any] struct {
	call     T
	identity callIdentity // what the request that brings the state must call
	timer    *time.Timer
}

// parkShare is the part of all places that one principal may take, as a divisor.
const parkShare = 4

// add gives a call that is to be suspended its state, unless there are too many. expire
// is called when its client does not come back within limit.
func (s *suspendedCalls[T]) add(call T, id callIdentity, most int, limit time.Duration, expire func()) (state string, err error) {
	var random [32]byte
	rand.Read(random[:]) // never fails
	state = s.prefix + base64.RawURLEncoding.EncodeToString(random[:])
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed: // the client cannot come back: the hub ends
		return state, nil
	case len(s.byState) >= most || s.byPrincipal[id.principal] >= max(1, most/parkShare):
		return "", fmt.Errorf("%w: too many calls wait for answers of their clients: try again later", errParked)
	case s.byState == nil:
		s.byState, s.byPrincipal = map[string]suspendedCall[T]{}, map[toolspec.Principal]int{}
	}
	s.byState[state] = suspendedCall[T]{call, id, time.AfterFunc(limit, func() {
		if _, waiting := s.take(state, id); waiting {
			expire()
		}
	})}
	s.byPrincipal[id.principal]++
	return state, nil
}

// errParked says that a question could not be put for want of room.
var errParked = errors.New("mcphub: the client cannot be asked")

// take uses a state up for a request that makes the call id. It uses nothing up when the
// state is not known, or is that of something else.
func (s *suspendedCalls[T]) take(state string, id callIdentity) (call T, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	suspended, ok := s.byState[state]
	if !ok || suspended.identity != id {
		return call, false
	}
	suspended.timer.Stop()
	delete(s.byState, state)
	if s.byPrincipal[id.principal]--; s.byPrincipal[id.principal] <= 0 {
		delete(s.byPrincipal, id.principal)
	}
	return suspended.call, true
}

// close forgets all states, and keeps no more.
func (s *suspendedCalls[T]) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, suspended := range s.byState {
		suspended.timer.Stop()
	}
	s.closed, s.byState, s.byPrincipal = true, nil, nil
}

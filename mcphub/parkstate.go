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

// The prefixes distinguish the states of parked calls and those of calls that may become
// tasks. States of questions about approval have no prefix.
const (
	parkPrefix     = "parked."
	taskParkPrefix = "task:"
)

func isParkState(state string) bool { return strings.HasPrefix(state, parkPrefix) }

// suspendedCalls are the calls of one kind that wait for their client to call again, by
// the state that the client holds. A state is 256 random bits without content: what it
// refers to is stored here, and it is valid once. So it cannot be forged, changed or
// reused.
type suspendedCalls[T any] struct {
	prefix string // of the states

	mu          sync.Mutex // guards the fields below
	closed      bool
	byState     map[string]suspendedCall[T]
	byPrincipal map[toolspec.Principal]int
}

type suspendedCall[T any] struct {
	call     T
	identity callIdentity // what the request with the state must call
	timer    *time.Timer
}

// parkShare is the divisor for the share of all places that one principal may take.
const parkShare = 4

// add returns the state for a call that is to be suspended, unless there are too many.
// expire is called if its client does not come back within limit.
func (s *suspendedCalls[T]) add(call T, id callIdentity, most int, limit time.Duration, expire func()) (state string, err error) {
	var random [32]byte
	rand.Read(random[:]) // never fails
	state = s.prefix + base64.RawURLEncoding.EncodeToString(random[:])
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed: // the client cannot come back because the hub is closing
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

// errParked reports that a question could not be asked because there was no room.
var errParked = errors.New("mcphub: the client cannot be asked")

// take consumes a state for a request that makes the call id. It consumes nothing if the
// state is unknown or belongs to another call.
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

// close drops all states and accepts no more.
func (s *suspendedCalls[T]) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, suspended := range s.byState {
		suspended.timer.Stop()
	}
	s.closed, s.byState, s.byPrincipal = true, nil, nil
}

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

// parkPrefix distinguishes the state of a parked call from that of a question
// about approval.
const parkPrefix = "parked."

func isParkState(state string) bool { return strings.HasPrefix(state, parkPrefix) }

// suspendedCalls are the calls that are parked, by the state that their client has. A
// state is 256 random bits and says nothing: what it refers to is kept here, and
// it is valid once. So it can neither be forged, nor changed, nor used again.
type suspendedCalls struct {
	mu          sync.Mutex
	byState     map[string]suspendedCall
	byPrincipal map[toolspec.Principal]int
}

// suspendedCall is a call whose client has to come back before its time is up.
type suspendedCall struct {
	call  *parkable
	timer *time.Timer
}

// parkShare is the part of all places that one principal may take, as a divisor.
const parkShare = 4

// add gives a call that is to be parked its state, unless there are too many. A call
// whose client does not come back within limit expires.
func (s *suspendedCalls) add(k *parkable, most int, limit time.Duration) (state string, err error) {
	var random [32]byte
	rand.Read(random[:]) // never fails
	state = parkPrefix + base64.RawURLEncoding.EncodeToString(random[:])
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.byState) >= most || s.byPrincipal[k.identity.principal] >= max(1, most/parkShare) {
		return "", fmt.Errorf("%w: too many calls wait for answers of their clients: try again later", errParked)
	}
	if s.byState == nil {
		s.byState, s.byPrincipal = map[string]suspendedCall{}, map[toolspec.Principal]int{}
	}
	s.byState[state] = suspendedCall{k, time.AfterFunc(limit, func() { s.expire(state) })}
	s.byPrincipal[k.identity.principal]++
	return state, nil
}

// errParked says that a question could not be put for want of room.
var errParked = errors.New("mcphub: the client cannot be asked")

// take uses a state up for a request. It returns nil, and uses nothing up, when
// the state is not known, or is that of something else.
func (s *suspendedCalls) take(state string, id callIdentity) *parkable {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.byState[state].call
	if k == nil || k.identity != id {
		return nil
	}
	s.remove(state)
	return k
}

// expire ends the call of a state, unless its client just came.
func (s *suspendedCalls) expire(state string) {
	s.mu.Lock()
	k := s.byState[state].call
	if k != nil {
		s.remove(state)
	}
	s.mu.Unlock()
	if k != nil {
		k.expire()
	}
}

// remove forgets a state. mu must be held.
func (s *suspendedCalls) remove(state string) {
	suspended := s.byState[state]
	suspended.timer.Stop()
	delete(s.byState, state)
	who := suspended.call.identity.principal
	if s.byPrincipal[who]--; s.byPrincipal[who] <= 0 {
		delete(s.byPrincipal, who)
	}
}

package mcphub

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// parkPrefix distinguishes the state of a parked call from that of a question
// about approval.
const parkPrefix = "parked."

func isParkState(state string) bool { return strings.HasPrefix(state, parkPrefix) }

// suspendedCalls are the calls that are parked, by the state that their client has. A
// state is 256 random bits and says nothing: what it refers to is kept here, and
// it is valid once. So it can neither be forged, nor changed, nor used again.
type suspendedCalls struct {
	mu      sync.Mutex
	byState map[string]*parkable
	byWho   map[any]int
}

// parkShare is the part of all places that one principal may take, as a divisor.
const parkShare = 4

// add gives a call that is to be parked its state, unless there are too many.
func (p *suspendedCalls) add(k *parkable, most int) (state string, err error) {
	var random [32]byte
	rand.Read(random[:]) // never fails
	state = parkPrefix + base64.RawURLEncoding.EncodeToString(random[:])
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.byState) >= most || p.byWho[k.bound.who] >= max(1, most/parkShare) {
		return "", fmt.Errorf("%w: too many calls wait for answers of their clients: try again later", errParked)
	}
	if p.byState == nil {
		p.byState, p.byWho = map[string]*parkable{}, map[any]int{}
	}
	p.byState[state] = k
	p.byWho[k.bound.who]++
	return state, nil
}

// errParked says that a question could not be put for want of room.
var errParked = errors.New("mcphub: the client cannot be asked")

// take uses a state up for a request. It returns nil, and uses nothing up, when
// the state is not known, or is that of something else.
func (p *suspendedCalls) take(state string, b binding) *parkable {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := p.byState[state]
	if k == nil || k.bound != b {
		return nil
	}
	p.remove(state, k)
	return k
}

// drop ends a state, and reports whether it was good.
func (p *suspendedCalls) drop(state string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := p.byState[state]
	if k != nil {
		p.remove(state, k)
	}
	return k != nil
}

// remove forgets a state. mu must be held.
func (p *suspendedCalls) remove(state string, k *parkable) {
	delete(p.byState, state)
	if p.byWho[k.bound.who]--; p.byWho[k.bound.who] <= 0 {
		delete(p.byWho, k.bound.who)
	}
}

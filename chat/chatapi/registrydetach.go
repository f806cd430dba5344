package chatapi

import (
	"time"

	"github.com/localpass/localpass/chat"
)

// addReader counts a reader that arrives.
func (t *liveTurn) addReader() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.readers++
	if t.grace != nil {
		t.grace.Stop()
		t.grace = nil
	}
	if !t.shutOff && isClosed(t.alone) {
		t.alone = make(chan struct{})
	}
}

// removeReader counts a reader that leaves. When the last one leaves, the grace period
// starts after which the turn has no reader.
func (t *liveTurn) removeReader() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.readers--
	t.slim()
	if t.readers > 0 || t.ended || t.how == DisconnectContinue || t.shutOff {
		return
	}
	t.grace = time.AfterFunc(t.turns.opts.Grace, t.left)
}

// left applies OnDisconnect to a turn without readers.
func (t *liveTurn) left() {
	t.mu.Lock()
	if t.readers > 0 || t.ended {
		t.mu.Unlock()
		return
	}
	stop := t.how == DisconnectStop
	if !stop && !isClosed(t.alone) {
		close(t.alone)
	}
	t.mu.Unlock()
	if stop {
		t.Stop(chat.CancelNow)
	}
}

// pauses is called at the beginning of a wait for the user: see approval.PauseOn.
func (t *liveTurn) pauses() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waits = true
	return t.alone
}

// shut ends a turn: a turn that waits for the user is paused, and shut returns true; any
// other turn is stopped.
func (t *liveTurn) shut() (waits bool) {
	t.mu.Lock()
	t.shutOff = true
	if t.grace != nil {
		t.grace.Stop()
	}
	if !isClosed(t.alone) {
		close(t.alone)
	}
	// A question that was sent counts, even if its wait has not started yet.
	waits = (t.waits || t.asked > 0) && !t.abandon
	t.mu.Unlock()
	if !waits {
		t.Stop(chat.CancelNow)
	}
	return waits
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

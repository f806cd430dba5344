package chatapi

import (
	"time"

	"github.com/localpass/localpass/chat"
)

// addReader counts a reader in.
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

// removeReader counts a reader out. When the last one leaves, the time begins after which
// the turn counts as left alone.
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

// left does what is to be done with a turn that has no reader.
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

// pauses is what a wait for a person asks at its beginning: see approval.PauseOn.
func (t *liveTurn) pauses() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waits = true
	return t.alone
}

// shut ends a turn: one that waits for a person is paused, which is true, any
// other stopped.
func (t *liveTurn) shut() (waits bool) {
	t.mu.Lock()
	t.shutOff = true
	if t.grace != nil {
		t.grace.Stop()
	}
	if !isClosed(t.alone) {
		close(t.alone)
	}
	// A question that was sent counts, though its wait may not have begun yet.
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

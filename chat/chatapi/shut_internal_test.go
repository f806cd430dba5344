package chatapi

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/chat"
)

// If the API closes after an approval request was sent and before its wait has begun, the
// turn is paused: stopping it would lose the request.
func TestShutBetweenTheRequestAndItsWait(t *testing.T) {
	lt := &liveTurn{turns: &turnRegistry{opts: TurnsOptions{MaxEvents: 10, MaxBytes: 1 << 20}}, how: DisconnectContinue, alone: make(chan struct{}), ended: false}
	lt.publish(&chat.ApprovalRequired{ApprovalID: "ap_1", CallID: "c1", Name: "wipe"})
	assert.True(t, lt.shut())
	select {
	case <-lt.pauses():
	default:
		t.Error("the wait that begins now must pause at once")
	}
}

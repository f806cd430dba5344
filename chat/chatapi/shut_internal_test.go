package chatapi

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/chat"
)

// A turn whose question was sent is paused when the API closes, though its wait has not
// begun yet: stopping it would lose the question.
func TestShutBetweenTheQuestionAndItsWait(t *testing.T) {
	lt := &liveTurn{turns: &turnRegistry{opts: TurnsOptions{MaxEvents: 10, MaxBytes: 1 << 20}}, how: DisconnectContinue, alone: make(chan struct{}), ended: false}
	lt.publish(&chat.ApprovalRequired{ApprovalID: "ap_1", CallID: "c1", Name: "wipe"})
	assert.True(t, lt.shut())
	select {
	case <-lt.pauses():
	default:
		t.Error("the wait that begins now must pause at once")
	}
}

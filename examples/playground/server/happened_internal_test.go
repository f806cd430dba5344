package server

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/approval/approvalapi"
	"github.com/localpass/localpass/toolspec"
)

// A question that is answered is told of once, also when its call ran so soon that
// nobody saw it answered and not used yet.
func TestAnsweredAndUsed(t *testing.T) {
	for name, states := range map[string][]approval.Status{
		"one after the other": {approval.StatusPending, approval.StatusDecided, approval.StatusUsed},
		"at once":             {approval.StatusPending, approval.StatusUsed},
		"twice":               {approval.StatusUsed, approval.StatusUsed},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := New(context.Background(), &Options{Home: t.TempDir()})
			require.NoError(t, err)
			for _, state := range states {
				s.answered(approvalapi.Event{Data: approval.View{ID: "ap_1", Tool: "wipe", Status: state, Outcome: approval.Approved, Level: toolspec.L4}})
			}
			list := s.activity.latest(keptCalls)
			require.Len(t, list, 1)
			assert.Equal(t, "wipe", list[0].Title)
			assert.Equal(t, "approved", list[0].Detail)
			require.Eventually(t, func() bool {
				rec, _, err := s.tour.read(t.Context())
				return err == nil && !rec.Dared.IsZero()
			}, time.Minute, time.Millisecond)
			require.NoError(t, s.Close())
		})
	}
}

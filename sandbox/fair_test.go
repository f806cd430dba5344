package sandbox_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/fair"
	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/toolspec"
)

// Twelve runs of one principal keep no other out.
func TestWorkersAreShared(t *testing.T) {
	eachTier(t, func(t *testing.T, tier toolspec.Tier) {
		running, release := make(chan struct{}, 12), make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			running <- struct{}{}
			<-release
		}))
		defer server.Close()
		address := server.Listener.Addr().String()
		s := newSandbox(t, &sandbox.Options{Tier: tier, Workers: 3, Network: &sandbox.NetworkOptions{OperatorHosts: []string{address}}})
		outcomes := make(chan error, 12)
		for range 12 {
			go func() {
				_, err := s.Run(fair.With(t.Context(), fair.Who{Key: "loop"}), networkRequest(`return (await fetch(base)).status`, address))
				outcomes <- err
			}()
		}
		<-running
		<-running
		for range 3 {
			out, err := s.Run(fair.With(t.Context(), fair.Who{Key: "other"}), request(`return 7`))
			require.NoError(t, err)
			assert.JSONEq(t, `7`, string(out.Result))
		}
		assert.Empty(t, running, "one worker is kept for others")
		close(release)
		for range 12 {
			require.NoError(t, <-outcomes)
		}
	})
}

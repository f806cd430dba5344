package catalog_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/testrun"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/catalog"
	"github.com/localpass/localpass/toolspec/studio"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	testrun.InMemory()
	os.Exit(m.Run())
}

// The whole catalogue earns its pass in worker processes, without a network,
// without keys, without a question to anybody, and without touching a file.
func TestCataloguePasses(t *testing.T) {
	noNetwork := func(context.Context, string, string) (net.Conn, error) {
		t.Error("a pass reached for the network")
		return nil, errors.New("no network")
	}
	workspace := filepath.Join(t.TempDir(), "workspace")
	box, err := sandbox.New(&sandbox.Options{
		Files:   &sandbox.FileOptions{Workspace: workspace},
		Network: &sandbox.NetworkOptions{Guard: &egress.Options{Dial: noNetwork}},
	})
	require.NoError(t, err)
	defer box.Close()
	pins, err := catalog.Pins()
	require.NoError(t, err)
	st, err := studio.New(t.Context(), box, memory.New(), &studio.Options{Strict: true, Pins: pins})
	require.NoError(t, err)

	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.NumCPU())
	for _, s := range specs(t) {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			report, err := st.Test(t.Context(), s, nil)
			if !assert.NoError(t, err, s.Name) {
				return
			}
			if !assert.True(t, report.OK, "%s: %v", s.Name, report.Err()) {
				return
			}
			assert.Empty(t, report.Problems, s.Name)
			assert.Equal(t, studio.IntegrityPristine, report.Integrity)
			assert.Equal(t, toolspec.TierIsolated, report.Receipt.Runtime.Tier, s.Name)
			assert.Equal(t, "localpass/goja", report.Receipt.Runtime.ID, s.Name)
			assert.Equal(t, len(s.Tests)+1, report.Receipt.Cases, s.Name)
			want := studio.StateActive
			if len(s.Placeholders()) > 0 {
				want = studio.StateMissingRequirements
			}
			assert.Equal(t, want, report.State, s.Name)
			status, err := st.Status(t.Context(), s)
			assert.NoError(t, err)
			assert.Equal(t, want, status.State, s.Name)
			if want == studio.StateActive {
				_, err := st.Publish(t.Context(), s)
				assert.NoError(t, err, s.Name)
			}
		})
	}
	group.Wait()
	_, err = os.Stat(workspace)
	assert.ErrorIs(t, err, os.ErrNotExist, "a pass wrote to the workspace")
}

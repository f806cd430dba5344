package servers_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/servers"
)

// A lease learns that its session is taken out of use, and the session is closed once
// the lease is released.
func TestLeaseEndsWithItsSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := (&hubtest.Fake{}).Offer("a")
		c := hubtest.Connections(t, hubtest.Fakes{"one": f}, nil)
		s, err := c.Server("one")
		require.NoError(t, err)
		assert.Nil(t, s.Current(), "there is no session, and none is opened")
		assert.Nil(t, s.Info())
		assert.Empty(t, f.Sessions())

		lease, err := c.Lease(t.Context(), "one")
		require.NoError(t, err)
		assert.Equal(t, s, lease.Server())
		assert.NotNil(t, s.Info())
		snapshot, err := lease.Snapshot(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"a"}, hubtest.ToolsOf(snapshot))
		second := s.Current()
		require.NotNil(t, second)
		assert.Same(t, lease.Session(), second.Session())
		second.Release()
		second.Release() // once more changes nothing
		require.NoError(t, lease.Context().Err())

		r, err := c.Get("one")
		require.NoError(t, err)
		r.Disabled = true
		_, err = c.Save(t.Context(), r)
		require.NoError(t, err)
		<-lease.Context().Done()
		synctest.Wait()
		assert.Len(t, f.Sessions(), 1, "a session that is leased stays open")
		lease.Release()
		synctest.Wait()
		assert.Empty(t, f.Sessions())
		require.NoError(t, c.Close())
		assert.Nil(t, s.Current())
	})
}

// A record that is saved under the id of a deleted one belongs to another server.
func TestServerIsNotItsSuccessor(t *testing.T) {
	c := hubtest.Connections(t, hubtest.Fakes{"one": &hubtest.Fake{}}, nil)
	before, err := c.Server("one")
	require.NoError(t, err)
	r, err := c.Get("one")
	require.NoError(t, err)
	r.TimeoutMS = 2500
	_, err = c.Save(t.Context(), r)
	require.NoError(t, err)
	changed, err := c.Server("one")
	require.NoError(t, err)
	assert.True(t, before == changed)
	assert.EqualValues(t, 2500, changed.Timeout().Milliseconds())
	assert.Equal(t, "one", changed.ID())

	require.NoError(t, c.Delete(t.Context(), "one"))
	_, err = c.Server("one")
	require.ErrorIs(t, err, servers.ErrNotFound)
	_, err = c.Save(t.Context(), hubtest.FakeRecord("one", "one"))
	require.NoError(t, err)
	anew, err := c.Server("one")
	require.NoError(t, err)
	assert.False(t, before == anew)
}

// There is one observer, until it stops; one without functions changes nothing.
func TestConnectionsHaveOneObserver(t *testing.T) {
	var failures atomic.Int64
	f := &hubtest.Fake{OnDial: func(context.Context, int) error { return errors.New("no") }}
	c := hubtest.Connections(t, hubtest.Fakes{"one": f}, nil)
	stop, err := c.Observe(servers.Observer{})
	require.NoError(t, err)
	require.Error(t, c.Connect(t.Context(), "one"))
	counting := servers.Observer{DialError: func(server string, err error) {
		assert.Equal(t, "one", server)
		assert.ErrorContains(t, err, "no")
		failures.Add(1)
	}}
	_, err = c.Observe(counting)
	require.ErrorContains(t, err, "an observer already")
	stop()
	stop, err = c.Observe(counting)
	require.NoError(t, err)
	require.Error(t, c.Connect(t.Context(), "one"))
	assert.EqualValues(t, 1, failures.Load())
	stop()
	stop() // once more stops nothing
	require.Error(t, c.Connect(t.Context(), "one"))
	assert.EqualValues(t, 1, failures.Load())
}

package servers_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec"
)

// Who connects finds what is served in keeping with it, also when the list came of
// the session's own first synchronization a moment ago.
func TestConnectWaitsUntilItIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := hubtest.Connections(t, hubtest.Fakes{"one": (&hubtest.Fake{}).Offer("a")}, nil)
		hold := make(chan struct{})
		let := sync.OnceFunc(func() { close(hold) })
		defer c.Watch(func() { <-hold })()
		defer let()
		lease, err := c.Lease(t.Context(), "one")
		require.NoError(t, err)
		synctest.Wait()
		require.Equal(t, []string{"a"}, hubtest.ToolsOf(c.Snapshot("one")))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, c.Connect(ctx, "one"), context.DeadlineExceeded)
		let()
		require.NoError(t, c.Connect(t.Context(), "one"))
		lease.Release()
		require.NoError(t, c.Close())
	})
}

// However many ask for a session at once, one is made; who gives up spoils it for
// nobody; a failure is not kept.
func TestConnectionsMakeOneSessionAtATime(t *testing.T) {
	leak.Check(t)
	var atOnce, most atomic.Int64
	f := &hubtest.Fake{OnDial: func(ctx context.Context, n int) error {
		most.Store(max(most.Load(), atOnce.Add(1)))
		defer atOnce.Add(-1)
		if n%7 == 0 {
			return hubtest.ConnError(client.ConnProtocol, true, client.ErrProtocol) // does not open the breaker five in a row
		}
		return nil
	}}
	c := hubtest.Connections(t, hubtest.Fakes{"one": f}, &servers.Options{MaxCalls: 400})
	var successes sync.Map
	for range 50 {
		var all sync.WaitGroup
		for range 200 {
			all.Go(func() {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if rand.IntN(4) == 0 {
					cancel()
				}
				lease, err := c.Lease(ctx, "one")
				if err != nil {
					return
				}
				successes.Store(lease.Session(), true)
				lease.Release()
			})
		}
		all.Wait()
		require.NoError(t, c.Stop(t.Context(), "one"))
	}
	n := int64(0)
	successes.Range(func(any, any) bool { n++; return true })
	assert.Equal(t, int64(1), most.Load(), "sessions that were made side by side")
	assert.LessOrEqual(t, n, f.Made.Load())
	s, err := c.Status("one")
	require.NoError(t, err)
	assert.Equal(t, f.Dials.Load(), int64(s.Generation), "every dial is a generation")
	assert.Empty(t, f.Sessions())
}

func TestConnectionsKeepASessionThatIsUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		f := (&hubtest.Fake{OnCall: func(ctx context.Context, method string, _ json.RawMessage) (json.RawMessage, error) {
			if method == "slow" {
				<-hang
				return json.RawMessage(`{}`), nil
			}
			return nil, nil
		}}).Offer("a")
		c := hubtest.Connections(t, hubtest.Fakes{"one": f}, &servers.Options{CallTimeout: 3 * time.Hour})
		require.NoError(t, c.Connect(t.Context(), "one"))
		ended := make(chan error)
		go func() {
			_, err := c.Call(t.Context(), "one", "slow", nil, nil)
			ended <- err
		}()
		time.Sleep(2 * time.Hour)
		assert.Equal(t, servers.StateConnected, hubtest.StateOf(t, c, "one"), "a call is under way")
		close(hang)
		require.NoError(t, <-ended)
		time.Sleep(29 * time.Minute)
		synctest.Wait()
		assert.Equal(t, servers.StateConnected, hubtest.StateOf(t, c, "one"))
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		assert.Equal(t, servers.StateIdle, hubtest.StateOf(t, c, "one"))
		assert.Empty(t, f.Sessions(), "it was closed")
		assert.Equal(t, []string{"a"}, hubtest.ToolsOf(c.Snapshot("one")), "what it offers is still known")

		_, err := c.Call(t.Context(), "one", "ping", nil, nil)
		require.NoError(t, err)
		assert.Equal(t, int64(2), f.Made.Load(), "a new one is made when it is needed")
		require.NoError(t, c.Close())
	})
}

func TestConnectionsLeaveAFailingServerAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var up atomic.Bool
		f := &hubtest.Fake{OnDial: func(context.Context, int) error {
			if up.Load() {
				return nil
			}
			return hubtest.Refused()
		}}
		c := hubtest.Connections(t, hubtest.Fakes{"one": f}, nil)
		begin := time.Now()
		for range 5 {
			_, err := c.Call(t.Context(), "one", "tools/call", json.RawMessage(`{"name":"x"}`), nil)
			require.ErrorIs(t, err, hubtest.ErrRefused)
			require.NoError(t, c.Stop(t.Context(), "one")) // no tries by itself
		}
		_, err := c.Call(t.Context(), "one", "tools/call", nil, nil)
		var open *servers.CircuitOpenError
		require.ErrorAs(t, err, &open)
		require.ErrorIs(t, err, servers.ErrCircuitOpen)
		assert.Equal(t, int64(5), f.Dials.Load(), "it fails fast")
		assert.Equal(t, 30*time.Second, open.RetryAt.Sub(begin))
		s, err := c.Status("one")
		require.NoError(t, err)
		assert.Equal(t, servers.StateCircuitOpen, s.State)
		assert.Equal(t, open.RetryAt, s.RetryAt)

		for _, wait := range []time.Duration{30, 60, 120, 240, 300, 300} { // doubles up to 5 min
			time.Sleep(wait*time.Second - time.Millisecond)
			before := f.Dials.Load()
			_, err = c.Call(t.Context(), "one", "x", nil, nil)
			require.ErrorIs(t, err, servers.ErrCircuitOpen)
			require.Equal(t, before, f.Dials.Load())
			time.Sleep(time.Millisecond)
			_, err = c.Call(t.Context(), "one", "x", nil, nil)
			require.Error(t, err)
			require.Equal(t, before+1, f.Dials.Load(), "one probe")
			require.NoError(t, c.Stop(t.Context(), "one"))
		}
		time.Sleep(5 * time.Minute)
		up.Store(true)
		_, err = c.Call(t.Context(), "one", "ping", nil, nil)
		require.NoError(t, err)
		assert.Equal(t, servers.StateConnected, hubtest.StateOf(t, c, "one"))
		require.NoError(t, c.Close())
	})
}

// A server that connects and then hangs trips the breaker too; a question shows
// whether it is back.
func TestConnectionsLeaveAHangingServerAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hangs atomic.Bool
		var calls atomic.Int64
		hangs.Store(true)
		f := &hubtest.Fake{OnCall: func(ctx context.Context, method string, _ json.RawMessage) (json.RawMessage, error) {
			if method == "x" {
				calls.Add(1)
			}
			if hangs.Load() {
				<-ctx.Done()
				return nil, hubtest.ConnError(client.ConnTimeout, true, ctx.Err())
			}
			return json.RawMessage(`{}`), nil
		}}
		c := hubtest.Connections(t, hubtest.Fakes{"one": f}, nil)
		for range 5 {
			begin := time.Now()
			_, err := c.Call(t.Context(), "one", "x", nil, nil)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Equal(t, 15*time.Second, time.Since(begin))
		}
		_, err := c.Call(t.Context(), "one", "x", nil, nil)
		require.ErrorIs(t, err, servers.ErrCircuitOpen)
		assert.Equal(t, servers.StateCircuitOpen, hubtest.StateOf(t, c, "one"))
		time.Sleep(31 * time.Second)
		_, err = c.Call(t.Context(), "one", "x", nil, nil)
		require.ErrorIs(t, err, context.DeadlineExceeded, "the probe")
		assert.Equal(t, int64(5), calls.Load(), "the call itself was not tried")
		hangs.Store(false)
		time.Sleep(61 * time.Second)
		_, err = c.Call(t.Context(), "one", "x", nil, nil)
		require.NoError(t, err)
		assert.Equal(t, servers.StateConnected, hubtest.StateOf(t, c, "one"))

		// A caller that gives up early is no failure of the server.
		hangs.Store(true)
		for range 20 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			_, err = c.Call(ctx, "one", "x", nil, nil)
			cancel()
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
		assert.Equal(t, servers.StateConnected, hubtest.StateOf(t, c, "one"))
		require.NoError(t, c.Close())
	})
}

func TestConnectionsReconnectALostServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := (&hubtest.Fake{}).Offer("a")
		c := hubtest.Connections(t, hubtest.Fakes{"one": f}, nil)
		require.NoError(t, c.Connect(t.Context(), "one"))
		f.Sessions()[0].Lose(hubtest.ConnError(client.ConnSessionLost, true, client.ErrSessionLost))
		synctest.Wait()
		s, err := c.Status("one")
		require.NoError(t, err)
		assert.Equal(t, servers.StateError, s.State)
		assert.False(t, s.RetryAt.IsZero())
		assert.NotEmpty(t, s.Error)
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, servers.StateConnected, hubtest.StateOf(t, c, "one"), "by itself")
		require.NoError(t, c.Stop(t.Context(), "one"))
		time.Sleep(time.Hour)
		assert.Equal(t, servers.StateIdle, hubtest.StateOf(t, c, "one"), "not after a stop")
		assert.Equal(t, int64(2), f.Made.Load())
		require.NoError(t, c.Close())
	})
}

func TestConnectionsStopRestartingAProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &hubtest.Fake{Kind: client.TransportStdio}
		c := hubtest.Connections(t, hubtest.Fakes{"one": f}, nil)
		require.NoError(t, c.Connect(t.Context(), "one"))
		for range 6 {
			synctest.Wait()
			f.Sessions()[0].Lose(hubtest.ConnError(client.ConnSessionLost, true, client.ErrSessionLost))
			time.Sleep(time.Minute)
			synctest.Wait()
		}
		assert.Equal(t, int64(6), f.Dials.Load(), "five restarts in ten minutes")
		assert.Equal(t, servers.StateCircuitOpen, hubtest.StateOf(t, c, "one"))
		_, err := c.Call(t.Context(), "one", "ping", nil, nil)
		require.ErrorIs(t, err, servers.ErrCircuitOpen)
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		assert.Equal(t, servers.StateConnected, hubtest.StateOf(t, c, "one"), "and one more when the ten minutes are over")
		require.NoError(t, c.Close())
	})
}

// What an old session learns late changes nothing in the new one.
func TestConnectionsGuardGenerations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		let := make(chan struct{})
		late := &hubtest.Fake{OnDial: func(context.Context, int) error { <-let; return nil }} // does not heed its context
		slow := make(chan struct{})
		first := (&hubtest.Fake{OnCall: func(_ context.Context, method string, _ json.RawMessage) (json.RawMessage, error) {
			if method == "slow" {
				<-slow
				return nil, hubtest.ConnError(client.ConnSessionLost, true, client.ErrSessionLost)
			}
			return nil, nil
		}}).Offer("old")
		second := (&hubtest.Fake{}).Offer("new")
		c := hubtest.Connections(t, hubtest.Fakes{"late": late, "first": first, "second": second}, nil)

		// A dial that comes back after the record was changed.
		ended := make(chan error)
		go func() { ended <- c.Connect(t.Context(), "late") }()
		synctest.Wait()
		assert.Equal(t, servers.StateConnecting, hubtest.StateOf(t, c, "late"))
		r, err := c.Get("late")
		require.NoError(t, err)
		r.Connection = json.RawMessage(`{"to":"second"}`)
		_, err = c.Save(t.Context(), r)
		require.NoError(t, err)
		require.ErrorContains(t, <-ended, "call again")
		synctest.Wait()
		assert.Equal(t, []string{"new"}, hubtest.ToolsOf(c.Snapshot("late")))
		close(let)
		synctest.Wait()
		assert.Equal(t, []string{"new"}, hubtest.ToolsOf(c.Snapshot("late")))
		assert.Empty(t, late.Sessions(), "what came late was closed")

		// A call that fails over the old way.
		require.NoError(t, c.Connect(t.Context(), "first"))
		go func() {
			_, err := c.Call(t.Context(), "first", "slow", nil, nil)
			ended <- err
		}()
		synctest.Wait()
		r, err = c.Get("first")
		require.NoError(t, err)
		r.Connection = json.RawMessage(`{"to":"second"}`)
		_, err = c.Save(t.Context(), r)
		require.NoError(t, err)
		synctest.Wait()
		assert.Equal(t, servers.StateConnected, hubtest.StateOf(t, c, "first"))
		assert.Len(t, first.Sessions(), 1, "a call is still under way on it")
		close(slow)
		require.Error(t, <-ended)
		synctest.Wait()
		assert.Empty(t, first.Sessions())
		assert.Equal(t, servers.StateConnected, hubtest.StateOf(t, c, "first"))
		assert.Equal(t, []string{"new"}, hubtest.ToolsOf(c.Snapshot("first")))
		require.NoError(t, c.Close())
	})
}

func TestConnectionsShutDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		let := make(chan struct{})
		f := &hubtest.Fake{OnCall: func(ctx context.Context, method string, _ json.RawMessage) (json.RawMessage, error) {
			select {
			case <-let:
				return json.RawMessage(`{"ok":true}`), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}}
		dead := &hubtest.Fake{OnDial: func(ctx context.Context, _ int) error { <-ctx.Done(); return ctx.Err() }}
		c := hubtest.Connections(t, hubtest.Fakes{"one": f, "dead": dead}, nil)
		results := make(chan error, 2)
		go func() {
			_, err := c.Call(t.Context(), "one", "x", nil, nil)
			results <- err
		}()
		go func() {
			_, err := c.Call(t.Context(), "dead", "x", nil, nil)
			assert.ErrorIs(t, err, toolspec.ErrClosed)
		}()
		synctest.Wait()
		down := make(chan error)
		go func() { down <- c.Shutdown(t.Context()) }()
		synctest.Wait()
		_, err := c.Call(t.Context(), "one", "x", nil, nil)
		require.ErrorIs(t, err, toolspec.ErrClosed, "nothing new")
		close(let)
		require.NoError(t, <-results, "what is under way finishes")
		require.NoError(t, <-down)
		assert.Empty(t, f.Sessions())
		_, err = c.Save(t.Context(), hubtest.FakeRecord("two", "one"))
		require.ErrorIs(t, err, toolspec.ErrClosed)
	})
	synctest.Test(t, func(t *testing.T) { // a call that does not end
		f := &hubtest.Fake{}
		c := hubtest.Connections(t, hubtest.Fakes{"one": f}, nil)
		lease, err := c.Lease(t.Context(), "one")
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		begin := time.Now()
		require.ErrorIs(t, c.Shutdown(ctx), context.DeadlineExceeded)
		assert.Equal(t, time.Minute, time.Since(begin))
		assert.Empty(t, f.Sessions())
		lease.Release()
		lease.Release()
	})
}

func TestConnectionsLimitTheCallsOfAServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		let := make(chan struct{})
		var running, most atomic.Int64
		f := &hubtest.Fake{OnCall: func(ctx context.Context, method string, _ json.RawMessage) (json.RawMessage, error) {
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			<-let
			return json.RawMessage(`{}`), nil
		}}
		c := hubtest.Connections(t, hubtest.Fakes{"one": f, "other": &hubtest.Fake{}}, &servers.Options{CallTimeout: time.Hour})
		results := make(chan error, 100)
		ask := func() { _, err := c.Call(t.Context(), "one", "x", nil, nil); results <- err }
		for range 8 + 64 {
			go ask()
		}
		synctest.Wait()
		s, err := c.Status("one")
		require.NoError(t, err)
		assert.Equal(t, []int{8, 64}, []int{s.Running, s.Waiting})
		ask()
		require.ErrorIs(t, <-results, servers.ErrOverloaded)
		_, err = c.Call(t.Context(), "other", "ping", nil, nil)
		require.NoError(t, err, "others do not feel it")
		time.Sleep(10 * time.Second)
		for range 64 {
			require.ErrorIs(t, <-results, servers.ErrOverloaded, "they waited in vain")
		}
		close(let)
		for range 8 {
			require.NoError(t, <-results)
		}
		assert.Equal(t, int64(8), most.Load())
		require.NoError(t, c.Close())
	})
}

func TestConnectionsLimitAllCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		let := make(chan struct{})
		slow := func() *hubtest.Fake {
			return &hubtest.Fake{OnCall: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
				<-let
				return json.RawMessage(`{}`), nil
			}}
		}
		c := hubtest.Connections(t, hubtest.Fakes{"one": slow(), "two": slow(), "three": &hubtest.Fake{}}, &servers.Options{MaxTotalCalls: 2, CallTimeout: time.Hour})
		results := make(chan error, 2)
		for _, id := range []string{"one", "two"} {
			go func() { _, err := c.Call(t.Context(), id, "x", nil, nil); results <- err }()
		}
		synctest.Wait()
		began := time.Now()
		_, err := c.Call(t.Context(), "three", "ping", nil, nil)
		require.ErrorIs(t, err, servers.ErrOverloaded)
		assert.Equal(t, 10*time.Second, time.Since(began))
		close(let)
		require.NoError(t, errors.Join(<-results, <-results))
		_, err = c.Call(t.Context(), "three", "ping", nil, nil)
		require.NoError(t, err, "there is room again")
		require.NoError(t, c.Close())
	})
}

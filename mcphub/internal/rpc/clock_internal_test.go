package rpc

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// anyKey puts a context between a clock and what hangs on it.
type anyKey struct{}

func TestCallClock(t *testing.T) {
	inBubble := func(name string, do func(t *testing.T)) {
		t.Run(name, func(t *testing.T) { synctest.Test(t, do) })
	}
	inBubble("ends like a deadline", func(t *testing.T) {
		c, stop := NewCallClock(t.Context(), time.Second, nil)
		defer stop()
		child, cancel := context.WithTimeout(context.WithValue(c, anyKey{}, 1), time.Second)
		defer cancel()
		require.NoError(t, c.Err())
		<-child.Done()
		synctest.Wait()
		assert.Equal(t, context.DeadlineExceeded, c.Err())
		assert.Equal(t, context.DeadlineExceeded, child.Err())
		assert.Equal(t, context.DeadlineExceeded, context.Cause(child))
	})
	inBubble("stands still", func(t *testing.T) {
		c, stop := NewCallClock(t.Context(), time.Second, nil)
		defer stop()
		child, cancel := context.WithTimeout(c, time.Second) // the same limit: left to the clock
		defer cancel()
		time.Sleep(900 * time.Millisecond)
		resume, again := c.Pause(), c.Pause()
		time.Sleep(time.Hour)
		until, _ := c.Deadline()
		assert.InDelta(t, 100*time.Millisecond, time.Until(until), float64(time.Microsecond))
		resume()
		time.Sleep(time.Hour)
		require.NoError(t, child.Err())
		again()
		time.Sleep(99 * time.Millisecond)
		synctest.Wait()
		require.NoError(t, child.Err())
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		assert.Equal(t, context.DeadlineExceeded, child.Err())
	})
	inBubble("stops those around it", func(t *testing.T) {
		outer, stopOuter := NewCallClock(t.Context(), 2*time.Second, nil)
		defer stopOuter()
		inner, stop := NewCallClock(context.WithValue(outer, anyKey{}, 1), time.Second, nil)
		defer stop()
		resume := inner.Pause()
		time.Sleep(time.Hour)
		resume()
		require.NoError(t, outer.Err())
		until, _ := inner.Deadline()
		assert.InDelta(t, time.Second, time.Until(until), float64(time.Microsecond))
		time.Sleep(1500 * time.Millisecond)
		synctest.Wait()
		assert.Equal(t, context.DeadlineExceeded, inner.Err())
		require.NoError(t, outer.Err())
		late, stopLate := NewCallClock(outer, time.Minute, nil)
		defer stopLate()
		until, _ = late.Deadline()
		assert.InDelta(t, 500*time.Millisecond, time.Until(until), float64(time.Microsecond), "that of the one around it")
	})
	inBubble("ends with its parent and by stop", func(t *testing.T) {
		why := errors.New("why")
		parent, cancel := context.WithCancelCause(t.Context())
		c, stop := NewCallClock(parent, time.Second, nil)
		resume := c.Pause()
		cancel(why)
		<-c.Done()
		assert.Equal(t, context.Canceled, c.Err())
		assert.Equal(t, why, context.Cause(c))
		stop()
		resume()
		time.Sleep(time.Minute)
		assert.Equal(t, context.Canceled, c.Err())

		dead, stop := NewCallClock(parent, time.Second, nil)
		defer stop()
		<-dead.Done()
		assert.Equal(t, context.Canceled, dead.Err())

		ended, stop := NewCallClock(t.Context(), time.Second, nil)
		stop()
		stop()
		assert.Equal(t, context.Canceled, ended.Err())
		time.Sleep(time.Minute)
		assert.Equal(t, context.Canceled, ended.Err())
	})
	var none *CallClock
	none.Pause()()
}

func TestRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sem := make(chan struct{}, 1)
		one, two := &Slot{sem: sem}, &Slot{sem: sem}
		require.True(t, one.Enter(t.Context()))
		c, stop := NewCallClock(t.Context(), time.Second, one)
		resume := c.Pause()
		require.True(t, two.Enter(t.Context()), "it is free while the other waits")
		back := make(chan struct{})
		go func() { resume(); close(back) }()
		synctest.Wait()
		select {
		case <-back:
			t.Error("it has no place and goes on")
		default:
		}
		two.Close()
		<-back
		assert.Len(t, sem, 1)

		// The end comes while it waits for its place.
		resume = c.Pause()
		two = &Slot{sem: sem}
		require.True(t, two.Enter(t.Context()))
		assert.Equal(t, 1, len(sem))
		go resume()
		synctest.Wait()
		one.Close()
		stop()
		two.Leave()
		synctest.Wait()
		assert.Empty(t, sem)

		// Who comes twice has one place.
		three := &Slot{sem: make(chan struct{}, 2)}
		require.True(t, three.Enter(t.Context()))
		require.True(t, three.Enter(t.Context()))
		assert.Len(t, three.sem, 1)
		three.Close()
		assert.False(t, three.Enter(t.Context()))
		assert.Empty(t, three.sem)
		full := &Slot{sem: make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		assert.False(t, full.Enter(ctx))
		var none *Slot
		assert.True(t, none.Enter(ctx))
		none.Leave()
		none.Close()
	})
}

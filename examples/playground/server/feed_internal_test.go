package server

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/httpapi"
)

func types(list []kept) (out []string) {
	for _, e := range list {
		out = append(out, e.Type)
	}
	return out
}

// Of events that only say "look again" at most ten a second go out, the latest
// last; others all.
func TestFeedCalm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFeed()
		for i := range 50 {
			f.send("tools", "tools.changed", i)
			f.send("approvals", "approval.pending", i)
		}
		list, gap, _ := f.after(0)
		assert.False(t, gap)
		assert.Len(t, list, 51)
		time.Sleep(calm)
		synctest.Wait()
		list, _, _ = f.after(51)
		assert.Equal(t, []string{"tools.changed"}, types(list))
		assert.Equal(t, 49, list[0].Data)

		f.send("tools", "tools.changed", 50)
		f.send("tools", "tools.changed", 51)
		f.shutdown()
		f.shutdown()
		f.send("tools", "tools.changed", 52)
		time.Sleep(time.Second)
		synctest.Wait()
		list, _, _ = f.after(52)
		assert.Equal(t, []string{"system.shutdown"}, types(list), "what waited is dropped at the end")
		<-f.done
		assert.Error(t, f.enter(""))
	})
}

// What is too old, or too much, is gone, and that is told.
func TestFeedGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFeed()
		for range keptEvents + 10 {
			f.send("runs", "run.console", nil)
		}
		list, gap, _ := f.after(5)
		assert.True(t, gap)
		assert.Len(t, list, keptEvents)
		_, gap, _ = f.after(10)
		assert.False(t, gap)
		time.Sleep(keptFor + time.Second)
		f.send("runs", "run.finished", nil)
		list, gap, _ = f.after(11)
		assert.True(t, gap)
		assert.Len(t, list, 1)
		f.shutdown()
		time.Sleep(time.Second)
	})
}

// A page whose stream stands late is told what happened since it began to load.
func TestFeedSince(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFeed()
		assert.Zero(t, f.since(time.Now()))
		f.send("approvals", "approval.pending", 1)
		time.Sleep(time.Second)
		began := time.Now()
		assert.EqualValues(t, 1, f.since(began))
		time.Sleep(time.Second)
		f.send("approvals", "approval.pending", 2)
		f.send("approvals", "approval.pending", 3)
		list, gap, _ := f.after(f.since(began))
		assert.False(t, gap)
		assert.Len(t, list, 2)
		assert.EqualValues(t, 3, f.since(time.Now()))
		f.shutdown()
		time.Sleep(time.Second)
	})
}

func TestFeedStreams(t *testing.T) {
	f := newFeed()
	for range maxStreams {
		require.NoError(t, f.enter(""))
	}
	var p *httpapi.Problem
	require.ErrorAs(t, f.enter("x"), &p)
	assert.Equal(t, http.StatusTooManyRequests, p.Status)
	for range maxStreams {
		f.streamClosed("")
	}
	for range maxOfClient {
		require.NoError(t, f.enter("x"))
	}
	assert.Error(t, f.enter("x"))
	assert.NoError(t, f.enter("y"))
	f.streamClosed("x")
	assert.NoError(t, f.enter("x"))
}

func TestActivityForgets(t *testing.T) {
	c := clients{}
	for range keptClients + 5 {
		c.came(Client{session: "s"})
	}
	assert.Len(t, c.list(time.Now()), keptClients)
	c.gone("s")
	assert.Empty(t, c.list(time.Now()))
}

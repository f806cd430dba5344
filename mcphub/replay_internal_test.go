package mcphub

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
)

// kept is a stream of the session that has begun.
func kept(t *testing.T, s *session) *httpStream {
	t.Helper()
	w := httptest.NewRecorder()
	stream := newHTTPStream(w, http.NewResponseController(w))
	stream.session = s
	require.NoError(t, stream.send([]byte(`{"a":1}`)))
	return stream
}

// What a session keeps of its streams is gone a minute after their end, and never
// more than a few of them.
func TestStreamsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSession("s", toolspec.Principal{})
		open := kept(t, s)
		for range replayStreams + 3 {
			kept(t, s).finish(200, []byte(`{}`))
		}
		remembered := func() int {
			s.streams.mu.Lock()
			defer s.streams.mu.Unlock()
			return len(s.streams.byID)
		}
		assert.Equal(t, replayStreams+1, remembered())
		time.Sleep(replayKept + time.Second)
		synctest.Wait()
		assert.Equal(t, 1, remembered(), "one has not ended")
		open.finish(200, []byte(`{}`))
		open.finish(200, []byte(`{}`))
		s.end()
		assert.Zero(t, remembered())
		w := httptest.NewRecorder()
		late := newHTTPStream(w, http.NewResponseController(w))
		late.session = s
		require.NoError(t, late.send([]byte(`{}`)))
		assert.Nil(t, late.replay, "a session that has ended keeps nothing")
		require.ErrorContains(t, late.detach(), "unsupported")
		kept(t, newSession("t", toolspec.Principal{})).finish(200, nil)
		time.Sleep(2 * replayKept)
	})
}

// A stream keeps what its bounds allow, the newest.
func TestReplayKeepsTheNewest(t *testing.T) {
	s := newSession("s", toolspec.Principal{})
	stream := kept(t, s)
	big := []byte(`"` + strings.Repeat("x", replayBytes/2) + `"`)
	for range 3 {
		require.NoError(t, stream.send(big))
	}
	assert.Len(t, stream.replay.events, 1)
	_, ok := stream.connect(httptest.NewRecorder(), 2)
	assert.False(t, ok)
	again := httptest.NewRecorder()
	gone, ok := stream.connect(again, 3)
	require.True(t, ok)
	require.NoError(t, stream.alive())
	assert.Contains(t, again.Body.String(), "id: 1_4\n")
	require.NoError(t, stream.detach())
	<-gone
	require.NoError(t, stream.detach(), "nobody is connected")
	stream.disconnect(gone)
	_, ok = stream.connect(httptest.NewRecorder(), 9)
	assert.False(t, ok)
	stream.finish(200, []byte(`{}`))
	require.ErrorContains(t, stream.detach(), "unsupported")
	require.ErrorIs(t, stream.send([]byte(`{}`)), errStreamEnded)
	require.ErrorIs(t, stream.alive(), errStreamEnded)

	cannot := kept(t, s) // a recorder's connection cannot be taken
	require.ErrorContains(t, cannot.detach(), "unsupported")
	require.NoError(t, cannot.send([]byte(`{}`)), "it goes on as it was")
}

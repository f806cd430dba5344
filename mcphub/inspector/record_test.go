package inspector_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/inspector"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// Secrets do not stay in records, and what is large does not stay at all.
func TestInspectorBounds(t *testing.T) {
	leak.Check(t)
	const hidden = "s3cr3t-value"
	peer := hubtest.FullPeer("2025-11-25", false).On("resources/read", mcphubtest.Oversize(300<<10)).
		On("prompts/get", mcphubtest.Reply(`{"messages":[],"said":"`+hidden+`"}`)).
		On("no/such", func(x *mcphubtest.Exchange) {
			x.Notify("notifications/message", `{"level":"error","data":{"message":"it was `+hidden+`"}}`)
			for range 600 {
				x.Notify("notifications/odd", `{"n":"`+strings.Repeat("x", 100)+`"}`)
			}
			x.Refuse(-32601, hidden, "")
		})
	tr, err := client.NewHTTP(client.HTTPConfig{URL: "http://peer.example/mcp", Headers: map[string]string{"X-Key": hidden}},
		&client.HTTPOptions{RoundTripper: mcphubtest.RoundTripper(peer)})
	require.NoError(t, err)
	i, _ := inspectorOfPeer(t, tr, nil)
	rec, err := i.GetPrompt(t.Context(), "peer", hidden, nil)
	did(t, rec, err)
	assert.Contains(t, string(rec.Result), "***")
	rec, err = i.Raw(t.Context(), "peer", "no/such", nil)
	didNot(t, "refused", rec, err)
	assert.LessOrEqual(t, len(rec.Wire), 64)
	assert.Equal(t, 602+1, len(rec.Wire)+rec.WireCut)
	rec, err = i.ReadResource(t.Context(), "peer", "x")
	assert.Greater(t, len(did(t, rec, err).Result), 300<<10, "whoever asked gets it whole")
	for range 120 {
		_, err := i.Ping(t.Context(), "peer")
		require.NoError(t, err)
	}
	_, err = i.Inspection("peer", rec.ID)
	require.ErrorIs(t, err, inspector.ErrNoInspection, "only the latest are kept")
	rec, err = i.ReadResource(t.Context(), "peer", "x")
	require.NoError(t, err)
	kept, err := i.Inspection("peer", rec.ID)
	require.NoError(t, err)
	assert.True(t, kept.Shortened)
	assert.Empty(t, kept.Result)
	history, err := i.History("peer")
	require.NoError(t, err)
	assert.Len(t, history, 100)
	notes, err := i.Notifications("peer")
	require.NoError(t, err)
	assert.Len(t, notes, 500)
	large := json.RawMessage(`{"filler":"` + strings.Repeat("x", 900<<10) + `"}`)
	for range 12 { // which can be sent again
		_, err := i.Raw(t.Context(), "peer", "prompts/get", large)
		require.NoError(t, err)
	}
	few, err := i.History("peer")
	require.NoError(t, err)
	assert.Less(t, len(few), 10)
	again, err := i.Replay(t.Context(), "peer", few[0].ID, toolspec.Principal{})
	did(t, again, err)
	assert.Len(t, again.Params, len(large))
	all, err := json.Marshal([]any{history, notes})
	require.NoError(t, err)
	assert.NotContains(t, string(all), hidden)
	require.NoError(t, i.ClearNotifications("peer"))
	notes, err = i.Notifications("peer")
	require.NoError(t, err)
	assert.Empty(t, notes)
}

// What is kept of a server goes with its record.
func TestInspectorForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &hubtest.Fake{}
		c, err := servers.New(memory.New(), &servers.Options{Kinds: hubtest.Fakes{"peer": f}.Kinds(t)})
		require.NoError(t, err)
		defer c.Close()
		save := func() {
			_, err := c.Save(t.Context(), hubtest.FakeRecord("peer", "peer"))
			require.NoError(t, err)
		}
		save()
		i, err := inspector.New(c, nil)
		require.NoError(t, err)
		rec, err := i.Ping(t.Context(), "peer")
		did(t, rec, err)
		var last error
		var seen []inspector.ServerNote
		done := make(chan struct{})
		go func() {
			defer close(done)
			for n, err := range i.Follow(t.Context(), "peer", nil) {
				if last = err; err == nil {
					seen = append(seen, n)
				}
			}
		}()
		synctest.Wait()
		f.Changed()
		synctest.Wait()
		require.NoError(t, c.Delete(t.Context(), "peer"))
		<-done
		require.ErrorIs(t, last, servers.ErrNotFound)
		require.Len(t, seen, 1)
		assert.Equal(t, inspector.NoteToolsChanged, seen[0].Kind)
		_, err = i.History("peer")
		require.ErrorIs(t, err, servers.ErrNotFound)
		save()
		history, err := i.History("peer")
		require.NoError(t, err)
		assert.Empty(t, history)

		// A follower that is slow misses the oldest, and is told how many.
		rec, err = i.Ping(t.Context(), "peer")
		did(t, rec, err)
		next := make(chan struct{})
		var lagged int
		go func() {
			for n, err := range i.Follow(t.Context(), "peer", nil) {
				if err != nil {
					last = err
					return
				}
				lagged += n.Lagged
				<-next
			}
		}()
		synctest.Wait()
		for range 300 {
			f.Changed()
			synctest.Wait()
		}
		close(next)
		synctest.Wait()
		assert.Equal(t, 300-256-1, lagged)
		require.NoError(t, c.Close())
		synctest.Wait()
		require.ErrorIs(t, last, toolspec.ErrClosed)
		require.NoError(t, i.Close())
		for _, err := range i.Follow(t.Context(), "peer", nil) {
			require.True(t, errors.Is(err, toolspec.ErrClosed))
		}
	})
}

// A server that nothing can be asked of now is told apart from one that failed.
func TestInspectorNotConnected(t *testing.T) {
	leak.Check(t)
	c := hubtest.Connections(t, hubtest.Fakes{"peer": &hubtest.Fake{}}, nil)
	i, err := inspector.New(c, nil)
	require.NoError(t, err)
	defer i.Close()
	r, err := c.Get("peer")
	require.NoError(t, err)
	r.Disabled = true
	_, err = c.Save(t.Context(), r)
	require.NoError(t, err)
	rec, err := i.Ping(t.Context(), "peer")
	didNot(t, "not-connected", rec, err)
	require.ErrorIs(t, rec.Error, servers.ErrDisabled)
}

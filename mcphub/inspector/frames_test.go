package inspector_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub/audit"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/inspector"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec"
)

// methods are what frames are about, with their direction.
func methods(list []inspector.Frame) (out []string) {
	for _, f := range list {
		word := "<"
		if f.Sent {
			word = ">"
		}
		out = append(out, word+f.Method)
	}
	return out
}

// Every message is kept, however it came about: how a session began, and what was
// asked over it.
func TestFrames(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			peer := hubtest.FullPeer(version, false)
			tr, err := client.NewHTTP(client.HTTPConfig{URL: "http://peer.example/mcp", Headers: map[string]string{"Authorization": "Bearer a-secret-token"}},
				&client.HTTPOptions{RoundTripper: mcphubtest.RoundTripper(peer)})
			require.NoError(t, err)
			i, c := inspectorOfPeer(t, tr, &inspector.Options{Frames: 1000})
			ctx := t.Context()
			require.NoError(t, c.Connect(ctx, "peer"))
			all, err := i.Frames("peer", 0, 0)
			require.NoError(t, err)
			first := ">initialize"
			if version >= "2026" {
				first = ">server/discover"
			}
			assert.Contains(t, methods(all), first)
			assert.Contains(t, methods(all), ">tools/list", "those of a synchronization, too")
			assert.EqualValues(t, 1, all[0].Session)
			last := all[len(all)-1].Seq

			did(t, must(i.CallTool(ctx, "peer", inspector.ToolTrial{Tool: "echo", Arguments: json.RawMessage(`{"say":"a-secret-token"}`)})), nil)
			news, err := i.Frames("peer", last, 1)
			require.NoError(t, err)
			require.Len(t, news, 1)
			call := news[0]
			assert.Equal(t, "tools/call", call.Method)
			assert.NotContains(t, call.Text, "a-secret-token")

			// Sent again it is a message of its own, and the old one stays.
			rec := did(t, must(i.ReplayFrame(ctx, "peer", call.Seq, toolspec.Principal{})), nil)
			assert.Equal(t, "tools/call", rec.Operation)
			same, err := i.Frame("peer", call.Seq)
			require.NoError(t, err)
			assert.Equal(t, call.Text, same.Text)
			var ours []uint64
			all, err = i.Frames("peer", 0, 0)
			require.NoError(t, err)
			for _, f := range all {
				if f.Method == "tools/call" {
					ours = append(ours, f.Seq)
				}
			}
			assert.Len(t, ours, 2)
			for _, f := range all {
				if f.Method == "initialize" {
					_, err = i.ReplayFrame(ctx, "peer", f.Seq, toolspec.Principal{})
					require.ErrorIs(t, err, inspector.ErrInvalidOperation, "it belongs to the session")
				}
			}
			_, err = i.ReplayFrame(ctx, "peer", call.Seq+1, toolspec.Principal{})
			require.ErrorIs(t, err, inspector.ErrInvalidOperation, "an answer is no request")
			_, err = i.ReplayFrame(ctx, "peer", 1<<40, toolspec.Principal{})
			require.ErrorIs(t, err, inspector.ErrNoInspection)
			_, err = i.Frames("nobody", 0, 0)
			require.ErrorIs(t, err, servers.ErrNotFound)
		})
	}
}

func must(rec *inspector.Inspection, err error) *inspector.Inspection {
	if err != nil {
		panic(err)
	}
	return rec
}

// The oldest go, those that are pinned stay.
func TestFramesAreBounded(t *testing.T) {
	peer := hubtest.FullPeer("2025-11-25", false)
	tr, err := client.NewHTTP(client.HTTPConfig{URL: "http://peer.example/mcp"}, &client.HTTPOptions{RoundTripper: mcphubtest.RoundTripper(peer)})
	require.NoError(t, err)
	i, c := inspectorOfPeer(t, tr, &inspector.Options{Frames: 20})
	ctx := t.Context()
	require.NoError(t, c.Connect(ctx, "peer"))
	all, err := i.Frames("peer", 0, 0)
	require.NoError(t, err)
	first := all[0].Seq
	pinned, err := i.PinFrame("peer", first, true)
	require.NoError(t, err)
	assert.True(t, pinned.Pinned)
	for range 30 {
		_, err := i.Ping(ctx, "peer")
		require.NoError(t, err)
	}
	all, err = i.Frames("peer", 0, 0)
	require.NoError(t, err)
	assert.Len(t, all, 21)
	assert.Equal(t, first, all[0].Seq)
	tail, err := i.Frames("peer", 0, 5)
	require.NoError(t, err)
	assert.Equal(t, all[len(all)-5:], tail)
	_, err = i.PinFrame("peer", first, false)
	require.NoError(t, err)
	_, err = i.Ping(ctx, "peer")
	require.NoError(t, err)
	_, err = i.Frame("peer", first)
	require.ErrorIs(t, err, inspector.ErrNoInspection)
	_, err = i.PinFrame("peer", first, true)
	require.ErrorIs(t, err, inspector.ErrNoInspection)
}

// Who follows is told of what is there, of what comes, and of the end.
func TestFollowFrames(t *testing.T) {
	peer := hubtest.FullPeer("2025-11-25", false)
	tr, err := client.NewHTTP(client.HTTPConfig{URL: "http://peer.example/mcp"}, &client.HTTPOptions{RoundTripper: mcphubtest.RoundTripper(peer)})
	require.NoError(t, err)
	i, c := inspectorOfPeer(t, tr, &inspector.Options{Frames: 100})
	ctx := t.Context()
	require.NoError(t, c.Connect(ctx, "peer"))
	seen, ended := make(chan inspector.Frame, 1000), make(chan error, 1)
	go func() {
		for f, err := range i.FollowFrames(ctx, "peer", 0) {
			if err != nil {
				ended <- err
				return
			}
			seen <- f
		}
	}()
	assert.Equal(t, "server/discover", (<-seen).Method, "it is asked first what it is")
	_, err = i.Ping(ctx, "peer")
	require.NoError(t, err)
	for (<-seen).Method != "ping" {
	}
	require.NoError(t, c.Delete(ctx, "peer"))
	require.ErrorIs(t, <-ended, servers.ErrNotFound)
	_, err = c.Save(ctx, hubtest.FakeRecord("peer", "peer"))
	require.NoError(t, err)
	all, err := i.Frames("peer", 0, 0)
	require.NoError(t, err)
	assert.Empty(t, all, "a record that is made anew begins with nothing")
	require.NoError(t, c.Connect(ctx, "peer"))
	over, cancel := context.WithCancel(ctx)
	cancel()
	for _, err := range i.FollowFrames(over, "peer", 0) {
		require.ErrorIs(t, err, context.Canceled)
	}
}

// Whoever follows a record is not given the messages of another one that has its id.
func TestFollowFramesOfRecordMadeAnew(t *testing.T) {
	peer := hubtest.FullPeer("2025-11-25", false)
	tr, err := client.NewHTTP(client.HTTPConfig{URL: "http://peer.example/mcp"}, &client.HTTPOptions{RoundTripper: mcphubtest.RoundTripper(peer)})
	require.NoError(t, err)
	i, c := inspectorOfPeer(t, tr, &inspector.Options{Frames: 100})
	ctx := t.Context()
	require.NoError(t, c.Connect(ctx, "peer"))
	last := error(nil)
	for f, err := range i.FollowFrames(ctx, "peer", 0) {
		last = err
		if f.Seq == 1 {
			require.NoError(t, c.Delete(ctx, "peer"))
			_, err := c.Save(ctx, hubtest.FakeRecord("peer", "peer"))
			require.NoError(t, err)
			require.NoError(t, c.Connect(ctx, "peer"))
		}
	}
	require.ErrorIs(t, last, servers.ErrNotFound)
	all, err := i.Frames("peer", 0, 0)
	require.NoError(t, err)
	for _, f := range all {
		assert.EqualValues(t, 1, f.Session)
	}
}

// That no session came about is kept, too, and a result that may not be seen is not.
func TestFramesOfFailures(t *testing.T) {
	i, c := inspectorOfPeer(t, &hubtest.Fake{OnDial: func(context.Context, int) error { return errors.New("no way there") }}, &inspector.Options{Frames: 10})
	require.Error(t, c.Connect(t.Context(), "peer"))
	all, err := i.Frames("peer", 0, 0)
	require.NoError(t, err)
	require.NotEmpty(t, all)
	assert.Contains(t, all[0].Failure, "no way there")

	peer := hubtest.FullPeer("2025-11-25", false)
	tr, err := client.NewHTTP(client.HTTPConfig{URL: "http://peer.example/mcp"}, &client.HTTPOptions{RoundTripper: mcphubtest.RoundTripper(peer)})
	require.NoError(t, err)
	i, _ = inspectorOfPeer(t, tr, &inspector.Options{Frames: 100, Audit: brokenAudit{}})
	didNot(t, "audit", must(i.CallTool(t.Context(), "peer", inspector.ToolTrial{Tool: "echo", Arguments: json.RawMessage(`{}`)})), nil)
	all, err = i.Frames("peer", 0, 0)
	require.NoError(t, err)
	assert.NotContains(t, methods(all), ">tools/call")
}

type brokenAudit struct{}

func (brokenAudit) Audit(context.Context, *audit.Record) error {
	return errors.New("the disk is full")
}

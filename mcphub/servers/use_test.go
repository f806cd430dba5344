package servers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

func TestConnectionsTellWhatIsMissing(t *testing.T) {
	peer := mcphubtest.NewPeer(nil)
	refuse := mcphubtest.NewPeer(nil).On("*", mcphubtest.Unauthorized(`Bearer scope="files"`))
	c := hubtest.Connections(t, hubtest.Fakes{"open": peer.Transport(client.TransportHTTP), "closed": refuse.Transport(client.TransportHTTP)}, nil)
	_, err := c.Save(t.Context(), servers.Record{ID: "bare", Kind: "http",
		Connection: json.RawMessage(`{"url":"http://127.0.0.1:1/mcp","headers":{"Authorization":"Bearer ${SOME_TOKEN}"}}`)})
	require.NoError(t, err)
	require.ErrorIs(t, c.Connect(t.Context(), "bare"), client.ErrMissingConfig)
	s, err := c.Status("bare")
	require.NoError(t, err)
	assert.Equal(t, servers.StateMissingConfig, s.State)
	assert.Equal(t, []string{"SOME_TOKEN"}, s.Missing)

	require.ErrorIs(t, c.Connect(t.Context(), "closed"), client.ErrAuthorizationRequired)
	s, err = c.Status("closed")
	require.NoError(t, err)
	assert.Equal(t, servers.StateAwaitingAuthorization, s.State)
	assert.Equal(t, []string{`Bearer scope="files"`}, s.Challenges)
	assert.True(t, s.RetryAt.IsZero(), "a person has to see to it")

	// A session whose credentials are not taken any more.
	peer.On("tools/list", mcphubtest.Reply(`{"resultType":"complete","tools":[]}`))
	require.NoError(t, c.Connect(t.Context(), "open"))
	peer.On("tools/call", mcphubtest.Unauthorized(`Bearer`))
	_, err = c.Call(t.Context(), "open", "tools/call", json.RawMessage(`{"name":"x"}`), nil)
	require.ErrorIs(t, err, client.ErrAuthorizationRequired)
	assert.Equal(t, servers.StateAwaitingAuthorization, hubtest.StateOf(t, c, "open"))
	peer.On("tools/call", mcphubtest.Reply(`{"resultType":"complete","content":[]}`))
	require.NoError(t, c.Connect(t.Context(), "open"))
	assert.Equal(t, servers.StateConnected, hubtest.StateOf(t, c, "open"))

	require.ErrorIs(t, c.Connect(t.Context(), "nobody"), servers.ErrNotFound)
}

func TestConnectionsTest(t *testing.T) {
	leak.Check(t)
	good := (&hubtest.Fake{}).Offer("a", "b")
	bad := &hubtest.Fake{OnDial: func(context.Context, int) error { return hubtest.Refused() }}
	c := hubtest.Connections(t, hubtest.Fakes{"good": good, "bad": bad}, nil)
	report, err := c.Test(t.Context(), hubtest.FakeRecord("unsaved", "good"))
	require.NoError(t, err)
	assert.True(t, report.OK)
	assert.Equal(t, 2, report.Tools)
	assert.Empty(t, good.Sessions(), "it is thrown away")
	assert.Equal(t, servers.StateIdle, hubtest.StateOf(t, c, "good"))
	_, err = c.Get("unsaved")
	require.ErrorIs(t, err, servers.ErrNotFound)

	report, err = c.Test(t.Context(), hubtest.FakeRecord("unsaved", "bad"))
	require.NoError(t, err)
	assert.False(t, report.OK)
	assert.Contains(t, report.Error, "refused")
	_, err = c.Test(t.Context(), servers.Record{ID: "a b"})
	require.ErrorContains(t, err, "cannot be the id")
	require.NoError(t, c.Close())
}

func TestConnectionsPing(t *testing.T) {
	f := &hubtest.Fake{}
	c := hubtest.Connections(t, hubtest.Fakes{"one": f}, nil)
	require.ErrorIs(t, c.Ping(t.Context(), "one"), client.ErrSessionClosed)
	require.NoError(t, c.Connect(t.Context(), "one"))
	require.NoError(t, c.Ping(t.Context(), "one"))
	assert.Equal(t, int64(1), f.Made.Load())
}

func TestConnectAll(t *testing.T) {
	f := hubtest.Fakes{"a": (&hubtest.Fake{}).Offer("x"), "b": &hubtest.Fake{OnDial: func(context.Context, int) error { return hubtest.Refused() }}, "c": &hubtest.Fake{}}
	c := hubtest.Connections(t, f, nil)
	r, err := c.Get("c")
	require.NoError(t, err)
	r.Disabled = true
	_, err = c.Save(t.Context(), r)
	require.NoError(t, err)
	require.ErrorIs(t, c.ConnectAll(t.Context()), hubtest.ErrRefused)
	assert.Equal(t, servers.StateConnected, hubtest.StateOf(t, c, "a"))
	assert.Equal(t, servers.StateIdle, hubtest.StateOf(t, c, "c"))
	require.ErrorIs(t, c.Connect(t.Context(), "c"), servers.ErrDisabled)
}

func TestConnectionsCustomize(t *testing.T) {
	f := &hubtest.Fake{}
	var log []string
	c := hubtest.Connections(t, hubtest.Fakes{"one": f}, &servers.Options{Dial: client.DialOptions{Client: client.Identity{Name: "app"}},
		Customize: []func(servers.Record, *client.DialOptions) error{
			func(r servers.Record, o *client.DialOptions) error {
				log = append(log, r.ID+" "+o.Client.Name)
				o.Client.Name = "other"
				return nil
			},
			func(_ servers.Record, o *client.DialOptions) error {
				log = append(log, o.Client.Name)
				if len(log) > 2 {
					return errors.New("not today")
				}
				return nil
			}}})
	require.NoError(t, c.Connect(t.Context(), "one"))
	assert.Equal(t, "other", f.Sessions()[0].Opts.Client.Name)
	require.NoError(t, c.Stop(t.Context(), "one"))
	require.ErrorContains(t, c.Connect(t.Context(), "one"), "not today")
	assert.Equal(t, []string{"one app - one", "other", "one app - one", "other"}, log)
}

func TestConnectionsRecords(t *testing.T) {
	store := memory.New()
	f := hubtest.Fakes{"a": (&hubtest.Fake{}).Offer("x"), "b": &hubtest.Fake{}}
	open := func() *servers.Connections {
		c, err := servers.New(store, &servers.Options{Kinds: f.Kinds(t)})
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	c := open()
	r := hubtest.FakeRecord("My.Server", "a")
	r.Extra = map[string]json.RawMessage{"x-note": json.RawMessage(`{"keep":[1,2.50]}`)}
	saved, err := c.Save(t.Context(), r)
	require.NoError(t, err)
	require.Positive(t, saved.Version)

	_, err = c.Save(t.Context(), r) // as a new one again
	var conflict *servers.ConflictError
	require.ErrorAs(t, err, &conflict)
	require.ErrorIs(t, err, localpass.ErrConflict)
	assert.Equal(t, saved.Version, conflict.Current.Version)

	other := open() // another program
	theirs := saved
	theirs.Description = "Theirs."
	theirs, err = other.Save(t.Context(), theirs)
	require.NoError(t, err)
	saved.Description = "Ours."
	_, err = c.Save(t.Context(), saved)
	require.ErrorAs(t, err, &conflict)
	assert.Equal(t, "Theirs.", conflict.Current.Description)
	got, err := c.Get("My.Server")
	require.NoError(t, err)
	assert.Equal(t, theirs.Version, got.Version)
	assert.JSONEq(t, `{"keep":[1,2.50]}`, string(got.Extra["x-note"]), "what is not known survives")

	// What one program does the other sees.
	require.NoError(t, other.Delete(t.Context(), "My.Server"))
	require.Eventually(t, func() bool { _, err := c.Get("My.Server"); return errors.Is(err, servers.ErrNotFound) }, hubtest.Patience, time.Millisecond)
	require.ErrorIs(t, c.Delete(t.Context(), "My.Server"), servers.ErrNotFound)
	_, err = other.Save(t.Context(), hubtest.FakeRecord("late", "b"))
	require.NoError(t, err)
	require.Eventually(t, func() bool { _, err := c.Get("late"); return err == nil }, hubtest.Patience, time.Millisecond)

	// A record that cannot be read hides no other.
	for key, data := range map[string]string{"broken": `{"id":"other","connection":{}}`, "list": `[]`, "twice": `{"id":"twice","id":"twice"}`} {
		_, err = store.Put(t.Context(), "servers", key, localpass.Document{Version: localpass.AnyVersion, Data: json.RawMessage(data)})
		require.NoError(t, err)
	}
	third := open()
	assert.Len(t, third.Unreadable(), 3)
	assert.Len(t, third.List(), 1)
	for _, bad := range []servers.Record{{}, {ID: "a/b"}, {ID: "x", Connection: json.RawMessage(`[]`)}, hubtest.FakeRecord("x", "nothing"),
		{ID: "x", Kind: "none", Connection: json.RawMessage(`{}`)}, {ID: "x", Name: string(make([]byte, 256))}} {
		_, err = c.Save(t.Context(), bad)
		require.Error(t, err, "%+v", bad)
	}
}

func TestConnectionsEvents(t *testing.T) {
	f := (&hubtest.Fake{}).Offer("a")
	c := hubtest.Connections(t, hubtest.Fakes{"one": f}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last uint64
	var kinds []string
	for e, err := range c.Events(ctx, nil) {
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
			break
		}
		if e.Kind == servers.EventSnapshot {
			require.Empty(t, kinds, "it comes first")
			require.Len(t, e.Servers, 1)
			last = e.Seq
			kinds = append(kinds, string(e.Kind))
			go func() { _ = c.Connect(ctx, "one") }()
			continue
		}
		require.Equal(t, last+1, e.Seq)
		last = e.Seq
		kinds = append(kinds, fmt.Sprint(e.Kind, " ", e.Status.State, " ", e.Status.Sync))
		if e.Kind == servers.EventCapabilities {
			require.Equal(t, []string{"a"}, e.Diff.Tools.Added)
			require.Equal(t, 1, e.Status.Tools)
			cancel()
		}
	}
	assert.Equal(t, []string{"snapshot", "connection_change CONNECTING NEVER_SYNCED", "connection_change CONNECTED NEVER_SYNCED",
		"status_update CONNECTED SYNCING", "capabilities_synced CONNECTED SYNCED"}, kinds)

	// Who comes back gets what was missed.
	seen := 0
	for e, err := range c.Events(t.Context(), &servers.EventOptions{After: last - 2}) {
		require.NoError(t, err)
		require.NotEqual(t, servers.EventSnapshot, e.Kind)
		if seen++; e.Seq == last {
			break
		}
	}
	assert.Equal(t, 2, seen)

	// Who is slow gets the latest only, and keeps nobody waiting.
	count := 0
	for e, err := range c.Events(t.Context(), nil) {
		require.NoError(t, err)
		if count++; count == 1 {
			for range 200 {
				require.NoError(t, c.Sync(t.Context(), "one"))
			}
			continue
		}
		require.Equal(t, servers.EventSnapshot, e.Kind)
		assert.Equal(t, 400, e.Lagged)
		break
	}
	go func() { _ = c.Close() }()
	var err error
	for _, err = range c.Events(t.Context(), nil) {
	}
	require.ErrorIs(t, err, toolspec.ErrClosed)
}

// What only reads is tried again; a tool is not, unless it certainly did not run.
func TestConnectionsTryAgain(t *testing.T) {
	lost := func(sent bool) error {
		return hubtest.ConnError(client.ConnSessionLost, sent, client.ErrSessionLost)
	}
	for name, test := range map[string]struct {
		method string
		errs   []error
		calls  int
		ok     bool
	}{
		"read, refused twice":       {"resources/read", []error{hubtest.Refused(), hubtest.Refused()}, 3, true},
		"read, refused for good":    {"resources/read", []error{hubtest.Refused(), hubtest.Refused(), hubtest.Refused(), hubtest.Refused()}, 3, false},
		"read, server error":        {"prompts/get", []error{hubtest.ConnError(client.ConnServer, true, hubtest.ErrRefused)}, 2, true},
		"read, busy":                {"prompts/get", []error{&client.ConnError{Class: client.ConnBusy, RetryAfter: 5 * time.Second, Err: client.ErrBusy}}, 2, true},
		"read, too slow":            {"prompts/get", []error{hubtest.ConnError(client.ConnTimeout, true, context.DeadlineExceeded)}, 1, false},
		"read, session lost":        {"prompts/get", []error{lost(true)}, 2, true},
		"read, session lost twice":  {"prompts/get", []error{lost(true), lost(true)}, 2, false},
		"tool, refused":             {"tools/call", []error{hubtest.Refused()}, 1, false},
		"tool, busy":                {"tools/call", []error{hubtest.ConnError(client.ConnBusy, true, client.ErrBusy)}, 1, false},
		"tool, session lost":        {"tools/call", []error{lost(true)}, 1, false},
		"tool, lost before sending": {"tools/call", []error{lost(false)}, 2, true},
		"read, invalid":             {"prompts/get", []error{&client.RPCError{Code: -32602}}, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := 0
				f := &hubtest.Fake{OnCall: func(_ context.Context, method string, _ json.RawMessage) (json.RawMessage, error) {
					if method != test.method {
						return nil, nil
					}
					if n++; n <= len(test.errs) {
						return nil, test.errs[n-1]
					}
					return json.RawMessage(`{}`), nil
				}}
				c := hubtest.Connections(t, hubtest.Fakes{"one": f}, nil)
				begin := time.Now()
				_, err := c.Call(t.Context(), "one", test.method, nil, nil)
				assert.Equal(t, test.ok, err == nil, "%v", err)
				assert.Equal(t, test.calls, n)
				var busy *client.ConnError
				if test.ok && errors.As(test.errs[0], &busy) && busy.RetryAfter > 0 {
					assert.Equal(t, busy.RetryAfter, time.Since(begin))
				}
				require.NoError(t, c.Close())
			})
		})
	}
}

package inspector_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/inspector"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec"
)

// inspectorOfPeer makes an inspector of one server, "peer".
func inspectorOfPeer(t testing.TB, tr client.Transport, opts *inspector.Options) (*inspector.Inspector, *servers.Connections) {
	t.Helper()
	c := hubtest.Connections(t, hubtest.Fakes{"peer": tr}, nil)
	i, err := inspector.New(c, opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, i.Close()) })
	return i, c
}

// did checks the record of an operation that succeeded.
func did(t testing.TB, rec *inspector.Inspection, err error) *inspector.Inspection {
	t.Helper()
	require.NoError(t, err)
	if rec.Error != nil {
		require.Fail(t, "the operation failed", "%s: %v", rec.Operation, rec.Error)
	}
	require.True(t, rec.OK)
	assert.Equal(t, "peer", rec.Server)
	assert.NotEmpty(t, rec.ID)
	assert.NotEmpty(t, rec.At)
	assert.GreaterOrEqual(t, rec.Elapsed, time.Duration(0))
	return rec
}

// didNot checks the record of one that did not.
func didNot(t testing.TB, kind string, rec *inspector.Inspection, err error) *inspector.Inspection {
	t.Helper()
	require.NoError(t, err)
	require.False(t, rec.OK)
	require.NotNil(t, rec.Error)
	require.Equal(t, kind, rec.Error.Kind, rec.Error.Message)
	return rec
}

// passed are the messages of a record, as wireLog gives them.
func passed(rec *inspector.Inspection) []string {
	log := hubtest.WireLog{All: rec.Wire}
	return log.Lines()
}

// Every operation, over every transport and in both eras.
func TestInspectorOperations(t *testing.T) {
	for _, test := range []struct {
		name    string
		kind    client.TransportKind
		version string
	}{
		{"http, session", client.TransportHTTP, "2025-11-25"}, {"http, stateless", client.TransportHTTP, "2026-07-28"},
		{"stdio, session", client.TransportStdio, "2025-11-25"}, {"stdio, stateless", client.TransportStdio, "2026-07-28"},
		{"sse", client.TransportSSE, "2025-06-18"},
	} {
		t.Run(test.name, func(t *testing.T) {
			leak.Check(t)
			ctx := t.Context()
			modern := test.version >= "2026"
			peer := hubtest.FullPeer(test.version, test.kind == client.TransportSSE)
			i, c := inspectorOfPeer(t, peer.Transport(test.kind), &inspector.Options{Answers: hubtest.Everybody})

			rec, err := i.Discover(ctx, "peer")
			did(t, rec, err)
			var found struct {
				ProtocolVersion, Era, Instructions string
				ServerInfo                         client.Identity
				Capabilities, Raw                  map[string]any
			}
			require.NoError(t, json.Unmarshal(rec.Result, &found))
			assert.Equal(t, test.version, found.ProtocolVersion)
			assert.Equal(t, "peer", found.ServerInfo.Name)
			assert.Equal(t, "Ask away.", found.Instructions)
			assert.Contains(t, found.Capabilities, "completions")
			assert.NotEmpty(t, found.Raw)
			assert.Equal(t, map[bool]string{true: "stateless", false: "session"}[modern], found.Era)

			rec, err = i.Ping(ctx, "peer")
			did(t, rec, err)
			assert.Equal(t, map[bool][]string{true: {"> server/discover", "< response"}, false: {"> ping", "< response"}}[modern], passed(rec))

			for _, list := range []struct {
				read func(context.Context, string, string) (*inspector.Inspection, error)
				want string
			}{{i.ListTools, "echo"}, {i.ListResources, "demo:///a"}, {i.ListTemplates, "demo:///{id}"}, {i.ListPrompts, "greet"}} {
				rec, err := list.read(ctx, "peer", "")
				assert.Contains(t, string(did(t, rec, err).Result), list.want)
				assert.Len(t, rec.Wire, 2)
				rec, err = list.read(ctx, "peer", "2")
				assert.NotContains(t, string(did(t, rec, err).Result), list.want)
				assert.JSONEq(t, `{"cursor":"2"}`, string(rec.Params))
			}
			rec, err = i.ReadResource(ctx, "peer", "demo:///a")
			assert.Contains(t, string(did(t, rec, err).Result), `"text":"A"`)
			rec, err = i.ReadResource(ctx, "peer", "demo:///none")
			didNot(t, "refused", rec, err)
			assert.Equal(t, map[bool]int{true: -32602, false: -32002}[modern], rec.Error.Code)
			assert.Len(t, rec.Wire, 2, "a refusal is seen as it came")
			rec, err = i.GetPrompt(ctx, "peer", "greet", map[string]string{"who": "me"})
			did(t, rec, err)
			assert.JSONEq(t, `{"name":"greet","arguments":{"who":"me"}}`, string(rec.Params))
			rec, err = i.Complete(ctx, "peer", inspector.CompletionTrial{Prompt: "greet", Argument: "who", Value: "o", Given: map[string]string{"a": "b"}})
			assert.Contains(t, string(did(t, rec, err).Result), "other")
			assert.JSONEq(t, `{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":"o"},"context":{"arguments":{"a":"b"}}}`, string(rec.Params))
			rec, err = i.Complete(ctx, "peer", inspector.CompletionTrial{Template: "demo:///{id}", Argument: "id"})
			did(t, rec, err)

			rec, err = i.SetLogLevel(ctx, "peer", "debug")
			did(t, rec, err)
			if modern {
				assert.Empty(t, rec.Wire)
			} else {
				assert.Len(t, rec.Wire, 2)
			}
			level, err := i.LogLevel("peer")
			require.NoError(t, err)
			assert.Equal(t, "debug", level)

			rec, err = i.CallTool(ctx, "peer", inspector.ToolTrial{Tool: "echo", Arguments: json.RawMessage(`{"big":12345678901234567890}`)})
			did(t, rec, err)
			assert.Contains(t, string(rec.Result), `12345678901234567890`)
			want := []string{"> tools/call", "< notifications/message", "< response"}
			if test.kind != client.TransportHTTP {
				want = []string{"> tools/call", "< response"} // nothing says what a notification belongs to
			}
			assert.Equal(t, want, passed(rec))
			if modern {
				assert.Contains(t, rec.Wire[0].Text, `"io.modelcontextprotocol/logLevel":"debug"`)
			}
			notes, err := i.Notifications("peer")
			require.NoError(t, err)
			require.Len(t, notes, 1)
			assert.Equal(t, inspector.NoteLogging, notes[0].Kind)
			assert.Equal(t, "info", notes[0].Level)
			assert.Equal(t, "peer", notes[0].Logger)
			assert.Equal(t, 240, len([]rune(notes[0].Summary)))
			rec, err = i.CallTool(ctx, "peer", inspector.ToolTrial{Tool: "fail"})
			didNot(t, "tool", rec, err)
			assert.Contains(t, string(rec.Result), "broken")
			rec, err = i.CallTool(ctx, "peer", inspector.ToolTrial{Tool: "none"})
			didNot(t, "refused", rec, err)

			rec, err = i.Raw(ctx, "peer", "prompts/get", json.RawMessage(`{"name":"x","extra":[1]}`))
			did(t, rec, err)
			again, err := i.Replay(ctx, "peer", rec.ID, toolspec.Principal{})
			did(t, again, err)
			assert.NotEqual(t, rec.ID, again.ID)
			assert.Equal(t, rec.Params, again.Params)
			rec, err = i.Raw(ctx, "peer", "no/such", nil)
			didNot(t, "refused", rec, err)
			assert.Equal(t, -32601, rec.Error.Code)
			rec, err = i.Raw(ctx, "peer", "tools/call", json.RawMessage(`{"name":"fail"}`))
			didNot(t, "tool", rec, err)
			again, err = i.Replay(ctx, "peer", rec.ID, toolspec.Principal{})
			didNot(t, "tool", again, err)
			rec, err = i.Raw(ctx, "peer", "notifications/custom", json.RawMessage(`{"a":1}`))
			did(t, rec, err)
			assert.Equal(t, []string{"> notifications/custom"}, passed(rec))
			again, err = i.Replay(ctx, "peer", rec.ID, toolspec.Principal{})
			did(t, again, err)

			report, err := i.Check(ctx, "peer")
			require.NoError(t, err)
			assert.True(t, report.OK, "%+v", report.Rows)
			for _, row := range report.Rows {
				assert.Equal(t, inspector.CheckPass, row.Status, row)
			}

			all, err := i.History("peer")
			require.NoError(t, err)
			assert.Equal(t, "check", all[0].Operation)
			assert.Equal(t, "discover", all[len(all)-1].Operation)
			_, err = i.Replay(ctx, "peer", all[0].ID, toolspec.Principal{})
			require.ErrorIs(t, err, inspector.ErrInvalidOperation)
			require.NoError(t, i.Close())
			require.NoError(t, c.Close())
		})
	}
}

// What cannot be begun is an error, and leaves no record.
func TestInspectorRefuses(t *testing.T) {
	leak.Check(t)
	ctx := t.Context()
	i, c := inspectorOfPeer(t, hubtest.FullPeer("2025-11-25", false).Transport(client.TransportHTTP), nil)
	_, err := inspector.New(c, nil)
	require.Error(t, err, "there is one already")
	_, err = inspector.New(nil, nil)
	require.Error(t, err)
	for name, do := range map[string]func() (*inspector.Inspection, error){
		"params":        func() (*inspector.Inspection, error) { return i.Raw(ctx, "peer", "x", json.RawMessage(`[1]`)) },
		"broken params": func() (*inspector.Inspection, error) { return i.Raw(ctx, "peer", "x", json.RawMessage(`{"a":}`)) },
		"no method":     func() (*inspector.Inspection, error) { return i.Raw(ctx, "peer", "", nil) },
		"initialize":    func() (*inspector.Inspection, error) { return i.Raw(ctx, "peer", "initialize", nil) },
		"cancelled":     func() (*inspector.Inspection, error) { return i.Raw(ctx, "peer", "notifications/cancelled", nil) },
		"notify params": func() (*inspector.Inspection, error) {
			return i.Notify(ctx, "peer", "notifications/x", json.RawMessage(`1`))
		},
		"notify nothing": func() (*inspector.Inspection, error) { return i.Notify(ctx, "peer", "", nil) },
		"arguments": func() (*inspector.Inspection, error) {
			return i.CallTool(ctx, "peer", inspector.ToolTrial{Tool: "x", Arguments: json.RawMessage(`7`)})
		},
		"no tool": func() (*inspector.Inspection, error) {
			return i.CallTool(ctx, "peer", inspector.ToolTrial{})
		},
		"no uri":    func() (*inspector.Inspection, error) { return i.ReadResource(ctx, "peer", "") },
		"no prompt": func() (*inspector.Inspection, error) { return i.GetPrompt(ctx, "peer", "", nil) },
		"no completion": func() (*inspector.Inspection, error) {
			return i.Complete(ctx, "peer", inspector.CompletionTrial{Argument: "x"})
		},
		"level": func() (*inspector.Inspection, error) { return i.SetLogLevel(ctx, "peer", "loud") },
		"root": func() (*inspector.Inspection, error) {
			return i.AddRoot(ctx, "peer", toolspec.Root{URI: "http://x/"})
		},
		"no root":        func() (*inspector.Inspection, error) { return i.RemoveRoot(ctx, "peer", "file:///x") },
		"no subscribing": func() (*inspector.Inspection, error) { return i.Subscribe(ctx, "peer", "") },
	} {
		t.Run(name, func(t *testing.T) {
			_, err := do()
			require.ErrorIs(t, err, inspector.ErrInvalidOperation)
		})
	}
	for name, do := range map[string]func() (*inspector.Inspection, error){
		"discover": func() (*inspector.Inspection, error) { return i.Discover(ctx, "none") },
		"tools":    func() (*inspector.Inspection, error) { return i.ListTools(ctx, "none", "") },
		"call": func() (*inspector.Inspection, error) {
			return i.CallTool(ctx, "none", inspector.ToolTrial{Tool: "x"})
		},
		"ping":  func() (*inspector.Inspection, error) { return i.Ping(ctx, "none") },
		"level": func() (*inspector.Inspection, error) { return i.SetLogLevel(ctx, "none", "info") },
		"root": func() (*inspector.Inspection, error) {
			return i.AddRoot(ctx, "none", toolspec.Root{URI: "file:///x"})
		},
		"subscribe": func() (*inspector.Inspection, error) { return i.Subscribe(ctx, "none", "x") },
		"leave":     func() (*inspector.Inspection, error) { return i.Unsubscribe(ctx, "none", "x") },
		"replay":    func() (*inspector.Inspection, error) { return i.Replay(ctx, "none", "x", toolspec.Principal{}) },
		"check":     func() (*inspector.Inspection, error) { _, err := i.Check(ctx, "none"); return nil, err },
	} {
		t.Run("no server, "+name, func(t *testing.T) {
			_, err := do()
			require.ErrorIs(t, err, servers.ErrNotFound)
		})
	}
	_, err = i.Replay(ctx, "peer", "none", toolspec.Principal{})
	require.ErrorIs(t, err, inspector.ErrNoInspection)
	list, err := i.History("peer")
	require.NoError(t, err)
	assert.Empty(t, list)
	require.NoError(t, i.Close())
	_, err = i.Ping(ctx, "peer")
	require.ErrorIs(t, err, toolspec.ErrClosed)
	again, err := inspector.New(c, nil)
	require.NoError(t, err)
	require.NoError(t, again.Close())
}

// A server that cannot be reached, does not answer or talks nonsense is a record.
func TestInspectorFailures(t *testing.T) {
	leak.Check(t)
	down := &hubtest.Fake{OnDial: func(context.Context, int) error { return hubtest.Refused() }}
	i, _ := inspectorOfPeer(t, down, nil)
	for _, do := range []func(context.Context, string) (*inspector.Inspection, error){i.Discover, i.Ping,
		func(ctx context.Context, s string) (*inspector.Inspection, error) {
			return i.SetLogLevel(ctx, s, "info")
		},
		func(ctx context.Context, s string) (*inspector.Inspection, error) {
			return i.Notify(ctx, s, "notifications/x", nil)
		},
		func(ctx context.Context, s string) (*inspector.Inspection, error) {
			return i.Subscribe(ctx, s, "x")
		}} {
		rec, err := do(t.Context(), "peer")
		require.NoError(t, err)
		require.False(t, rec.OK)
		assert.Contains(t, []string{"transport", "not-connected"}, rec.Error.Kind)
		assert.NotEmpty(t, rec.Error.Error())
	}
	report, err := i.Check(t.Context(), "peer")
	require.NoError(t, err)
	assert.False(t, report.OK)

	peer := hubtest.FullPeer("2025-11-25", false).On("ping", mcphubtest.Hang()).On("prompts/get", mcphubtest.Garbage())
	j, _ := inspectorOfPeer(t, peer.Transport(client.TransportHTTP), &inspector.Options{CallTimeout: 50 * time.Millisecond})
	rec, err := j.Ping(t.Context(), "peer")
	didNot(t, "timeout", rec, err)
	require.ErrorIs(t, rec.Error, context.DeadlineExceeded)
	k, _ := inspectorOfPeer(t, peer.Transport(client.TransportHTTP), nil)
	rec, err = k.GetPrompt(t.Context(), "peer", "x", nil)
	didNot(t, "protocol", rec, err)
	assert.Len(t, rec.Wire, 2, "nonsense is shown too")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rec, err = k.Ping(ctx, "peer")
	didNot(t, "cancelled", rec, err)
}

package inspector_test

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/internal/smoke/peer"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/inspector"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// inspectorOf makes an inspector of a server that is reached as the record says.
func inspectorOf(t testing.TB, kind client.TransportKind, connection string) (*inspector.Inspector, *servers.Connections) {
	t.Helper()
	c, err := servers.New(memory.New(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	_, err = c.Save(t.Context(), servers.Record{ID: "peer", Kind: kind, Connection: json.RawMessage(connection)})
	require.NoError(t, err)
	i, err := inspector.New(c, &inspector.Options{Answers: hubtest.Everybody})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, i.Close()) })
	return i, c
}

func quoted(s string) string {
	raw, _ := json.Marshal(s) // a string always marshals
	return string(raw)
}

// A hub and a server made with mcp-go, each in its own process.
func TestInspectorPeers(t *testing.T) {
	leak.Check(t)
	for _, as := range []string{"hub", "mcpgo"} {
		for name, way := range map[string]func() (client.TransportKind, string){
			"stdio": func() (client.TransportKind, string) {
				return client.TransportStdio, `{"command":` + quoted(peer.Program(t)) + `,"args":["-as","` + as + `"]}`
			},
			"http": func() (client.TransportKind, string) {
				return client.TransportHTTP, `{"url":"` + hubtest.OnHTTP(t, as) + `/mcp"}`
			},
		} {
			t.Run(as+" "+name, func(t *testing.T) {
				kind, connection := way()
				i, c := inspectorOf(t, kind, connection)
				rec, err := i.Discover(t.Context(), "peer")
				did(t, rec, err)
				rec, err = i.Ping(t.Context(), "peer")
				did(t, rec, err)
				rec, err = i.ListTools(t.Context(), "peer", "")
				assert.Contains(t, string(did(t, rec, err).Result), `"echo"`)
				rec, err = i.CallTool(t.Context(), "peer", inspector.ToolTrial{Tool: "echo", Arguments: json.RawMessage(`{"text":"hi"}`)})
				assert.Contains(t, string(did(t, rec, err).Result), "hi")
				assert.GreaterOrEqual(t, len(rec.Wire), 2)
				report, err := i.Check(t.Context(), "peer")
				require.NoError(t, err)
				for _, row := range report.Rows {
					assert.NotEqual(t, inspector.CheckFail, row.Status, row)
				}
				require.NoError(t, i.Close())
				require.NoError(t, c.Close())
			})
		}
	}
}

// everything starts the reference server of the TypeScript SDK on HTTP, and
// returns its address and its script.
func everything(t testing.TB, mode string) (script, address string) {
	t.Helper()
	if script = os.Getenv("LOCALPASS_EVERYTHING"); script == "" {
		t.Skip("LOCALPASS_EVERYTHING does not name the script of server-everything")
	}
	if mode == "" {
		return script, ""
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	require.NoError(t, l.Close())
	cmd := exec.Command("node", script, mode)
	cmd.Env = append(os.Environ(), "PORT="+port)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	}, hubtest.Patience, 10*time.Millisecond)
	return script, "http://127.0.0.1:" + port
}

// Every operation with server-everything, over each of its transports.
func TestInspectorEverything(t *testing.T) {
	script, _ := everything(t, "")
	leak.Check(t)
	for _, kind := range []client.TransportKind{client.TransportStdio, client.TransportHTTP, client.TransportSSE} {
		t.Run(string(kind), func(t *testing.T) {
			connection := `{"command":"node","args":[` + quoted(script) + `,"stdio"]}`
			switch kind {
			case client.TransportHTTP:
				_, address := everything(t, "streamableHttp")
				connection = `{"url":"` + address + `/mcp"}`
			case client.TransportSSE:
				_, address := everything(t, "sse")
				connection = `{"url":"` + address + `/sse"}`
			}
			i, c := inspectorOf(t, kind, connection)
			useEverything(t, i)
			askEverything(t, i)
			require.NoError(t, i.Close())
			require.NoError(t, c.Close())
		})
	}
}

func useEverything(t *testing.T, i *inspector.Inspector) {
	ctx := t.Context()
	rec, err := i.AddRoot(ctx, "peer", toolspec.Root{URI: "file:///work", Name: "Work"})
	did(t, rec, err)
	rec, err = i.Discover(ctx, "peer")
	assert.Contains(t, string(did(t, rec, err).Result), "mcp-servers/everything")
	rec, err = i.Ping(ctx, "peer")
	did(t, rec, err)
	assert.Equal(t, []string{"> ping", "< response"}, passed(rec))
	rec, err = i.ListTools(ctx, "peer", "")
	assert.GreaterOrEqual(t, strings.Count(string(did(t, rec, err).Result), `"inputSchema"`), 13)
	rec, err = i.ListResources(ctx, "peer", "")
	did(t, rec, err)
	var resources struct{ Resources []struct{ URI string } }
	require.NoError(t, json.Unmarshal(rec.Result, &resources))
	require.NotEmpty(t, resources.Resources)
	uri := resources.Resources[0].URI
	rec, err = i.ReadResource(ctx, "peer", uri)
	assert.Contains(t, string(did(t, rec, err).Result), uri)
	rec, err = i.ListTemplates(ctx, "peer", "")
	assert.Regexp(t, `"uriTemplate":\s*"[^"]*\{`, string(did(t, rec, err).Result))
	rec, err = i.ListPrompts(ctx, "peer", "")
	assert.Contains(t, string(did(t, rec, err).Result), "completable-prompt")
	rec, err = i.GetPrompt(ctx, "peer", "completable-prompt", map[string]string{"department": "Sales", "name": "Eve"})
	assert.Contains(t, string(did(t, rec, err).Result), "promote Eve")
	rec, err = i.Complete(ctx, "peer", inspector.CompletionTrial{Prompt: "completable-prompt", Argument: "name", Value: "E", Given: map[string]string{"department": "Sales"}})
	assert.Contains(t, string(did(t, rec, err).Result), `"Eve"`)
	rec, err = i.SetLogLevel(ctx, "peer", "debug")
	did(t, rec, err)
	rec, err = i.CallTool(ctx, "peer", inspector.ToolTrial{Tool: "echo", Arguments: json.RawMessage(`{"message":"grüße"}`)})
	assert.Contains(t, string(did(t, rec, err).Result), "grüße")
	rec, err = i.CallTool(ctx, "peer", inspector.ToolTrial{Tool: "trigger-long-running-operation", Arguments: json.RawMessage(`{"duration":0.2,"steps":2}`)})
	did(t, rec, err)
	saw := func(kind inspector.NoteKind, in string) {
		t.Helper()
		require.Eventually(t, func() bool {
			notes, err := i.Notifications("peer")
			return err == nil && slices.ContainsFunc(notes, func(n inspector.ServerNote) bool { return n.Kind == kind && strings.Contains(n.Summary, in) })
		}, hubtest.Patience, 10*time.Millisecond, "%s %s", kind, in)
	}
	saw(inspector.NoteProgress, "2/2")
	rec, err = i.CallTool(ctx, "peer", inspector.ToolTrial{Tool: "echo", Arguments: json.RawMessage(`{"message":7}`)})
	require.NoError(t, err)
	assert.False(t, rec.OK)
	rec, err = i.Raw(ctx, "peer", "prompts/list", nil)
	did(t, rec, err)
	rec, err = i.Replay(ctx, "peer", rec.ID, toolspec.Principal{})
	did(t, rec, err)

	rec, err = i.Subscribe(ctx, "peer", uri)
	did(t, rec, err)
	rec, err = i.CallTool(ctx, "peer", inspector.ToolTrial{Tool: "toggle-subscriber-updates"})
	did(t, rec, err)
	saw(inspector.NoteResourceUpdated, uri)
	rec, err = i.Unsubscribe(ctx, "peer", uri)
	did(t, rec, err)
	rec, err = i.CallTool(ctx, "peer", inspector.ToolTrial{Tool: "toggle-subscriber-updates"})
	did(t, rec, err)

	require.Eventually(t, func() bool {
		rec, err := i.CallTool(ctx, "peer", inspector.ToolTrial{Tool: "get-roots-list"})
		return err == nil && strings.Contains(string(rec.Result), "file:///work")
	}, hubtest.Patience, 50*time.Millisecond, "the server asks for the roots by itself")
	rec, err = i.AddRoot(ctx, "peer", toolspec.Root{URI: "file:///more"})
	did(t, rec, err)
	saw(inspector.NoteLogging, "Roots updated: 2")

	report, err := i.Check(ctx, "peer")
	require.NoError(t, err)
	for _, row := range report.Rows {
		assert.NotEqual(t, inspector.CheckFail, row.Status, row)
	}
}

func askEverything(t *testing.T, i *inspector.Inspector) {
	for _, test := range []struct{ tool, arguments, answer, want string }{
		{"trigger-sampling-request", `{"prompt":"hi","maxTokens":5}`, `{"content":{"type":"text","text":"sampled by hand"}}`, "sampled by hand"},
		{"trigger-elicitation-request", `{}`, `{"name":"Ada","integer":7}`, "Ada"},
		{"trigger-elicitation-request", `{}`, "", "declined"},
	} {
		ended := make(chan *inspector.Inspection, 1)
		go func() {
			rec, err := i.CallTool(t.Context(), "peer", inspector.ToolTrial{Tool: test.tool, Arguments: json.RawMessage(test.arguments)})
			assert.NoError(t, err)
			ended <- rec
		}()
		require.Eventually(t, func() bool { return len(i.Pending("peer")) == 1 }, hubtest.Patience, 5*time.Millisecond)
		id := i.Pending("peer")[0].ID
		if test.answer == "" {
			require.NoError(t, i.Decline(id))
		} else {
			require.NoError(t, i.Answer(id, json.RawMessage(test.answer)))
		}
		rec := did(t, <-ended, nil)
		assert.Contains(t, string(rec.Result), test.want)
		assert.Len(t, rec.Wire, 4, "the question and its answer are part of it")
	}
}

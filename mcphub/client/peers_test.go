package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
)

// TestMCPGoServer reaches a server made with mcp-go, in its own process, over
// each transport that it has and in each version.
func TestMCPGoServer(t *testing.T) {
	leak.Check(t)
	address := hubtest.OnHTTP(t, "mcpgo")
	for _, kind := range []client.TransportKind{client.TransportHTTP, client.TransportSSE, client.TransportStdio} {
		for i, version := range versions {
			if kind == client.TransportSSE && i == 0 {
				continue
			}
			t.Run(string(kind)+" "+version, func(t *testing.T) {
				var tr client.Transport
				var err error
				switch kind {
				case client.TransportHTTP:
					tr, err = client.NewHTTP(client.HTTPConfig{URL: address + "/mcp"}, nil)
				case client.TransportSSE:
					tr, err = client.NewSSE(client.HTTPConfig{URL: address + "/sse"}, nil)
				default:
					tr = hubtest.Program(t, "mcpgo", nil)
				}
				require.NoError(t, err)
				useMCPGo(t, tr, version)
			})
		}
	}
}

func useMCPGo(t *testing.T, tr client.Transport, version string) {
	notes := make(chan string, 100)
	asked := make(chan string, 10)
	s := hubtest.Connect(t, tr, &client.DialOptions{Versions: []string{version}, Capabilities: client.ClientCapabilities{Form: true},
		Handler: client.Handler{
			Notification: func(_ context.Context, n client.Notification) { notes <- n.Method },
			Request: func(_ context.Context, r client.ServerRequest) (json.RawMessage, error) {
				asked <- r.Method
				return json.RawMessage(`{"action":"accept","content":{"name":"ada"}}`), nil
			}}})
	require.Equal(t, version, s.Info().Version)
	call := func(params string) string {
		t.Helper()
		raw, err := s.Call(t.Context(), "tools/call", json.RawMessage(params), &client.CallOptions{Rounds: 3})
		require.NoError(t, err)
		return string(raw)
	}
	list, err := s.Call(t.Context(), "tools/list", nil, nil)
	require.NoError(t, err)
	assert.Contains(t, string(list), `"mirrored"`)
	assert.Contains(t, call(`{"name":"echo","arguments":{"text":"hi"}}`), `"text":"hi"`)
	region := call(`{"name":"mirrored","arguments":{"region":"eu"}}`)
	if s.Info().Era == client.EraStateless && s.Info().Endpoint.Kind == client.TransportHTTP {
		assert.Contains(t, region, `"text":"eueu"`, "the header repeats the argument")
	} else {
		assert.Contains(t, region, `"text":"eu"`)
	}
	if version >= "2025-06-18" && s.Info().Endpoint.Kind != client.TransportSSE { // where mcp-go cannot ask
		assert.Contains(t, call(`{"name":"ask","arguments":{}}`), `"text":"hello ada"`)
		assert.Equal(t, "elicitation/create", <-asked)
	}
	raw, err := s.Call(t.Context(), "resources/read", json.RawMessage(`{"uri":"test://one"}`), nil)
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"text":"one"`)
	_, err = s.Call(t.Context(), "resources/read", json.RawMessage(`{"uri":"test://none"}`), nil)
	var refused *client.RPCError
	require.ErrorAs(t, err, &refused)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ready, done := make(chan struct{}, 10), make(chan error, 1)
	go func() {
		done <- s.Listen(ctx, &client.Subscription{Tools: true, Ready: func() { ready <- struct{}{} }})
	}()
	select {
	case <-ready:
	case err := <-done:
		t.Fatal(err)
	case <-time.After(hubtest.Patience):
		t.Fatal("listening does not begin")
	}
	// mcp-go's server loses a notification now and then when a call and a listener of
	// one session are answered at once, so the tool is added again until one arrives.
	late := time.After(hubtest.Patience)
	for told := false; !told; {
		call(`{"name":"add","arguments":{}}`)
		again := time.After(time.Second)
		for waits := true; waits && !told; {
			select {
			case n := <-notes:
				told = n == "notifications/tools/list_changed"
			case <-again:
				waits = false
			case <-late:
				t.Fatal("no change of the tools was told")
			}
		}
	}
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	require.NoError(t, client.Ping(t.Context(), s))
}

// TestEverythingServer reaches the reference server of the TypeScript SDK over
// each of its transports. LOCALPASS_EVERYTHING names its script, such as
// node_modules/@modelcontextprotocol/server-everything/dist/index.js.
func TestEverythingServer(t *testing.T) {
	script := os.Getenv("LOCALPASS_EVERYTHING")
	if script == "" {
		t.Skip("LOCALPASS_EVERYTHING does not name the script of server-everything")
	}
	leak.Check(t)
	web := func(mode string) string {
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
		return "http://127.0.0.1:" + port
	}
	for name, open := range map[string]func() (client.Transport, error){
		"stdio": func() (client.Transport, error) {
			return client.NewStdio(client.StdioConfig{Command: "node", Args: []string{script, "stdio"}}, nil)
		},
		"http": func() (client.Transport, error) {
			return client.NewHTTP(client.HTTPConfig{URL: web("streamableHttp") + "/mcp"}, nil)
		},
		"sse": func() (client.Transport, error) {
			return client.NewSSE(client.HTTPConfig{URL: web("sse") + "/sse"}, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			tr, err := open()
			require.NoError(t, err)
			s := hubtest.Connect(t, tr, &client.DialOptions{Capabilities: client.ClientCapabilities{Form: true, Sampling: true, Roots: true},
				Handler: client.Handler{Request: func(_ context.Context, r client.ServerRequest) (json.RawMessage, error) {
					switch r.Method {
					case "sampling/createMessage":
						return json.RawMessage(`{"role":"assistant","model":"m","content":{"type":"text","text":"sampled"},"stopReason":"endTurn"}`), nil
					case "roots/list":
						return json.RawMessage(`{"roots":[]}`), nil
					}
					return json.RawMessage(`{"action":"decline"}`), nil
				}}})
			assert.Equal(t, client.EraSession, s.Info().Era)
			ctx, cancel := context.WithCancel(t.Context())
			ready, done := make(chan struct{}, 10), make(chan error, 1)
			go func() { done <- s.Listen(ctx, &client.Subscription{Ready: func() { ready <- struct{}{} }}) }()
			<-ready
			list, err := s.Call(t.Context(), "tools/list", nil, nil)
			require.NoError(t, err)
			var tools struct{ Tools []struct{ Name string } }
			require.NoError(t, json.Unmarshal(list, &tools))
			assert.GreaterOrEqual(t, len(tools.Tools), 10)
			raw, err := s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"echo","arguments":{"message":"grüße"}}`), nil)
			require.NoError(t, err)
			assert.Contains(t, string(raw), "grüße")
			for _, tool := range tools.Tools {
				if strings.Contains(strings.ToLower(tool.Name), "sampling") && !strings.Contains(tool.Name, "async") {
					raw, err := s.Call(t.Context(), "tools/call", json.RawMessage(fmt.Sprintf(`{"name":%q,"arguments":{"prompt":"hi","maxTokens":5}}`, tool.Name)), nil)
					require.NoError(t, err)
					assert.Contains(t, string(raw), "sampled")
				}
			}
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("listening ends in %v", err)
			}
		})
	}
}

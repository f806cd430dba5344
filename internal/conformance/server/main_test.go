package main

import (
	"context"
	"encoding/json"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec"
)

// The fixture has all that a scenario asks for, in both eras.
func TestServer(t *testing.T) {
	leak.Check(t)
	ctx, stop := context.WithCancel(t.Context())
	at, ended := make(chan net.Addr, 1), make(chan error, 1)
	go func() { ended <- run(ctx, "127.0.0.1:0", func(a net.Addr) { at <- a }) }()
	var address net.Addr
	select {
	case address = <-at:
	case err := <-ended:
		require.NoError(t, err)
	}
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			transport, err := client.NewHTTP(client.HTTPConfig{URL: "http://" + address.String() + mcphub.Path}, nil)
			require.NoError(t, err)
			s, err := transport.Dial(t.Context(), &client.DialOptions{Versions: []string{version}})
			require.NoError(t, err)
			defer s.Close()
			tools, err := servers.ListTools(t.Context(), s)
			require.NoError(t, err)
			names := map[string]bool{}
			for _, tool := range tools {
				names[tool.Name] = true
			}
			for _, name := range []string{"test_simple_text", "test_image_content", "test_audio_content", "test_embedded_resource", "test_multiple_content_types",
				"test_tool_with_logging", "test_tool_with_progress", "test_error_handling", "test_sampling", "test_elicitation", "test_elicitation_sep1034_defaults",
				"test_elicitation_sep1330_enums", "test_reconnection", "json_schema_2020_12_tool", "test_x_mcp_header", "test_missing_capability",
				"test_streaming_elicitation", "test_logging_tool", "test_trigger_tool_change", "test_trigger_prompt_change"} {
				assert.True(t, names[name], name)
			}
			for method, params := range map[string]string{
				"resources/read": `{"uri":"test://template/123/data"}`, "resources/list": `{}`, "prompts/list": `{}`,
				"prompts/get": `{"name":"test_prompt_with_embedded_resource","arguments":{"resourceUri":"test://example-resource"}}`,
			} {
				_, err := s.Call(t.Context(), method, json.RawMessage(params), nil)
				require.NoError(t, err, method)
			}
			progress := 0
			for _, name := range []string{"test_tool_with_progress", "test_tool_with_logging", "test_reconnection", "test_trigger_tool_change", "test_trigger_tool_change",
				"test_trigger_prompt_change", "test_trigger_prompt_change", "test_multiple_content_types"} {
				raw, err := s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"`+name+`"}`), &client.CallOptions{Progress: func(toolspec.Progress) { progress++ }})
				require.NoError(t, err, name)
				assert.NotContains(t, string(raw), `"isError"`, name)
			}
			assert.Equal(t, 3, progress)
		})
	}
	stop()
	require.NoError(t, <-ended)
}

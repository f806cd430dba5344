package peer

import (
	"context"
	"net/http"
	"os"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// mcpGo returns a server as a user of mcp-go would write it, with everything that the
// hub's client must handle.
func mcpGo() *server.MCPServer {
	s := server.NewMCPServer("mcpgo", "1.0.0", server.WithToolCapabilities(true), server.WithResourceCapabilities(true, true),
		server.WithLogging(), server.WithElicitation(), server.WithRoots())
	s.EnableSampling()
	s.AddTool(mcp.NewTool("echo", mcp.WithString("text")), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(r.GetString("text", "")), nil
	})
	s.AddTool(mcp.NewTool("ask"), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if answer := server.ElicitationResponse(r.Params.InputResponses, "name"); answer != nil && answer.Action == mcp.ElicitationResponseActionAccept {
			content, _ := answer.Content.(map[string]any)
			name, _ := content["name"].(string)
			return mcp.NewToolResultText("hello " + name), nil
		}
		return server.NewInputRequestBuilder("state").Elicit("name", mcp.ElicitationParams{Message: "Who?",
			RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}}}).ToolResult(), nil
	})
	s.AddTool(mcp.NewTool("add"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.AddTool(mcp.NewTool("added"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText("added"), nil
		})
		return mcp.NewToolResultText("done"), nil
	})
	mirrored := mcp.NewToolWithRawSchema("mirrored", "Repeats an argument in a header.",
		[]byte(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}},"required":["region"]}`))
	s.AddTool(mirrored, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(r.Header.Get("Mcp-Param-Region") + r.GetString("region", "")), nil
	})
	addMCPGoQuestions(s)
	s.AddResource(mcp.NewResource("test://one", "one"), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: "test://one", Text: "one"}}, nil
	})
	return s
}

func serveMCPGoStdio(ctx context.Context, s *server.MCPServer) error {
	return server.NewStdioServer(s).Listen(ctx, os.Stdin, os.Stdout)
}

func mcpGoHandler(s *server.MCPServer) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/mcp", server.NewStreamableHTTPServer(s, server.WithStateful(true)))
	mux.Handle("/", server.NewSSEServer(s)) // /sse and /message
	return mux
}

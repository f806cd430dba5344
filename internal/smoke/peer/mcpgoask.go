package peer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// addMCPGoQuestions adds a tool that sends a request to its caller and returns the
// answer. The argument of the tool selects the request, and the caller's protocol version
// its form.
func addMCPGoQuestions(s *server.MCPServer) {
	form := mcp.ElicitationParams{Message: "Who?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}}}
	sample := mcp.CreateMessageParams{MaxTokens: 10, Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent("Hi")}}}
	s.AddTool(mcp.NewTool("question", mcp.WithString("kind")), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		said := func(answer any, err error) (*mcp.CallToolResult, error) {
			if err != nil {
				return mcp.NewToolResultError(err.Error()), nil
			}
			text, err := json.Marshal(answer)
			return mcp.NewToolResultText(string(text)), err
		}
		if answer, ok := server.InputResponse(r.Params.InputResponses, "it"); ok {
			return said(answer, nil)
		}
		var answer any
		var err error
		round := server.NewInputRequestBuilder("state")
		switch kind := r.GetString("kind", ""); kind {
		case "form":
			round.Elicit("it", form)
			answer, err = s.RequestElicitation(ctx, mcp.ElicitationRequest{Params: form})
		case "sampling":
			round.Sample("it", sample)
			//lint:ignore SA1019 clients of the versions that have it are tested too
			answer, err = s.RequestSampling(ctx, mcp.CreateMessageRequest{CreateMessageParams: sample})
		case "roots":
			round.Roots("it")
			answer, err = s.RequestRoots(ctx, mcp.ListRootsRequest{})
		default:
			return nil, fmt.Errorf("there is no question %q", kind)
		}
		if errors.Is(err, server.ErrServerInitiatedRequestUnsupported) { // since 2026-07-28
			return round.ToolResult(), nil
		}
		return said(answer, err)
	})
}

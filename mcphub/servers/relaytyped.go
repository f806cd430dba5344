package servers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec"
)

// askTyped asks a peer that is not the hub's own, such as the peer of a program that
// calls a remote tool in process. What its types cannot express is lost.
func askTyped(ctx context.Context, peer toolspec.Peer, kind rpc.QuestionKind, params []byte) (json.RawMessage, error) {
	switch kind {
	case rpc.FormQuestion, rpc.URLQuestion:
		return elicitTyped(ctx, peer, params)
	case rpc.ModelQuestion:
		return sampleTyped(ctx, peer, params)
	case rpc.RootsQuestion:
		roots, err := peer.Roots(ctx)
		if err != nil {
			return nil, err
		}
		b := []byte(`{"roots":[`)
		for _, root := range roots {
			b = append(rpc.AppendField(rpc.AppendString(append(rpc.Comma(b), `{"uri":`...), root.URI), "name", root.Name), '}')
		}
		return append(b, "]}"...), nil
	}
	return nil, fmt.Errorf("servers: the caller takes no such question: %w", errors.ErrUnsupported)
}

func elicitTyped(ctx context.Context, peer toolspec.Peer, params []byte) (json.RawMessage, error) {
	members := rpc.Object(params)
	req := &toolspec.ElicitRequest{Schema: members["requestedSchema"]}
	req.Message, _ = rpc.Text(members["message"])
	req.URL, _ = rpc.Text(members["url"])
	answer, err := peer.Elicit(ctx, req)
	if err != nil {
		return nil, err
	}
	b := rpc.AppendString([]byte(`{"action":`), string(answer.Action))
	if answer.Action == toolspec.ElicitAccept && len(answer.Content) > 0 {
		b = append(append(b, `,"content":`...), answer.Content...)
	}
	return append(b, '}'), nil
}

func sampleTyped(ctx context.Context, peer toolspec.Peer, params []byte) (json.RawMessage, error) {
	var in struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		SystemPrompt  string
		MaxTokens     float64
		Temperature   *float64
		StopSequences []string
	}
	if err := json.Unmarshal(params, &in); err != nil {
		return nil, &client.RPCError{Code: rpc.CodeInvalidParams, Message: "the sampling request is malformed"}
	}
	req := &toolspec.SampleRequest{System: in.SystemPrompt, MaxTokens: int(in.MaxTokens), Temperature: in.Temperature, Stop: in.StopSequences}
	for _, m := range in.Messages {
		content, err := rpc.ParseContent(m.Content)
		if err != nil {
			return nil, &client.RPCError{Code: rpc.CodeInvalidParams, Message: "the sampling request holds content of an unknown kind"}
		}
		req.Messages = append(req.Messages, toolspec.SampleMessage{Role: m.Role, Content: content})
	}
	answer, err := peer.Sample(ctx, req)
	if err != nil {
		return nil, err
	}
	b := rpc.AppendString([]byte(`{"role":`), answer.Role)
	b = rpc.AppendContent(append(b, `,"content":`...), &answer.Content, rpc.SessionVersions[0])
	b = rpc.AppendString(append(b, `,"model":`...), answer.Model)
	return append(rpc.AppendField(b, "stopReason", answer.StopReason), '}'), nil
}

package mcphub

import (
	"bytes"
	"context"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/localpass/localpass/internal/canon/scan"
	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// maxBatch is the maximum number of messages in one batch.
const maxBatch = 100

// isBatch reports whether a text is an array. answerBatch reports whether the array is
// valid.
func isBatch(raw []byte) bool {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	return len(raw) > 0 && raw[0] == '['
}

// batches reports whether the session accepts batches.
func (s *session) batches() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.agreed.version == rpc.BatchVersion
}

// answerBatch serves the messages of a batch one after another. The response is an array of
// the answers, or nil when no message needs an answer. begin makes the exchange of one
// message.
func (h *Hub) answerBatch(ctx context.Context, s *session, raw []byte, begin func() *exchange) (response []byte, bad *rpc.Error) {
	if !rpc.ValidJSON(raw) || scan.KindOf(bytes.TrimSpace(raw)) != scan.Array {
		return nil, &rpc.Error{Code: mcp.PARSE_ERROR, Message: "the batch is not JSON"}
	}
	var list [][]byte
	rpc.Elements(bytes.TrimSpace(raw), func(one []byte) { list = append(list, one) })
	if len(list) == 0 || len(list) > maxBatch {
		return nil, rpc.BadRequest("a batch has 1 to %d messages", maxBatch)
	}
	for _, one := range list {
		x := begin()
		answer := h.answerBatched(ctx, s, x, one)
		if len(answer) == 0 {
			continue
		}
		if response == nil {
			response = append(response, '[')
		} else {
			response = append(response, ',')
		}
		response = append(response, answer...)
	}
	if response != nil {
		response = append(response, ']')
	}
	return response, nil
}

// answerBatched serves one message of a batch.
func (h *Hub) answerBatched(ctx context.Context, s *session, x *exchange, raw []byte) []byte {
	bad := x.msg.Parse(raw)
	switch {
	case bad != nil:
	case mcp.IsModernProtocol(x.msg.Version):
		bad = rpc.BadRequest("a message of protocol version %s cannot be part of a batch", x.msg.Version)
	case x.msg.IsRequest() && x.msg.Method == string(mcp.MethodInitialize):
		bad = rpc.BadRequest("initialize cannot be part of a batch")
	case x.msg.IsNotification():
		s.handleNotification(&x.msg)
		return nil
	case x.msg.Method == "":
		s.requests.deliver(&x.msg) // a response that no request waits for is dropped
		return nil
	}
	if bad != nil {
		return rpc.AppendError(nil, x.msg.ID, bad)
	}
	x.takeSessionTerms(s)
	answer, _ := h.cancellable(ctx, s, x)
	response, _ := answer()
	return response
}

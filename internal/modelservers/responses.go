package modelservers

import "context"

// writeResponse writes the stream of the Responses API: the items one after another, each
// in pieces, and the complete response at the end.
func (k *Kind) writeResponse(ctx context.Context, out *events, a *Asked, s *said, next <-chan struct{}) {
	number, index := 0, 0
	send := func(kind string, members map[string]any) {
		members["type"], members["sequence_number"] = kind, number
		number++
		out.line("event: " + kind)
		out.data(members)
	}
	var output []any
	response := func(status string) map[string]any {
		r := map[string]any{"id": "resp_1", "object": "response", "created_at": 1, "model": a.Model, "status": status, "output": output, "error": nil}
		if status == "completed" {
			r["usage"] = map[string]any{"input_tokens": 12, "output_tokens": 5, "total_tokens": 17,
				"input_tokens_details": map[string]any{"cached_tokens": 0}, "output_tokens_details": map[string]any{"reasoning_tokens": 0}}
		}
		return r
	}
	begin := func(item map[string]any) {
		send("response.output_item.added", map[string]any{"output_index": index, "item": item})
	}
	end := func(item map[string]any) {
		send("response.output_item.done", map[string]any{"output_index": index, "item": item})
		output = append(output, item)
		index++
	}
	send("response.created", map[string]any{"response": response("in_progress")})
	send("response.in_progress", map[string]any{"response": response("in_progress")})
	if s.reasoning != "" {
		item := map[string]any{"id": "rs_1", "type": "reasoning", "summary": []any{}}
		begin(item)
		done := map[string]any{"id": "rs_1", "type": "reasoning", "summary": []any{}}
		if k.summarised {
			send("response.reasoning_summary_text.delta", map[string]any{"item_id": "rs_1", "output_index": index, "summary_index": 0, "delta": s.reasoning})
			send("response.reasoning_summary_text.done", map[string]any{"item_id": "rs_1", "output_index": index, "summary_index": 0, "text": s.reasoning})
			done["summary"] = []any{map[string]any{"type": "summary_text", "text": s.reasoning}}
			done["encrypted_content"] = "c2VhbGVk"
		} else {
			send("response.reasoning_text.delta", map[string]any{"item_id": "rs_1", "output_index": index, "content_index": 0, "delta": s.reasoning})
			send("response.reasoning_text.done", map[string]any{"item_id": "rs_1", "output_index": index, "content_index": 0, "text": s.reasoning})
			done["content"] = []any{map[string]any{"type": "reasoning_text", "text": s.reasoning}}
		}
		end(done)
	}
	if len(s.text) > 0 {
		begin(map[string]any{"id": "msg_1", "type": "message", "role": "assistant", "status": "in_progress", "content": []any{}})
		send("response.content_part.added", map[string]any{"item_id": "msg_1", "output_index": index, "content_index": 0,
			"part": map[string]any{"type": "output_text", "text": "", "annotations": []any{}}})
		whole := ""
		for i, text := range s.text {
			whole += text
			send("response.output_text.delta", map[string]any{"item_id": "msg_1", "output_index": index, "content_index": 0, "delta": text})
			if i == 0 && s.hold && !waitForNext(ctx, next) {
				return
			}
		}
		part := map[string]any{"type": "output_text", "text": whole, "annotations": []any{}}
		send("response.output_text.done", map[string]any{"item_id": "msg_1", "output_index": index, "content_index": 0, "text": whole})
		send("response.content_part.done", map[string]any{"item_id": "msg_1", "output_index": index, "content_index": 0, "part": part})
		end(map[string]any{"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": []any{part}})
	}
	for _, c := range s.calls {
		id := "fc_" + c.id
		begin(map[string]any{"id": id, "type": "function_call", "call_id": c.id, "name": c.name, "arguments": "", "status": "in_progress"})
		half := len(c.arguments) / 2
		for _, text := range []string{c.arguments[:half], c.arguments[half:]} {
			send("response.function_call_arguments.delta", map[string]any{"item_id": id, "output_index": index, "delta": text})
		}
		send("response.function_call_arguments.done", map[string]any{"item_id": id, "output_index": index, "arguments": c.arguments})
		end(map[string]any{"id": id, "type": "function_call", "call_id": c.id, "name": c.name, "arguments": c.arguments, "status": "completed"})
	}
	send("response.completed", map[string]any{"response": response("completed")})
}

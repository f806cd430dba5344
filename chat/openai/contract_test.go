package openai_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/openai"
)

// TestContract runs the model suite on models of both APIs, over real connections to a
// server that calls the offered tool and answers when it has the result.
func TestContract(t *testing.T) {
	for _, api := range []openai.API{openai.APIChat, openai.APIResponses} {
		t.Run(string(api), func(t *testing.T) {
			var active atomic.Int64
			mux := http.NewServeMux()
			mux.HandleFunc("POST /v1/chat/completions", following(t, &active, completions))
			mux.HandleFunc("POST /v1/responses", following(t, &active, responses))
			s := httptest.NewServer(mux)
			t.Cleanup(s.Close)
			chattest.TestModel(t, func(t *testing.T) llm.Model {
				client := &http.Client{Transport: &http.Transport{}}
				t.Cleanup(client.CloseIdleConnections)
				p, err := openai.New(&openai.Options{BaseURL: s.URL + "/v1", HTTPClient: client, API: api})
				require.NoError(t, err)
				m, err := p.Model(t.Context(), "local")
				require.NoError(t, err)
				return m
			}, &chattest.ModelOptions{Active: func() int { return int(active.Load()) }})
		})
	}
}

// following answers a request with a call of its first tool, or with text.
func following(t *testing.T, active *atomic.Int64, write func(out func(string), tool string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		active.Add(1)
		defer active.Add(-1)
		var req struct {
			Messages []struct{ Role string }
			Input    []struct{ Type string }
			Tools    []struct {
				Name     string
				Function struct{ Name string }
			}
			Choice any `json:"tool_choice"`
		}
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			t.Errorf("the request is no JSON: %v", err)
		}
		tool := ""
		if len(req.Tools) > 0 && req.Choice != "none" {
			tool = req.Tools[0].Name + req.Tools[0].Function.Name
		}
		if n := len(req.Messages); n > 0 && req.Messages[n-1].Role == "tool" {
			tool = ""
		}
		if n := len(req.Input); n > 0 && req.Input[n-1].Type == "function_call_output" {
			tool = ""
		}
		w.Header().Set("Content-Type", "text/event-stream")
		write(func(data string) {
			fmt.Fprintf(w, "data: %s\n\n", data)
			_ = http.NewResponseController(w).Flush() // the client may have disconnected
		}, tool)
	}
}

const contractArguments = `{\"city\":\"Seoul\"}`

func completions(out func(string), tool string) {
	chunk := func(delta, finish string) {
		out(`{"id":"c1","model":"local","choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + finish + `}]}`)
	}
	finish := `"stop"`
	if tool != "" {
		finish = `"tool_calls"`
		chunk(`{"role":"assistant","tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"`+tool+`","arguments":""}}]}`, "null")
		chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"`+contractArguments+`"}}]}`, "null")
	} else {
		for word := range strings.FieldsSeq("Hello, it is half past nine there.") {
			chunk(`{"content":"`+word+` "}`, "null")
		}
	}
	chunk(`{}`, finish)
	out(`{"id":"c1","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":7,"total_tokens":16}}`)
	out(`[DONE]`)
}

func responses(out func(string), tool string) {
	item := `{"type":"message","id":"m1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hello there. "}]}`
	out(`{"type":"response.created","response":{"id":"r1","status":"in_progress","output":[]}}`)
	if tool != "" {
		item = `{"type":"function_call","id":"f1","call_id":"call_1","name":"` + tool + `","arguments":"` + contractArguments + `","status":"completed"}`
		out(`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"f1","call_id":"call_1","name":"` + tool + `","arguments":""}}`)
		out(`{"type":"response.function_call_arguments.delta","item_id":"f1","output_index":0,"delta":"` + contractArguments + `"}`)
	} else {
		out(`{"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"m1","role":"assistant","content":[]}}`)
		for word := range strings.FieldsSeq("Hello there.") {
			out(`{"type":"response.output_text.delta","item_id":"m1","output_index":0,"content_index":0,"delta":"` + word + ` "}`)
		}
	}
	out(`{"type":"response.output_item.done","output_index":0,"item":` + item + `}`)
	out(`{"type":"response.completed","response":{"id":"r1","status":"completed","output":[` + item + `],"usage":{"input_tokens":9,"output_tokens":7,"total_tokens":16}}}`)
}

package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"syscall"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/persistence/file"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

const echoSchema = `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`

type echoArgs struct {
	Text string `json:"text"`
}

// serve is a server process: it prints its address and ends with its parent.
func serve(name string) error {
	mux := http.NewServeMux()
	mux.HandleFunc("/usage", usage)
	switch name {
	case "http":
		mux.HandleFunc("/mcp", echo)
	case "mcp-go":
		mux.Handle("/mcp", mcpGo())
	case "localpass", "localpass-flush":
		handler, err := localpass(name == "localpass-flush")
		if err != nil {
			return err
		}
		mux.Handle("/mcp", handler)
	case "localpass-hop", "mcp-go-hop", "mcp-go-pooled-hop", "http-hop", "reverse-proxy-hop":
		handler, err := hop(name)
		if err != nil {
			return err
		}
		mux.Handle("/mcp", handler)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	go func() {
		io.Copy(io.Discard, os.Stdin) // the parent went away
		os.Exit(0)
	}()
	return http.Serve(listener, mux)
}

// echo is the least that a server of JSON over HTTP does: read, decode, answer.
func echo(w http.ResponseWriter, r *http.Request) {
	var req struct {
		ID     json.RawMessage `json:"id"`
		Params struct {
			Arguments echoArgs `json:"arguments"`
		} `json:"params"`
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": req.ID,
		"result": map[string]any{"content": []any{map[string]any{"type": "text", "text": req.Params.Arguments.Text}}}})
}

// mcpGo is the library underneath, with input validation on.
func mcpGo() http.Handler {
	s := server.NewMCPServer("bench", "1", server.WithInputSchemaValidation(), server.WithRecovery(), server.WithToolCapabilities(true))
	s.AddTool(mcp.NewToolWithRawSchema("echo", "Gives its text back.", json.RawMessage(echoSchema)), func(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		text, err := req.RequireString("text")
		if err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		return mcp.NewToolResultText(text), nil
	})
	return server.NewStreamableHTTPServer(s, server.WithStateful(true))
}

// localpass serves the same tool with everything on: its pass is checked, its
// arguments are validated, and each call is in the audit log before it returns.
func localpass(flush bool) (http.Handler, error) {
	ctx := context.Background()
	dir := os.Getenv(dirEnv)
	opts := &file.Options{}
	if flush {
		opts.LogFlush = -1
	}
	store, err := file.Open(dir, opts)
	if err != nil {
		return nil, err
	}
	hub, err := mcphub.New(&mcphub.Options{Store: store})
	if err != nil {
		return nil, err
	}
	tool, err := toolspec.Func("echo", "Gives its text back.", func(_ context.Context, in echoArgs) (string, error) {
		return in.Text, nil
	}, &toolspec.FuncOptions{Level: toolspec.L0, InputSchema: json.RawMessage(echoSchema)})
	if err != nil {
		return nil, err
	}
	passed, err := studio.Certify(ctx, tool, []toolspec.Case{{Args: json.RawMessage(`{"text":"a"}`), Want: json.RawMessage(`"a"`)}}, nil)
	if err != nil {
		return nil, err
	}
	return hub.Handler(), hub.Add(passed)
}

// spent is what a server process has used since it started.
type spent struct {
	CPU    int64  `json:"cpu"` // nanoseconds
	Allocs uint64 `json:"allocs"`
}

func usage(w http.ResponseWriter, _ *http.Request) {
	var ru syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &ru)
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	json.NewEncoder(w).Encode(spent{CPU: ru.Utime.Nano() + ru.Stime.Nano(), Allocs: mem.Mallocs})
}

//go:build unix

package mcphub_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/persistence/file"
	"github.com/localpass/localpass/toolspec"
)

// benchServer names, in the environment, the server that this binary is to be.
const benchServer = "MCPHUB_BENCH_SERVER"

// benchClients is how many clients call at the same time.
var benchClients = 16

func TestMain(m *testing.M) {
	if kind := os.Getenv(benchServer); kind != "" {
		serveBench(kind)
		return
	}
	os.Exit(m.Run())
}

// BenchmarkHTTPCall measures what a small call costs a server: ours, with its
// gate and its audit record, in memory and flushed to disk; mcp-go alone with
// input validation on; and an answer of net/http alone. Client and server are processes of their own;
// server-ns/op is the CPU time of the server, user and system.
//
//	go test ./mcphub -run '^$' -bench HTTPCall -benchtime 20000x -count 5
func BenchmarkHTTPCall(b *testing.B) {
	for _, kind := range []string{"net-http", "mcp-go", "hub", "hub-on-disk"} {
		b.Run(kind, func(b *testing.B) {
			base := startBench(b, kind)
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: benchClients}}
			defer client.CloseIdleConnections()
			post := func(session, body string) (string, http.Header) {
				req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, base+"/mcp", strings.NewReader(body))
				require.NoError(b, err)
				req.Header.Set("Content-Type", "application/json")
				req.Header.Set("Accept", "application/json, text/event-stream")
				if session != "" {
					req.Header.Set("Mcp-Session-Id", session)
					req.Header.Set("Mcp-Protocol-Version", "2025-11-25")
				}
				resp, err := client.Do(req)
				require.NoError(b, err)
				defer resp.Body.Close()
				text, err := io.ReadAll(resp.Body)
				require.NoError(b, err)
				require.Equal(b, http.StatusOK, resp.StatusCode, string(text))
				return string(text), resp.Header
			}
			cpu := func() float64 {
				resp, err := client.Get(base + "/cpu")
				require.NoError(b, err)
				defer resp.Body.Close()
				text, err := io.ReadAll(resp.Body)
				require.NoError(b, err)
				n, err := strconv.ParseFloat(string(text), 64)
				require.NoError(b, err)
				return n
			}
			_, header := post("", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)
			session := header.Get("Mcp-Session-Id")
			var id atomic.Int64
			call := func() string {
				answer, _ := post(session, call(strconv.FormatInt(id.Add(1), 10), "echo", `{"text":"hello there"}`))
				return answer
			}
			for range 2000 {
				require.Contains(b, call(), "hello there")
			}
			before := cpu()
			b.SetParallelism(benchClients / runtime.GOMAXPROCS(0))
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if answer := call(); !strings.Contains(answer, "hello there") {
						b.Error(answer)
					}
				}
			})
			b.ReportMetric((cpu()-before)/float64(b.N), "server-ns/op")
		})
	}
}

func startBench(b *testing.B, kind string) string {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), benchServer+"="+kind)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(b, err)
	return "http://" + strings.TrimSpace(line)
}

func serveBench(kind string) {
	var handler http.Handler
	switch kind {
	case "net-http":
		handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(body)
		})
	case "mcp-go":
		s := server.NewMCPServer("bench", "1", server.WithRecovery(), server.WithToolCapabilities(true), server.WithInputSchemaValidation())
		schema := json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`)
		s.AddTool(mcp.NewToolWithRawSchema("echo", "Echoes.", schema), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText(r.GetString("text", "")), nil
		})
		handler = server.NewStreamableHTTPServer(s, server.WithStateful(true))
	default:
		tool, err := toolspec.Func("echo", "Echoes.", func(_ context.Context, in textIn) (string, error) { return in.Text, nil }, nil)
		check(err)
		pass, err := toolspec.Certify(context.Background(), tool, []toolspec.Case{{Args: json.RawMessage(`{"text":"hi"}`), Want: json.RawMessage(`"hi"`)}}, nil)
		check(err)
		opts := &mcphub.Options{}
		if kind == "hub-on-disk" {
			dir, err := os.MkdirTemp("", "mcphub")
			check(err)
			defer os.RemoveAll(dir)
			store, err := file.Open(dir, nil)
			check(err)
			opts.Store = store
		}
		hub, err := mcphub.New(opts)
		check(err)
		check(hub.Add(pass))
		handler = hub.Handler()
	}
	mux := http.NewServeMux()
	mux.Handle(mcphub.Path, handler)
	mux.HandleFunc("/cpu", func(w http.ResponseWriter, _ *http.Request) {
		var u syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
		fmt.Fprint(w, u.Utime.Nano()+u.Stime.Nano())
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	fmt.Println(l.Addr())
	check(http.Serve(l, mux))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

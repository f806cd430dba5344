package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// BenchmarkHTTPCall is one tools/call over a kept-alive connection: a bare
// net/http echo, mcp-go with input validation, and a localpass hub with gate,
// validation and an audit record that is written to a file before the result
// leaves, and flushed to the disk within 100 ms, or, "localpass-flush", before the
// result leaves too. In sessions (2025-11-25) and without (2026-07-28); with one
// client, which waits for such a flush alone, and with sixteen, which share them.
func BenchmarkHTTPCall(b *testing.B) {
	for _, era := range []string{"2025-11-25", "2026-07-28"} {
		for _, clients := range []int{1, 16} {
			for _, name := range []string{"http", "mcp-go", "localpass", "localpass-flush"} {
				b.Run(fmt.Sprintf("%s/clients=%d/%s", era, clients, name), func(b *testing.B) {
					benchmarkCall(b, era, clients, name)
				})
			}
		}
	}
}

func benchmarkCall(b *testing.B, era string, clients int, name string) {
	url := start(b, name)
	callers := make(chan *caller, clients)
	for range clients {
		c := &caller{b: b, url: url + "/mcp", era: era, http: &http.Client{Transport: &http.Transport{}}}
		if name != "http" {
			c.initialize()
		}
		for range 50 { // warm
			c.call()
		}
		callers <- c
	}
	before := usageOf(b, url)
	b.SetParallelism(clients) // times GOMAXPROCS; the channel holds them to clients
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			c := <-callers
			c.call()
			callers <- c
		}
	})
	b.StopTimer()
	after := usageOf(b, url)
	b.ReportMetric(float64(after.CPU-before.CPU)/1e3/float64(b.N), "server-µs/op")
	b.ReportMetric(float64(after.Allocs-before.Allocs)/float64(b.N), "server-allocs/op")
}

// start runs a server in a process of its own until the benchmark ends. env are
// variables that it gets beside its name.
func start(b *testing.B, name string, env ...string) string {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), serverEnv+"="+name, dirEnv+"="+b.TempDir()), env...)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		stdin.Close()
		cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return "http://" + strings.TrimSpace(line)
}

type caller struct {
	b       *testing.B
	url     string
	era     string
	session string
	id      int
	http    *http.Client
}

func (c *caller) initialize() {
	if c.era == "2026-07-28" {
		return
	}
	_, header := c.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+c.era+`","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`, "initialize")
	if c.session = header.Get("Mcp-Session-Id"); c.session == "" {
		c.b.Fatal("no session")
	}
	c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "notifications/initialized")
}

func (c *caller) call() {
	c.id++
	meta := ""
	if c.era == "2026-07-28" {
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"}}`
	}
	body, _ := c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"}%s}}`, c.id, meta), "tools/call")
	if !bytes.Contains(body, []byte(`"hello"`)) {
		c.b.Fatalf("no answer in %s", body)
	}
}

func (c *caller) post(body, method string) ([]byte, http.Header) {
	req, err := http.NewRequest("POST", c.url, strings.NewReader(body))
	if err != nil {
		c.b.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Mcp-Protocol-Version", c.era)
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
	}
	if c.era == "2026-07-28" {
		req.Header.Set("Mcp-Method", method)
		req.Header.Set("Mcp-Name", "echo")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		c.b.Fatal(err)
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		c.b.Fatalf("%s: %s %v %s", method, resp.Status, err, out)
	}
	return out, resp.Header
}

func usageOf(b *testing.B, url string) (s spent) {
	resp, err := http.Get(url + "/usage")
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&s); err != nil {
		b.Fatal(err)
	}
	return s
}

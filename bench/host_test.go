package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/dop251/goja"

	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/toolspec"
)

// BenchmarkHostAPI is the small call with nothing granted, and with network and
// files, which it does not use.
func BenchmarkHostAPI(b *testing.B) {
	for _, granted := range []bool{false, true} {
		for _, tier := range []toolspec.Tier{toolspec.TierInProcess, toolspec.TierIsolated} {
			b.Run(fmt.Sprintf("%s/granted=%v", tier, granted), func(b *testing.B) {
				req := request(smallCode, "the quick brown fox")
				if granted {
					req.Posture.Network = toolspec.NetworkPosture{Mode: toolspec.NetworkAllowlist, Hosts: []string{"api.example.com"}}
					req.Posture.FileRead, req.Posture.FileWrite, req.Posture.FSBasePath = true, true, b.TempDir()
				}
				running(b, &sandbox.Options{Tier: tier, Workers: 2}, req)
			})
		}
	}
}

// The heavy scripts: what a sandbox adds must vanish beside them.
var heavy = map[string]string{
	"fib":    `const f = n => n < 2 ? n : f(n - 1) + f(n - 2); return f(20)`,
	"sort":   `const a = []; let x = 1; for (let i = 0; i < 10000; i++) { x = (x * 1103515245 + 12345) % 2147483648; a.push(x) } return a.sort((p, q) => p - q)[5000]`,
	"json":   `const o = []; for (let i = 0; i < 1000; i++) o.push({id: i, name: 'item ' + i, tags: ['a', 'b'], nested: {x: i / 3}}); return JSON.parse(JSON.stringify(o)).length`,
	"regexp": `let n = 0; for (const m of ('lorem ipsum dolor sit amet 2026-11-21 '.repeat(500)).matchAll(/(\d{4})-(\d\d)-(\d\d)/g)) n += +m[1]; return n`,
}

// BenchmarkHeavy is each heavy script on bare goja, a fresh runtime per call,
// and in process under the default bounds.
func BenchmarkHeavy(b *testing.B) {
	for name, code := range heavy {
		b.Run(name+"/goja", func(b *testing.B) {
			program := goja.MustCompile("", "(async function () {\n"+code+"\n})", false)
			m := measure(b)
			for b.Loop() {
				m.begin()
				v, err := goja.New().RunProgram(program)
				if err != nil {
					b.Fatal(err)
				}
				f, _ := goja.AssertFunction(v)
				if _, err = f(goja.Undefined()); err != nil {
					b.Fatal(err)
				}
				m.end(0)
			}
			m.report()
		})
		b.Run(name+"/in-process", func(b *testing.B) {
			running(b, &sandbox.Options{Tier: toolspec.TierInProcess}, request(code, ""))
		})
	}
}

func request(code, text string) *toolspec.RunRequest {
	quoted, _ := json.Marshal(text) // a string always marshals
	return &toolspec.RunRequest{
		Spec:    &toolspec.Spec{Name: "bench", Code: code, CodeType: toolspec.CodeTypeJavascript},
		Posture: &toolspec.Posture{Limits: toolspec.Limits{Timeout: 30 * time.Second}},
		Globals: []toolspec.Global{{Name: "text", Value: quoted}},
	}
}

func running(b *testing.B, opts *sandbox.Options, req *toolspec.RunRequest) {
	box, err := sandbox.New(opts)
	if err != nil {
		b.Fatal(err)
	}
	defer box.Close()
	run := func() time.Duration {
		out, err := box.Run(context.Background(), req)
		if err != nil || out.Err != nil {
			b.Fatal(err, out)
		}
		return out.Usage.CPU
	}
	for range 20 {
		run()
	}
	m := measure(b)
	for b.Loop() {
		m.begin()
		m.end(run())
	}
	m.report()
}

// BenchmarkEgress is one request over a kept-alive connection: through a plain
// transport, and through a guard that judges it.
func BenchmarkEgress(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") }))
	defer server.Close()
	address := server.Listener.Addr().(*net.TCPAddr)
	guard, err := egress.New(egress.Policy{Mode: toolspec.NetworkAllowlist, Rules: []string{address.String()}, OperatorHosts: []string{address.String()}}, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer guard.Close()
	for name, transport := range map[string]http.RoundTripper{"plain": &http.Transport{}, "guard": guard} {
		b.Run(name, func(b *testing.B) {
			client := &http.Client{Transport: transport}
			m := measure(b)
			for b.Loop() {
				m.begin()
				resp, err := client.Get(server.URL)
				if err != nil {
					b.Fatal(err)
				}
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
				m.end(0)
			}
			m.report()
		})
	}
}

// BenchmarkHTMLText is the text of a page: with goquery, and with safety.parser
// in a sandboxed call, everything around it included.
func BenchmarkHTMLText(b *testing.B) {
	var page strings.Builder
	page.WriteString("<!doctype html><html><head><title>Page</title><style>p { color: red }</style></head><body>")
	for i := range 1500 {
		fmt.Fprintf(&page, `<div class="item" id="n%d"><h2>Item %d</h2><p>Some <b>bold</b> and <a href="/x/%d">linked</a> text &amp; more.</p><ul><li>one<li>two</ul></div>`, i, i, i)
	}
	page.WriteString("</body></html>")
	b.Run("goquery", func(b *testing.B) {
		m := measure(b)
		for b.Loop() {
			m.begin()
			doc, err := goquery.NewDocumentFromReader(strings.NewReader(page.String()))
			if err != nil {
				b.Fatal(err)
			}
			if len(doc.Text()) == 0 {
				b.Fatal("no text")
			}
			m.end(0)
		}
		m.report()
	})
	b.Run("in-process", func(b *testing.B) {
		running(b, &sandbox.Options{Tier: toolspec.TierInProcess}, request("return safety.parser.html(text).text().length", page.String()))
	})
}

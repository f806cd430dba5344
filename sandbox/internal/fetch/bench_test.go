package fetch_test

import (
	"net/http"
	"testing"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/sandbox/internal/fetch"
	"github.com/localpass/localpass/sandbox/internal/hostcall"
	"github.com/localpass/localpass/toolspec"
)

// BenchmarkInstall is what a run pays that could fetch and does not; compare
// with Bare.
func BenchmarkInstall(b *testing.B) {
	program := goja.MustCompile("tool", "(function () { return 1 })()", true)
	for name, install := range map[string]bool{"Bare": false, "Installed": true} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				vm := goja.New()
				if install {
					if err := fetch.Install(vm, fetch.Options{}); err != nil {
						b.Fatal(err)
					}
				}
				if _, err := vm.RunProgram(program); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFetch is one fetch without a network.
func BenchmarkFetch(b *testing.B) {
	replay := func(http.RoundTripper) http.RoundTripper { return canned{} }
	guard, err := egress.New(egress.Policy{Mode: toolspec.NetworkStrict}, &egress.Options{Call: egress.CallOptions{Around: replay}})
	if err != nil {
		b.Fatal(err)
	}
	defer guard.Close()
	program := goja.MustCompile("tool", `(async () => (await fetch("https://a.test/")).text())()`, true)
	b.ReportAllocs()
	for b.Loop() {
		call, err := guard.NewCall(nil)
		if err != nil {
			b.Fatal(err)
		}
		service := fetch.NewService(call, nil)
		vm := goja.New()
		if err := fetch.Install(vm, fetch.Options{Call: func(r hostcall.Request) (hostcall.Reply, *toolspec.CallError) {
			return service.Serve(b.Context(), r)
		}}); err != nil {
			b.Fatal(err)
		}
		if _, err := vm.RunProgram(program); err != nil {
			b.Fatal(err)
		}
	}
}

type canned struct{}

func (canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/plain"}}, Body: http.NoBody, Request: r}, nil
}

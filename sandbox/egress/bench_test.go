package egress_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/toolspec"
)

// BenchmarkRequest is one small request over an open connection on loopback.
// Guard minus Plain is what the guard costs; the metric cpu-us/op is the processor
// time of this process, server and client together.
func BenchmarkRequest(b *testing.B) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") }))
	defer srv.Close()
	address := srv.Listener.Addr().String()
	guard, err := egress.New(egress.Policy{Mode: toolspec.NetworkAllowlist, Rules: []string{"GET " + address + "/v1/*", "*.example.com"}, OperatorHosts: []string{address}}, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer guard.Close()
	plain := &http.Transport{}
	defer plain.CloseIdleConnections()
	for _, bench := range []struct {
		name string
		rt   http.RoundTripper
	}{{"Plain", plain}, {"Guard", guard}} {
		b.Run(bench.name, func(b *testing.B) {
			req, err := http.NewRequest("GET", srv.URL+"/v1/x?a=b", nil)
			if err != nil {
				b.Fatal(err)
			}
			req.Header.Set("Accept", "application/json")
			b.ReportAllocs()
			before := cpu()
			for b.Loop() {
				resp, err := bench.rt.RoundTrip(req)
				if err != nil {
					b.Fatal(err)
				}
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
			b.ReportMetric(float64((cpu()-before).Nanoseconds())/1e3/float64(b.N), "cpu-us/op")
		})
	}
}

// BenchmarkDecision is what the guard does by itself, without a network: two
// RoundTrippers that answer at once, one of them behind a guard.
func BenchmarkDecision(b *testing.B) {
	guard, err := egress.New(egress.Policy{Mode: toolspec.NetworkAllowlist, Rules: []string{"GET api.example.com/v1/*", "*.example.org"}}, &egress.Options{
		Call: egress.CallOptions{Around: func(http.RoundTripper) http.RoundTripper { return answer(200) }},
	})
	if err != nil {
		b.Fatal(err)
	}
	defer guard.Close()
	req, err := http.NewRequest("GET", "https://api.example.com/v1/x?a=b", nil)
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Accept", "application/json")
	b.ReportAllocs()
	for b.Loop() {
		resp, err := guard.RoundTrip(req)
		if err != nil {
			b.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

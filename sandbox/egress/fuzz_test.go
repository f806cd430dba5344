package egress_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/toolspec"
)

var errDialled = errors.New("dialled")

// everywhere resolves every name to one address.
type everywhere struct{ addr netip.Addr }

func (e everywhere) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{e.addr}, nil
}

// Whatever passes the guard never dials an address in a blocked range, by its
// spelling nor by what its name resolves to.
func FuzzGuardURL(f *testing.F) {
	for _, row := range ssrf {
		f.Add(row.url, []byte{93, 184, 215, 20})
	}
	f.Add("http://a.test/", []byte{10, 0, 0, 1})
	f.Add("http://a.test/", netip.MustParseAddr("64:ff9b::a00:1").AsSlice())
	f.Add("http://a.test/", netip.MustParseAddr("::ffff:127.0.0.1").AsSlice())
	f.Add("http://a.test/", netip.MustParseAddr("fe80::5efe:a00:1").AsSlice())
	var fault string
	resolver := &everywhere{}
	guard := func(policy egress.Policy) *egress.Guard {
		g, err := egress.New(policy, &egress.Options{Resolver: resolver, Dial: func(_ context.Context, _, address string) (net.Conn, error) {
			ap, err := netip.ParseAddrPort(address)
			if err != nil || forbidden(ap.Addr()) {
				fault = address
			}
			return nil, errDialled
		}})
		if err != nil {
			f.Fatal(err)
		}
		f.Cleanup(func() { g.Close() })
		return g
	}
	guards := []*egress.Guard{guard(egress.Policy{Mode: toolspec.NetworkStrict}), guard(allow("*", "10.0.0.1", "*.test"))}
	f.Fuzz(func(t *testing.T, raw string, answer []byte) {
		addr, ok := netip.AddrFromSlice(answer)
		if !ok {
			addr = netip.MustParseAddr("93.184.215.20")
		}
		resolver.addr = addr
		urls := []*url.URL{{Scheme: "http", Host: raw}}
		for _, parse := range []func(string) (*url.URL, error){egress.ParseURL, url.Parse} {
			if u, err := parse(raw); err == nil {
				urls = append(urls, u)
			}
		}
		for _, u := range urls {
			for _, g := range guards {
				req := (&http.Request{Method: "GET", URL: u, Header: http.Header{}}).WithContext(t.Context())
				_, err := g.RoundTrip(req)
				var e *egress.Error
				if err == nil || !errors.As(err, &e) {
					t.Fatalf("%q: %v is no *egress.Error", u, err)
				}
				if fault != "" {
					t.Fatalf("%q with %v dialled %s", u, addr, fault)
				}
			}
		}
	})
}

// A rule that can be read is written so that it reads back as itself, and lets
// nothing through that its host pattern does not show.
func FuzzRule(f *testing.F) {
	for _, seed := range []string{"GET,POST *.example.com:443/v1/*", "*", "[2001:db8::1]:80/", "bücher.example", "a.test/%41/*/b", "127.1", "GET  x y", "\x90"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := egress.ParseRule(text)
		if err != nil {
			return
		}
		again, err := egress.ParseRule(r.String())
		if err != nil || again.String() != r.String() || !again.Covers(r) || !r.Covers(again) {
			t.Fatalf("%q reads as %q, which reads as %v, %v", text, r, again, err)
		}
		if any, _ := egress.ParseRule("*"); r.Covers(any) && !strings.HasPrefix(r.String(), "*") {
			t.Fatalf("%q covers every host", r)
		}
	})
}

// A path that a rule with a path lets through stays below it, however a server
// decodes and cleans it.
func FuzzPathRule(f *testing.F) {
	for _, seed := range []string{"/v1/x", "/v1/../x", "/v1/%2e%2e/x", "/v1/..;/x", "/v1/%252e%252e%252fx", "/v1/..%5cx", "/v1/%c0%ae%c0%ae/x"} {
		f.Add(seed)
	}
	g, err := egress.New(allow("good.test/v1/*"), &egress.Options{Call: egress.CallOptions{Around: func(http.RoundTripper) http.RoundTripper { return answer(200) }}})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { g.Close() })
	f.Fuzz(func(t *testing.T, path string) {
		u, err := url.Parse("http://good.test" + path)
		if err != nil || u.Host != "good.test" {
			return
		}
		resp, err := g.RoundTrip(&http.Request{URL: u})
		if err != nil {
			return
		}
		resp.Body.Close()
		for text, n := u.EscapedPath(), 0; n < 4; n++ {
			clean := []string{}
			for _, s := range strings.FieldsFunc(text, func(r rune) bool { return r == '/' || r == '\\' }) {
				s, _, _ = strings.Cut(s, ";")
				switch s {
				case ".":
				case "..":
					clean = clean[:max(len(clean)-1, 0)]
				default:
					clean = append(clean, s)
				}
			}
			if first, err := url.PathUnescape(strings.Join(append(clean, ""), "/")); err != nil || !strings.HasPrefix(first, "v1/") {
				if err == nil {
					t.Fatalf("%q passed and means %q", path, clean)
				}
			}
			next, err := url.PathUnescape(text)
			if err != nil || next == text {
				break
			}
			text = next
		}
	})
}

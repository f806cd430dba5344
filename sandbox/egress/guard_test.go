package egress_test

import (
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/toolspec"
)

func public() map[string][]string {
	return map[string][]string{"good.test": {"93.184.215.20"}, "also.test": {"93.184.215.21"}, "a.good.test": {"93.184.215.22"}, "notgood.test": {"93.184.215.23"}, "inner.test": {"10.0.0.7"}, "meta.test": {"169.254.169.254"}}
}

func TestModes(t *testing.T) {
	for name, tt := range map[string]struct {
		policy    egress.Policy
		url, want string
	}{
		"zero policy":                          {egress.Policy{}, "http://good.test/", "network-blocked"},
		"blocked":                              {egress.Policy{Mode: toolspec.NetworkBlocked}, "http://good.test/", "network-blocked"},
		"blocked, operator host":               {egress.Policy{OperatorHosts: []string{"good.test"}}, "http://good.test/", "network-blocked"},
		"strict":                               {egress.Policy{Mode: toolspec.NetworkStrict}, "http://good.test/", ""},
		"allowlist without rules":              {egress.Policy{Mode: toolspec.NetworkAllowlist}, "http://good.test/", "host-not-in-allowlist"},
		"allowlist":                            {allow("good.test"), "http://good.test/", ""},
		"allowlist, other host":                {allow("good.test"), "http://also.test/", "host-not-in-allowlist"},
		"D28 allowlist, name that ends alike":  {allow("good.test"), "http://notgood.test/", "host-not-in-allowlist"},
		"wildcard, name that ends alike":       {allow("*.good.test"), "http://notgood.test/", "host-not-in-allowlist"},
		"wildcard, below":                      {allow("*.good.test"), "http://a.good.test/", ""},
		"wildcard, apex":                       {allow("*.good.test"), "http://good.test/", ""},
		"exact, below":                         {allow("good.test"), "http://a.good.test/", "host-not-in-allowlist"},
		"any host":                             {allow("*"), "http://good.test/", ""},
		"any host, internal":                   {allow("*"), "http://inner.test/", resolved},
		"internal, declared by the tool":       {allow("inner.test"), "http://inner.test/", resolved},
		"internal address, declared":           {allow("10.0.0.7"), "http://10.0.0.7/", literal},
		"port of the rule":                     {allow("good.test:8080"), "http://good.test:8080/", ""},
		"port not of the rule":                 {allow("good.test:8080"), "http://good.test/", "host-not-in-allowlist"},
		"port of the scheme":                   {allow("good.test:443"), "https://good.test/", "tls"},
		"case and dot":                         {allow("GOOD.test."), "http://Good.TEST./", ""},
		"method":                               {allow("GET,HEAD good.test"), "http://good.test/", ""},
		"other method":                         {allow("POST good.test"), "http://good.test/", "method-not-allowed"},
		"path":                                 {allow("GET good.test/v1/*"), "http://good.test/v1/x", ""},
		"other path":                           {allow("GET good.test/v1/*"), "http://good.test/v2/x", "path-not-allowed"},
		"path with dots":                       {allow("GET good.test/v1/*"), "http://good.test/v1/../v2", "path-not-allowed"},
		"path with encoded dots":               {allow("GET good.test/v1/*"), "http://good.test/v1/%2e%2e/v2", "path-not-allowed"},
		"second rule":                          {allow("POST good.test/a", "GET good.test/b"), "http://good.test/b", ""},
		"rules are not mixed":                  {allow("POST good.test/a", "GET good.test/b"), "http://good.test/a", "path-not-allowed"},
		"redirect out of the list":             {allow("good.test"), "http://good.test/go?to=http://also.test/", "host-not-in-allowlist"},
		"redirect out of the path":             {allow("good.test/go"), "http://good.test/go?to=/other", "path-not-allowed"},
		"custom":                               {egress.Policy{Mode: egress.ModeCustom, Deny: []string{"*.also.test"}}, "http://good.test/", ""},
		"custom, denied":                       {egress.Policy{Mode: egress.ModeCustom, Deny: []string{"*.also.test"}}, "http://also.test/", "host-in-denylist"},
		"deny wins":                            {egress.Policy{Mode: toolspec.NetworkAllowlist, Rules: []string{"*"}, Deny: []string{"good.test"}}, "http://good.test/", "host-in-denylist"},
		"deny in open":                         {egress.Policy{Mode: toolspec.NetworkOpen, Deny: []string{"inner.test"}}, "http://inner.test/", "host-in-denylist"},
		"deny a path":                          {egress.Policy{Mode: toolspec.NetworkStrict, Deny: []string{"good.test/admin/*"}}, "http://good.test/admin/x", "host-in-denylist"},
		"deny a path, other path":              {egress.Policy{Mode: toolspec.NetworkStrict, Deny: []string{"good.test/admin/*"}}, "http://good.test/x", ""},
		"deny a path, doubtful path":           {egress.Policy{Mode: toolspec.NetworkStrict, Deny: []string{"good.test/admin/*"}}, "http://good.test/x/%2e%2e/admin/y", "host-in-denylist"},
		"deny a method":                        {egress.Policy{Mode: toolspec.NetworkStrict, Deny: []string{"POST good.test"}}, "http://good.test/x", ""},
		"redirect to denied":                   {egress.Policy{Mode: toolspec.NetworkOpen, Deny: []string{"also.test"}}, "http://good.test/go?to=http://also.test/", "host-in-denylist"},
		"open, internal name":                  {egress.Policy{Mode: toolspec.NetworkOpen}, "http://inner.test/", "dial"},
		"open, internal address":               {egress.Policy{Mode: toolspec.NetworkOpen}, "http://10.0.0.7/", "dial"},
		"open, metadata":                       {egress.Policy{Mode: toolspec.NetworkOpen}, "http://169.254.169.254/", literal},
		"open, metadata mapped":                {egress.Policy{Mode: toolspec.NetworkOpen}, "http://[::ffff:a9fe:a9fe]/", literal},
		"open, metadata in NAT64":              {egress.Policy{Mode: toolspec.NetworkOpen}, "http://[64:ff9b::a9fe:a9fe]/", literal},
		"open, metadata by name":               {egress.Policy{Mode: toolspec.NetworkOpen}, "http://meta.test/", resolved},
		"open, metadata over IPv6":             {egress.Policy{Mode: toolspec.NetworkOpen}, "http://[fd00:ec2::254]/", literal},
		"open, odd literal":                    {egress.Policy{Mode: toolspec.NetworkOpen}, "http://0x7f.1/", literal},
		"open, zone":                           {egress.Policy{Mode: toolspec.NetworkOpen}, "http://[fe80::1%25lo]/", literal},
		"open, unknown name":                   {egress.Policy{Mode: toolspec.NetworkOpen}, "http://nowhere.test/", "dns-unknown-host"},
		"open, metadata listed by name":        {egress.Policy{Mode: toolspec.NetworkOpen, OperatorHosts: []string{"meta.test"}}, "http://meta.test/", resolved},
		"open, metadata listed by address":     {egress.Policy{Mode: toolspec.NetworkOpen, OperatorHosts: []string{"169.254.169.254"}}, "http://169.254.169.254/", "dial"},
		"operator name":                        {egress.Policy{Mode: toolspec.NetworkStrict, OperatorHosts: []string{"inner.test"}}, "http://inner.test/", "dial"},
		"operator name, other port":            {egress.Policy{Mode: toolspec.NetworkStrict, OperatorHosts: []string{"inner.test:81"}}, "http://inner.test/", resolved},
		"operator name, not on the allowlist":  {egress.Policy{Mode: toolspec.NetworkAllowlist, OperatorHosts: []string{"inner.test"}}, "http://inner.test/", "host-not-in-allowlist"},
		"operator name, allowed by a wildcard": {egress.Policy{Mode: toolspec.NetworkAllowlist, Rules: []string{"*.test"}, OperatorHosts: []string{"inner.test"}}, "http://inner.test/", "dial"},
		"operator address, name of it":         {egress.Policy{Mode: toolspec.NetworkStrict, OperatorHosts: []string{"10.0.0.7"}}, "http://inner.test/", resolved},
		"operator address, mapped":             {egress.Policy{Mode: toolspec.NetworkStrict, OperatorHosts: []string{"10.0.0.7"}}, "http://[::ffff:10.0.0.7]/", literal},
		"operator address":                     {egress.Policy{Mode: toolspec.NetworkStrict, OperatorHosts: []string{"10.0.0.7:80"}}, "http://10.0.0.7/", "dial"},
		"operator localhost, not below it":     {egress.Policy{Mode: toolspec.NetworkStrict, OperatorHosts: []string{"localhost"}}, "http://a.localhost/", resolved},
	} {
		t.Run(name, func(t *testing.T) {
			internal := tt.want == "dial"
			b := newBench(t, tt.policy, http.HandlerFunc(redirecting), public(), func(o *egress.Options) {
				if internal {
					o.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("reached the dialler") }
				}
			})
			_, err := get(t, b, tt.url)
			if internal {
				require.Equal(t, "io", reason(t, err))
				assert.ErrorContains(t, errors.Unwrap(err), "reached the dialler")
				return
			}
			assert.Equal(t, tt.want, reason(t, err), "%v", err)
		})
	}
}

func allow(rules ...string) egress.Policy {
	return egress.Policy{Mode: toolspec.NetworkAllowlist, Rules: rules}
}

func TestBadPolicies(t *testing.T) {
	for name, tt := range map[string]struct {
		policy egress.Policy
		want   string
	}{
		"mode":                {egress.Policy{Mode: "permissive"}, "unknown-egress-level"},
		"rules without a use": {egress.Policy{Mode: toolspec.NetworkStrict, Rules: []string{"good.test"}}, "invalid-rule"},
		"rule":                {allow("https://good.test"), "invalid-rule"},
		"deny":                {egress.Policy{Mode: toolspec.NetworkStrict, Deny: []string{""}}, "invalid-rule"},
		"operator wildcard":   {egress.Policy{OperatorHosts: []string{"*.corp.test"}}, "invalid-rule"},
		"operator any":        {egress.Policy{OperatorHosts: []string{"*"}}, "invalid-rule"},
		"operator path":       {egress.Policy{OperatorHosts: []string{"corp.test/x"}}, "invalid-rule"},
		"operator method":     {egress.Policy{OperatorHosts: []string{"GET corp.test"}}, "invalid-rule"},
		"operator scheme":     {egress.Policy{OperatorHosts: []string{"http://corp.test"}}, "invalid-rule"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := egress.New(tt.policy, nil)
			assert.Equal(t, tt.want, reason(t, err))
		})
	}
}

// One look-up decides: the connection goes to the address that was judged, and a
// later look-up is judged anew.
func TestRebinding(t *testing.T) {
	b := newBench(t, egress.Policy{Mode: toolspec.NetworkStrict}, nil, map[string][]string{"flip.test": {"93.184.215.20", "10.0.0.9"}}, nil)
	_, err := get(t, b, "http://flip.test/")
	require.NoError(t, err)
	assert.Equal(t, []string{"flip.test"}, b.dns.asked, "asked once")
	assert.Equal(t, []string{"93.184.215.20:80"}, b.net.dialed)
	_, err = get(t, b, "http://flip.test/") // over the connection that is open
	require.NoError(t, err)
	_, err = get(t, b, "http://flip.test:81/") // a new one
	assert.Equal(t, resolved, reason(t, err))
	assert.Len(t, b.net.dialed, 1)
	var e *egress.Error
	require.ErrorAs(t, err, &e)
	assert.NotContains(t, e.Message, "10.0.0.9", "code does not learn what a name means inside")
	assert.Contains(t, e.Detail, "10.0.0.9")
}

// Without a hook the address of the socket itself is judged: here by a resolver
// that answers with what an operator's name may have but metadata may not.
func TestRealDialer(t *testing.T) {
	leak.Check(t)
	srv := httptest.NewServer(http.HandlerFunc(redirecting))
	defer srv.Close()
	port := srv.URL[strings.LastIndexByte(srv.URL, ':'):]
	dns := &answers{table: map[string][]string{"inner.test": {"127.0.0.1"}, "both.test": {"::1,127.0.0.1"}}}
	for name, tt := range map[string]struct {
		hosts     []string
		url, want string
	}{
		"not listed":       {nil, srv.URL, literal},
		"listed":           {[]string{"127.0.0.1" + port}, srv.URL, ""},
		"other port":       {[]string{"127.0.0.1:1"}, srv.URL, literal},
		"by name":          {[]string{"inner.test"}, "http://inner.test" + port, ""},
		"both families":    {[]string{"both.test"}, "http://both.test" + port, ""},
		"redirect inside":  {[]string{"127.0.0.1"}, srv.URL + "/go?to=http://10.0.0.1/", literal},
		"nobody listening": {[]string{"127.0.0.1"}, "http://127.0.0.1:1/", "io"},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := egress.New(egress.Policy{Mode: toolspec.NetworkStrict, OperatorHosts: tt.hosts}, &egress.Options{Resolver: dns})
			require.NoError(t, err)
			defer g.Close()
			_, err = get(t, g, tt.url)
			assert.Equal(t, tt.want, reason(t, err), "%v", err)
		})
	}
}

// The name stays what TLS verifies and what the Host header says.
func TestTLS(t *testing.T) {
	leak.Check(t)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Host+" "+r.TLS.ServerName+" "+r.Proto)
	}))
	srv.EnableHTTP2 = true
	srv.StartTLS()
	defer srv.Close()
	roots := x509.NewCertPool()
	roots.AddCert(srv.Certificate()) // for example.com and 127.0.0.1
	n := &network{t: t, server: srv.Listener.Addr().String()}
	dns := &answers{table: map[string][]string{"example.com": {"93.184.215.20"}, "other.test": {"93.184.215.20"}}}
	g, err := egress.New(egress.Policy{Mode: toolspec.NetworkStrict}, &egress.Options{Resolver: dns, Dial: n.dial, TLS: &tls.Config{RootCAs: roots, ServerName: "wrong.test"}})
	require.NoError(t, err)
	defer g.Close()

	body, err := get(t, g, "https://example.com/")
	require.NoError(t, err)
	assert.Equal(t, "example.com example.com HTTP/2.0", body)
	assert.Equal(t, []string{"93.184.215.20:443"}, n.dialed)
	_, err = get(t, g, "https://other.test/")
	assert.Equal(t, "tls", reason(t, err), "the certificate is for another name")
	_, err = get(t, g, "http://example.com:443/")
	assert.NoError(t, err, "the server answers in plain text that it wants TLS")

	unknown, err := egress.New(egress.Policy{Mode: toolspec.NetworkStrict}, &egress.Options{Resolver: dns, Dial: n.dial})
	require.NoError(t, err)
	defer unknown.Close()
	_, err = get(t, unknown, "https://example.com/")
	assert.Equal(t, "tls", reason(t, err), "an authority that nobody knows")
}

func TestProxiesOfTheEnvironmentAreIgnored(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"} {
		t.Setenv(name, "http://10.9.9.9:3128")
	}
	b := newBench(t, egress.Policy{Mode: toolspec.NetworkStrict}, nil, public(), nil)
	_, err := get(t, b, "http://good.test/")
	require.NoError(t, err)
	assert.Equal(t, []string{"93.184.215.20:80"}, b.net.dialed)
}

// D27 and what else belongs to the connection.
func TestHeaders(t *testing.T) {
	var got http.Header
	var host, encoding string
	b := newBench(t, egress.Policy{Mode: toolspec.NetworkStrict}, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got, host, encoding = r.Header.Clone(), r.Host, strings.Join(r.TransferEncoding, ",")
	}), public(), nil)
	header := http.Header{
		"Host": {"inner.test"}, "host": {"inner.test"}, "HOST": {"inner.test"}, "Connection": {"upgrade"}, "connection": {"x"}, "Keep-Alive": {"1"},
		"Content-Length": {"1"}, "content-length": {"2"}, "Expect": {"100-continue"}, "Upgrade": {"h2c"}, "TE": {"trailers"}, "Te": {"trailers"}, "Trailer": {"X"},
		"Transfer-Encoding": {"chunked"}, "transfer-encoding": {"chunked"}, "Proxy-Authorization": {"Basic x"}, "Proxy-Connection": {"x"}, "pRoXy-x": {"y"},
		"X-Kept": {"1"}, "Authorization": {"Bearer kept"},
	}
	_, err := send(t, b, "POST", "http://good.test/a b?q=a b&r=<é>", "body", header)
	require.NoError(t, err)
	assert.Equal(t, "good.test", host)
	assert.Empty(t, encoding)
	assert.Equal(t, http.Header{"X-Kept": {"1"}, "Authorization": {"Bearer kept"}, "Accept-Encoding": {"gzip"}, "Content-Length": {"4"}, "User-Agent": got["User-Agent"]}, got)

	for name, h := range map[string]http.Header{
		"line end in a value": {"X-A": {"1\r\nHost: inner.test"}},
		"line feed":           {"X-A": {"1\nX-B: 2"}},
		"carriage return":     {"X-A": {"1\rX-B: 2"}},
		"NUL":                 {"X-A": {"1\x00"}},
		"line end in a name":  {"X-A: 1\r\nX-B": {"2"}},
		"blank in a name":     {"X A": {"2"}},
		"colon in a name":     {"X-A:": {"2"}},
		"empty name":          {"": {"2"}},
		"in a left-out one":   {"Host": {"a\r\nX-B: 1"}},
	} {
		_, err := send(t, b, "GET", "http://good.test/", "", h)
		assert.Equal(t, "invalid-header", reason(t, err), name)
	}
	for _, method := range []string{"CONNECT", "TRACE", "TRACK", "GET /x HTTP/1.1\r\nHost: y\r\n\r\nGET", "G T"} {
		_, err := b.RoundTrip(&http.Request{Method: method, URL: &url.URL{Scheme: "http", Host: "good.test"}})
		assert.Equal(t, "invalid-method", reason(t, err), method)
	}
}

// URLs that nobody parsed are judged as strictly.
func TestMadeURLs(t *testing.T) {
	b := newBench(t, egress.Policy{Mode: toolspec.NetworkStrict}, nil, public(), nil)
	for name, tt := range map[string]struct {
		url  *url.URL
		want string
	}{
		"none":                {nil, "missing-url"},
		"opaque":              {&url.URL{Scheme: "http", Host: "good.test", Opaque: "//inner.test/"}, "missing-host"},
		"no host":             {&url.URL{Scheme: "http", Path: "/x"}, "missing-host"},
		"user":                {&url.URL{Scheme: "http", Host: "good.test", User: url.User("")}, "invalid-url"},
		"user in the host":    {&url.URL{Scheme: "http", Host: "good.test@inner.test"}, "invalid-url"},
		"path in the host":    {&url.URL{Scheme: "http", Host: "good.test/x"}, "invalid-url"},
		"line end":            {&url.URL{Scheme: "http", Host: "good.test\r\nX: y"}, "invalid-url"},
		"name in brackets":    {&url.URL{Scheme: "http", Host: "[good.test]"}, "invalid-url"},
		"scheme in capitals":  {&url.URL{Scheme: "HTTP", Host: "good.test"}, "invalid-url"},
		"no scheme":           {&url.URL{Host: "good.test"}, "unsupported-scheme"},
		"behind the brackets": {&url.URL{Scheme: "http", Host: "[::1]x"}, "invalid-url"},
		"open bracket":        {&url.URL{Scheme: "http", Host: "[::1"}, "invalid-url"},
		"zone":                {&url.URL{Scheme: "http", Host: "[fe80::1%lo]"}, literal},
		"fine":                {&url.URL{Scheme: "http", Host: "good.test"}, ""},
	} {
		resp, err := b.RoundTrip(&http.Request{URL: tt.url})
		assert.Equal(t, tt.want, reason(t, err), name)
		if err == nil {
			resp.Body.Close()
		}
	}
}

func TestLimits(t *testing.T) {
	var cut atomic.Bool
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/bomb": // 1 GiB in a few hundred kilobytes
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			block := make([]byte, 1<<20)
			for range 1 << 10 {
				if _, err := z.Write(block); err != nil {
					cut.Store(true)
					return
				}
			}
			z.Close()
		case "/endless":
			block := make([]byte, 64<<10)
			for {
				if _, err := w.Write(block); err != nil {
					cut.Store(true)
					return
				}
			}
		case "/exact":
			w.Write(make([]byte, 1<<20))
		case "/header":
			w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
		case "/half":
			w.Header().Set("Content-Length", "100")
			w.Write([]byte("x"))
		default:
			io.Copy(w, r.Body)
		}
	})
	b := newBench(t, egress.Policy{Mode: toolspec.NetworkStrict}, handler, public(), func(o *egress.Options) {
		o.Limits = egress.Limits{Body: 1 << 20, Bytes: 3 << 20, Requests: 6, Send: 1000}
	})
	for _, path := range []string{"bomb", "endless"} {
		body, err := get(t, b, "http://good.test/"+path)
		assert.Equal(t, "response-body-too-large", reason(t, err), path)
		assert.Len(t, body, 1<<20, "%s: what fits is there", path)
	}
	body, err := get(t, b, "http://good.test/exact")
	require.NoError(t, err)
	assert.Len(t, body, 1<<20)
	_, err = get(t, b, "http://good.test/header")
	assert.Equal(t, "io", reason(t, err))
	_, err = get(t, b, "http://good.test/half")
	assert.Equal(t, "io", reason(t, err))
	_, err = send(t, b, "POST", "http://good.test/", strings.Repeat("x", 1000), nil)
	assert.NoError(t, err)
	_, err = send(t, b, "POST", "http://good.test/", strings.Repeat("x", 1001), nil)
	assert.Equal(t, "request-body-too-large", reason(t, err))
	u, _ := url.Parse("http://good.test/")
	_, err = b.RoundTrip(&http.Request{Method: "POST", URL: u, Body: io.NopCloser(io.LimitReader(zeros{}, 5000))})
	assert.Equal(t, "request-body-too-large", reason(t, err), "of unknown length")

	call, err := b.NewCall(nil)
	require.NoError(t, err)
	for range 3 {
		_, err = get(t, call, "http://good.test/exact")
		require.NoError(t, err)
	}
	_, err = get(t, call, "http://good.test/exact")
	assert.Equal(t, "byte-budget", reason(t, err))
	_, err = get(t, call, "http://10.0.0.1/")
	assert.Equal(t, literal, reason(t, err))
	_, err = get(t, call, "http://good.test/header")
	require.Error(t, err)
	_, err = get(t, call, "http://good.test/")
	assert.Equal(t, "request-budget", reason(t, err))
	requests, bytes := call.Usage()
	assert.Equal(t, 7, requests)
	assert.Greater(t, bytes, int64(3<<20))
	assert.Equal(t, []toolspec.Denial{{Component: "fetch", Reason: literal, Detail: "10.0.0.1 -> 10.0.0.1"}}, call.Denials())

	lower, err := b.NewCall(&egress.CallOptions{Limits: egress.Limits{Body: 10, Requests: 100}})
	require.NoError(t, err)
	_, err = get(t, lower, "http://good.test/exact")
	assert.Equal(t, "response-body-too-large", reason(t, err))
	for range 5 {
		_, err = get(t, lower, "http://good.test/")
		require.NoError(t, err)
	}
	_, err = get(t, lower, "http://good.test/")
	assert.Equal(t, "request-budget", reason(t, err), "a call cannot raise the guard's limits")
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestTimes(t *testing.T) {
	for name, tt := range map[string]struct {
		dial func(context.Context) (net.Conn, error)
		want time.Duration
	}{
		"connect":  {func(ctx context.Context) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() }, 5 * time.Second},
		"response": {func(context.Context) (net.Conn, error) { a, b := net.Pipe(); go io.Copy(io.Discard, b); return a, nil }, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dns := &answers{table: public()}
				g, err := egress.New(egress.Policy{Mode: toolspec.NetworkStrict}, &egress.Options{Resolver: dns,
					Dial: func(ctx context.Context, _, _ string) (net.Conn, error) { return tt.dial(ctx) }})
				require.NoError(t, err)
				start := time.Now()
				_, err = get(t, g, "http://good.test/")
				assert.Equal(t, "timeout", reason(t, err))
				assert.ErrorIs(t, err, context.DeadlineExceeded)
				var timeout net.Error
				assert.True(t, errors.As(err, &timeout) && timeout.Timeout())
				assert.Equal(t, tt.want, time.Since(start))

				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Second, cancel)
				req, err := http.NewRequestWithContext(ctx, "GET", "http://good.test/", nil)
				require.NoError(t, err)
				_, err = g.Do(req)
				assert.Equal(t, "interrupted", reason(t, err))
				assert.ErrorIs(t, err, context.Canceled)
				require.NoError(t, g.Close())
				synctest.Wait()
			})
		})
	}
}

// A family that does not answer costs a quarter of a second, not the request.
func TestFamilies(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(redirecting))
	defer srv.Close()
	dns := &answers{table: map[string][]string{"both.test": {"2606:2800::1,93.184.215.20"}, "two.test": {"93.184.215.20,93.184.215.21"}}}
	hang := func(ctx context.Context) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() }
	real := func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", srv.Listener.Addr().String())
	}
	fail := func(context.Context) (net.Conn, error) { return nil, errors.New("unreachable") }
	for name, tt := range map[string]struct {
		host  string
		dials map[string]func(context.Context) (net.Conn, error)
		want  string
	}{
		"first hangs":    {"both.test", map[string]func(context.Context) (net.Conn, error){"2606:2800::1": hang, "93.184.215.20": real}, ""},
		"first fails":    {"both.test", map[string]func(context.Context) (net.Conn, error){"2606:2800::1": fail, "93.184.215.20": real}, ""},
		"second fails":   {"both.test", map[string]func(context.Context) (net.Conn, error){"2606:2800::1": real, "93.184.215.20": fail}, ""},
		"both fail":      {"both.test", map[string]func(context.Context) (net.Conn, error){"2606:2800::1": fail, "93.184.215.20": fail}, "io"},
		"next address":   {"two.test", map[string]func(context.Context) (net.Conn, error){"93.184.215.20": fail, "93.184.215.21": real}, ""},
		"next in time":   {"two.test", map[string]func(context.Context) (net.Conn, error){"93.184.215.20": hang, "93.184.215.21": real}, ""},
		"none in time":   {"two.test", map[string]func(context.Context) (net.Conn, error){"93.184.215.20": hang, "93.184.215.21": hang}, "timeout"},
		"none is there":  {"two.test", map[string]func(context.Context) (net.Conn, error){"93.184.215.20": fail, "93.184.215.21": fail}, "io"},
		"both too slow":  {"both.test", map[string]func(context.Context) (net.Conn, error){"2606:2800::1": hang, "93.184.215.20": hang}, "timeout"},
		"slow then fail": {"both.test", map[string]func(context.Context) (net.Conn, error){"2606:2800::1": hang, "93.184.215.20": fail}, "io"},
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			g, err := egress.New(egress.Policy{Mode: toolspec.NetworkStrict}, &egress.Options{Resolver: dns, Limits: egress.Limits{Connect: 600 * time.Millisecond},
				Dial: func(ctx context.Context, _, address string) (net.Conn, error) {
					return tt.dials[netip.MustParseAddrPort(address).Addr().String()](ctx)
				}})
			require.NoError(t, err)
			defer g.Close()
			_, err = get(t, g, "http://"+tt.host+"/")
			assert.Equal(t, tt.want, reason(t, err), "%v", err)
		})
	}
}

func TestClosed(t *testing.T) {
	leak.Check(t)
	b := newBench(t, egress.Policy{Mode: toolspec.NetworkStrict}, nil, public(), nil)
	u, _ := url.Parse("http://good.test/")
	resp, err := b.RoundTrip(&http.Request{URL: u})
	require.NoError(t, err)
	require.NoError(t, b.Close())
	require.NoError(t, b.Close())
	body, err := read(resp)
	require.NoError(t, err, "a body that is open can be read")
	assert.Equal(t, "reached good.test", body)
	_, err = b.RoundTrip(&http.Request{URL: u})
	assert.ErrorIs(t, err, egress.ErrClosed)
}

func TestTelemetry(t *testing.T) {
	reader := metric.NewManualReader()
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	b := newBench(t, egress.Policy{Mode: toolspec.NetworkStrict}, nil, public(), func(o *egress.Options) {
		o.Telemetry = &genai.Telemetry{Meter: provider.Meter("test")}
	})
	for range 2 {
		_, err := get(t, b, "http://10.0.0.1/")
		require.Error(t, err)
	}
	_, err := get(t, b, "http://nowhere.test/")
	require.Error(t, err)
	var data metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(t.Context(), &data))
	counted := map[string]int64{}
	for _, m := range data.ScopeMetrics[0].Metrics {
		for _, p := range m.Data.(metricdata.Sum[int64]).DataPoints {
			kind, _ := p.Attributes.Value(genai.KeySandboxKind)
			why, _ := p.Attributes.Value(genai.KeySandboxReason)
			counted[kind.AsString()+" "+why.AsString()] = p.Value
		}
	}
	assert.Equal(t, map[string]int64{"fetch literal-private-ip": 2, "fetch dns-resolution-failed": 1}, counted)
}

func TestErrorVocabulary(t *testing.T) {
	b := newBench(t, egress.Policy{Mode: toolspec.NetworkStrict}, nil, public(), nil)
	_, err := get(t, b, "http://10.0.0.1/?key=value")
	var e *egress.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, `[fetch] denied: "10.0.0.1" is an address that is not public`, e.Error())
	assert.True(t, e.Denied())
	assert.False(t, e.Timeout() || e.Temporary())
	call := e.CallError()
	assert.Equal(t, toolspec.CallError{Kind: toolspec.KindSecurity, Reason: literal, Component: "fetch", Message: e.Message}, *call)
}

func TestPolicyOf(t *testing.T) {
	p := egress.PolicyOf(toolspec.NetworkPosture{Mode: toolspec.NetworkAllowlist, Hosts: []string{"a.test"}},
		[]string{"Intranet.Test.:8080", "*.corp.test", "*", "10.0.0.7", "GET tools.test/x", "https://bad", "[fd00::1]:80"})
	assert.Equal(t, egress.Policy{Mode: toolspec.NetworkAllowlist, Rules: []string{"a.test"},
		OperatorHosts: []string{"intranet.test:8080", "10.0.0.7", "tools.test", "[fd00::1]:80"}}, p)
	_, err := egress.New(p, nil)
	assert.NoError(t, err)
}

func TestPublic(t *testing.T) {
	assert.False(t, egress.Public(netip.Addr{}))
	assert.False(t, egress.Public(netip.MustParseAddr("2606:2800::1%eth0")))
	for _, text := range []string{"93.184.215.20", "2606:2800::1", "64:ff9b::5db8:d714"} {
		assert.True(t, egress.Public(netip.MustParseAddr(text)), text)
	}
	for _, text := range []string{"2001:db8::5efe:93.184.215.20", "::ffff:10.0.0.1", "fd00::1"} {
		assert.False(t, egress.Public(netip.MustParseAddr(text)), text)
	}
}

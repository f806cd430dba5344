package egress_test

import (
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
	"testing"
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

// A family that does not answer costs a quarter of a second, not the request.
func TestFamilies(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(redirecting))
	t.Cleanup(srv.Close)
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
			t.Parallel()
			leak.Check(t)
			g, err := egress.New(egress.Policy{Mode: toolspec.NetworkStrict}, &egress.Options{Resolver: dns, Limits: egress.Limits{Connect: 2 * time.Second},
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
		o.Telemetry = &genai.Telemetry{MeterProvider: provider}
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

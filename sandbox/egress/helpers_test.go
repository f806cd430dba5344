package egress_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/toolspec"
)

// answers is a resolver with fixed answers. Further look-ups of a name get the
// further entries of its list, the last one again and again.
type answers struct {
	mu    sync.Mutex
	table map[string][]string // name: answers, each a list of addresses
	asked []string
}

func (a *answers) LookupNetIP(ctx context.Context, _, host string) ([]netip.Addr, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = append(a.asked, host)
	list, ok := a.table[host]
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	answer := list[0]
	if len(list) > 1 {
		a.table[host] = list[1:]
	}
	var addrs []netip.Addr
	for text := range strings.SplitSeq(answer, ",") {
		if text != "" {
			addrs = append(addrs, netip.MustParseAddr(text))
		}
	}
	return addrs, ctx.Err()
}

// network is what a guard dials into: every address that may be dialled leads to
// one server on loopback, and what is dialled is written down.
type network struct {
	t      testing.TB
	server string
	mu     sync.Mutex
	dialed []string
}

func (n *network) dial(ctx context.Context, _, address string) (net.Conn, error) {
	n.mu.Lock()
	n.dialed = append(n.dialed, address)
	n.mu.Unlock()
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		n.t.Errorf("dialled %q, which is no address", address)
		return nil, err
	}
	if forbidden(ap.Addr()) {
		n.t.Errorf("dialled %s, a forbidden address", address)
	}
	var d net.Dialer
	return d.DialContext(ctx, "tcp", n.server)
}

// forbidden is the test's own reading of the blocked ranges, written apart from
// the package's: text prefixes of the usual spelling for IPv4, and for IPv6 what
// is not 2000::/3 or embeds IPv4.
func forbidden(addr netip.Addr) bool {
	if addr.Is4() || addr.Is4In6() {
		b := addr.Unmap().As4()
		n := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
		for _, r := range [][2]uint32{
			{0x00000000, 0x00ffffff}, {0x0a000000, 0x0affffff}, {0x64400000, 0x647fffff}, {0x7f000000, 0x7fffffff},
			{0xa9fe0000, 0xa9feffff}, {0xac100000, 0xac1fffff}, {0xc0000000, 0xc00000ff}, {0xc0000200, 0xc00002ff},
			{0xc0586300, 0xc05863ff}, {0xc0a80000, 0xc0a8ffff}, {0xc6120000, 0xc613ffff}, {0xc6336400, 0xc63364ff},
			{0xcb007100, 0xcb0071ff}, {0xe0000000, 0xffffffff},
		} {
			if n >= r[0] && n <= r[1] {
				return true
			}
		}
		return false
	}
	b := addr.As16()
	four := func(i int) bool { return forbidden(netip.AddrFrom4([4]byte(b[i : i+4]))) }
	full := addr.StringExpanded()
	switch {
	case strings.HasPrefix(full, "0000:0000:0000:0000:0000:0000:"), strings.HasPrefix(full, "0000:0000:0000:0000:ffff:0000:"),
		strings.HasPrefix(full, "0064:ff9b:0000:0000:0000:0000:"):
		return four(12)
	case strings.HasPrefix(full, "2002:"):
		return four(2)
	case strings.HasPrefix(full, "2001:0000:"), strings.HasPrefix(full, "2001:0db8:"):
		return true
	}
	return b[0]>>5 != 1
}

// bench is one guard over a fake resolver and a recording network.
type bench struct {
	*egress.Guard
	dns *answers
	net *network
	srv *httptest.Server
}

// newBench makes a guard whose connections all end at handler.
func newBench(t testing.TB, policy egress.Policy, handler http.Handler, dns map[string][]string, change func(*egress.Options)) *bench {
	t.Helper()
	if handler == nil {
		handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("reached " + r.Host)) })
	}
	srv := httptest.NewServer(handler)
	t.Cleanup(srv.Close)
	b := &bench{dns: &answers{table: dns}, net: &network{t: t, server: srv.Listener.Addr().String()}, srv: srv}
	opts := &egress.Options{Resolver: b.dns, Dial: b.net.dial}
	if change != nil {
		change(opts)
	}
	g, err := egress.New(policy, opts)
	require.NoError(t, err)
	t.Cleanup(func() { g.Close() })
	b.Guard = g
	return b
}

// doer sends a request: a Guard or a Call.
type doer interface {
	Do(*http.Request) (*http.Response, error)
}

// get fetches a URL through d and gives the body.
func get(t testing.TB, d doer, url string) (string, error) {
	t.Helper()
	return send(t, d, "GET", url, "", nil)
}

func send(t testing.TB, d doer, method, url, body string, header http.Header) (string, error) {
	t.Helper()
	u, err := egress.ParseURL(url)
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(t.Context(), method, "http://x/", strings.NewReader(body))
	require.NoError(t, err)
	if body == "" {
		req.Body, req.GetBody = nil, nil
	}
	req.URL, req.Host = u, ""
	for name, values := range header {
		req.Header[name] = values
	}
	resp, err := d.Do(req)
	if err != nil {
		return "", err
	}
	return read(resp)
}

func read(resp *http.Response) (string, error) {
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return string(b), err
}

// reason gives the kind and reason of an error, "" for none.
func reason(t testing.TB, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var e *egress.Error
	require.ErrorAs(t, err, &e, "every error is an *egress.Error")
	if e.Denied() {
		require.True(t, strings.HasPrefix(e.Message, "[fetch] denied: "), e.Message)
	} else {
		require.True(t, strings.HasPrefix(e.Message, "[fetch] "), e.Message)
	}
	require.Equal(t, e.Kind == toolspec.KindSecurity, e.Denied())
	return e.Reason
}

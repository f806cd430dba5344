package egress

import (
	"context"
	"errors"
	"fmt"
	"github.com/localpass/localpass/internal/clip"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"time"

	"github.com/localpass/localpass/toolspec"
)

// Resolver looks up the addresses of a name, like [net.Resolver].
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// DialFunc connects to an address that has been checked: address is an IP address and a
// port, never a name.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// rooted looks up names with the system's resolver but without the search list of this
// machine: "example.com" never becomes "example.com.corp.internal". A name without a dot
// is resolved as the machine is configured.
type rooted struct{}

func (rooted) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	if strings.IndexByte(host, '.') > 0 {
		host += "."
	}
	return net.DefaultResolver.LookupNetIP(ctx, network, host)
}

// maxAddresses is the maximum number of addresses in a DNS answer; a name with more is
// refused, since all addresses must be checked.
const maxAddresses = 64

// fallback is how long the preferred address family is tried before the other family is
// tried in parallel (RFC 8305 recommends 250 ms).
const fallback = 250 * time.Millisecond

// dial is the DialContext of a Guard's transport. It looks up a name once, checks every
// address in the answer, and connects to one of them.
func (g *Guard) dial(ctx context.Context, _, hostport string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, g.limits.Connect)
	defer cancel()
	defer context.AfterFunc(g.closing, cancel)()
	text, port, bad := splitHost(hostport)
	if bad != nil {
		return nil, bad
	}
	t := target{port: port}
	if t.host, bad = parseHost(text); bad != nil {
		return nil, bad
	}
	addrs, bad := g.addresses(ctx, &t)
	if bad != nil {
		return nil, bad
	}
	return g.connect(ctx, &t, addrs)
}

// addresses returns the checked addresses of t, in the order in which to try them.
func (g *Guard) addresses(ctx context.Context, t *target) ([]netip.Addr, *Error) {
	if t.addr.IsValid() {
		return []netip.Addr{t.addr}, g.policy.judgeAddr(t, t.addr, ReasonLiteralPrivate)
	}
	if local(t.name) && !g.policy.opened(t) {
		return nil, denied(ReasonResolvedPrivate, clip.Quote(t.name, 80)+" is this machine, which is not reachable")
	}
	found, err := g.resolver.LookupNetIP(ctx, "ip", t.name)
	if err != nil {
		return nil, g.lookupError(ctx, t, err)
	}
	switch {
	case len(found) == 0:
		return nil, denied(ReasonDNSEmpty, clip.Quote(t.name, 80)+" has no address")
	case len(found) > maxAddresses:
		return nil, denied(ReasonDNSFailed, fmt.Sprintf("%s has more than %d addresses", clip.Quote(t.name, 80), maxAddresses))
	}
	addrs := make([]netip.Addr, len(found))
	for i, addr := range found {
		if !addr.IsValid() {
			return nil, denied(ReasonDNSFailed, "the answer for "+clip.Quote(t.name, 80)+" holds something that is no address")
		}
		if err := g.policy.judgeAddr(t, addr, ReasonResolvedPrivate); err != nil {
			return nil, err
		}
		addrs[i] = addr.Unmap()
	}
	return addrs, nil
}

func (g *Guard) lookupError(ctx context.Context, t *target, err error) *Error {
	var dns *net.DNSError
	switch {
	case ctx.Err() != nil || errors.As(err, &dns) && dns.IsTimeout:
		return failed(ReasonTimeout, "looking up "+clip.Quote(t.name, 80)+" took too long", ended(ctx, err))
	case g.policy.mode == toolspec.NetworkOpen: // the name does not exist, which is not a refusal
		return failed(ReasonDNSUnknownHost, clip.Quote(t.name, 80)+" is not a known host", err)
	}
	e := denied(ReasonDNSFailed, clip.Quote(t.name, 80)+" could not be looked up")
	e.Err = err
	return e
}

// connect tries the addresses of the first one's family in turn, and in parallel those of
// the other family once the first ones are slow or have failed.
func (g *Guard) connect(ctx context.Context, t *target, addrs []netip.Addr) (net.Conn, error) {
	var first, second []netip.Addr
	for _, a := range addrs {
		if a.Is4() == addrs[0].Is4() {
			first = append(first, a)
		} else {
			second = append(second, a)
		}
	}
	if len(second) == 0 {
		return g.serial(ctx, t, first)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // cancels the slower attempt
	type result struct {
		conn net.Conn
		err  error
	}
	results := make(chan result)
	done := make(chan struct{})
	defer close(done)
	start := func(list []netip.Addr) {
		conn, err := g.serial(ctx, t, list)
		select {
		case results <- result{conn, err}:
		case <-done:
			if conn != nil {
				conn.Close()
			}
		}
	}
	go start(first)
	timer := time.NewTimer(fallback)
	defer timer.Stop()
	running, started := 1, false
	var cause error
	for {
		select {
		case <-timer.C:
			if !started {
				started, running = true, running+1
				go start(second)
			}
		case r := <-results:
			if r.err == nil {
				return r.conn, nil
			}
			if cause == nil {
				cause = r.err
			}
			if running--; !started {
				started, running = true, running+1
				go start(second)
			}
			if running == 0 {
				return nil, cause
			}
		}
	}
}

// serial tries addresses one after another. Each gets a share of the remaining time, so
// that an address that does not answer leaves time for the next.
func (g *Guard) serial(ctx context.Context, t *target, addrs []netip.Addr) (net.Conn, error) {
	var cause error
	for i, addr := range addrs {
		if err := ctx.Err(); err != nil {
			if cause == nil {
				cause = err
			}
			break
		}
		share, cancel := ctx, context.CancelFunc(func() {})
		if deadline, ok := ctx.Deadline(); ok && i < len(addrs)-1 {
			share, cancel = context.WithTimeout(ctx, time.Until(deadline)/time.Duration(len(addrs)-i))
		}
		conn, err := g.dialOne(share, t, addr)
		cancel()
		if err == nil {
			return conn, nil
		}
		var e *Error
		if errors.As(err, &e) && e.Denied() {
			return nil, e
		}
		if cause == nil {
			cause = err
		}
	}
	var e *Error
	if errors.As(cause, &e) {
		return nil, e
	}
	if ctx.Err() != nil {
		return nil, failed(ReasonTimeout, "connecting to "+clip.Quote(t.hostport(), 80)+" took too long", ended(ctx, cause))
	}
	return nil, failed(ReasonIO, "no connection to "+clip.Quote(t.hostport(), 80)+reached(cause), cause)
}

// reached returns details about a failed connection, for the message.
func reached(err error) string {
	if errors.Is(err, syscall.ECONNREFUSED) {
		return ": refused"
	}
	return ""
}

func (g *Guard) dialOne(ctx context.Context, t *target, addr netip.Addr) (net.Conn, error) {
	network := "tcp6"
	if addr = addr.Unmap(); addr.Is4() {
		network = "tcp4"
	}
	to := netip.AddrPortFrom(addr, t.port).String()
	if g.hook != nil {
		return g.hook(ctx, network, to)
	}
	d := net.Dialer{KeepAlive: -1, Control: func(_, address string, _ syscall.RawConn) error { return g.control(t, address) }}
	return d.DialContext(ctx, network, to)
}

// control checks the address of a socket that is about to connect. This is the final
// check.
func (g *Guard) control(t *target, address string) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return &Error{Kind: toolspec.KindSecurity, Reason: ReasonResolvedPrivate, Message: "[fetch] denied: the address to connect to cannot be read", Detail: address, Err: err}
	}
	if bad := g.policy.judgeAddr(t, ap.Addr(), ReasonResolvedPrivate); bad != nil {
		return bad
	}
	return nil
}

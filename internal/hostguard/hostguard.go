// Package hostguard checks the Host and Origin headers of requests. The hub and the HTTP
// APIs use it against DNS rebinding, where a web page makes its own host name point to
// this machine, and against requests from foreign web pages.
package hostguard

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// Names are the hosts and origins that the operator allowed in addition to those of the
// loopback interface. The zero value allows none. It is safe for concurrent use.
type Names struct {
	hosts   map[string]bool // lower case, with or without a port
	origins map[string]bool // lower case, scheme and host
}

// New reads the lists. A host is a name, with a port or without one, such as
// "mcp.example.com"; an origin is a scheme and a host, such as
// "https://app.example.com".
func New(hosts, origins []string) (*Names, error) {
	n := &Names{hosts: make(map[string]bool, len(hosts)), origins: make(map[string]bool, len(origins))}
	for _, origin := range origins {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme == "" || u.Host == "" || strings.TrimSuffix(origin, "/") != u.Scheme+"://"+u.Host {
			return nil, fmt.Errorf(`allowed origin %q is none: write scheme and host, such as "https://app.example.com"`, origin)
		}
		n.origins[strings.ToLower(u.Scheme+"://"+u.Host)] = true
	}
	for _, host := range hosts {
		if host == "" || strings.ContainsAny(host, "/ *") {
			return nil, fmt.Errorf(`allowed host %q is none: write a name, such as "mcp.example.com"`, host)
		}
		n.hosts[strings.ToLower(host)] = true
	}
	return n, nil
}

// Host reports whether the operator allowed the Host header.
func (n *Names) Host(host string) bool {
	host = strings.ToLower(host)
	return n.hosts[host] || n.hosts[withoutPort(host)]
}

// NoHosts reports whether the operator allowed no host at all.
func (n *Names) NoHosts() bool { return len(n.hosts) == 0 }

// Origin reports whether the operator allowed the Origin header.
func (n *Names) Origin(origin string) bool { return n.origins[strings.ToLower(origin)] }

// IsLoopback reports whether only this machine can reach a listener's address.
func IsLoopback(addr net.Addr) bool {
	switch a := addr.(type) {
	case *net.TCPAddr:
		return a.IP.IsLoopback()
	case *net.UnixAddr:
		return true
	}
	return false
}

// IsLoopbackName reports whether a Host header or the host of an origin, with
// or without a port, names this machine and nothing that DNS could redirect.
func IsLoopbackName(host string) bool {
	host = withoutPort(host)
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// IsLoopbackOrigin reports whether an Origin header names a page that this machine
// serves, on any port.
func IsLoopbackOrigin(origin string) bool {
	host, ok := OriginHost(origin)
	return ok && IsLoopbackName(host)
}

// OriginHost returns the host of an Origin header, with its port. ok is false for
// anything but a bare http or https origin, the form that browsers send.
func OriginHost(origin string) (host string, ok bool) {
	origin = strings.ToLower(origin)
	for _, scheme := range []string{"http://", "https://"} {
		if host, ok := strings.CutPrefix(origin, scheme); ok {
			return host, host != "" && !strings.ContainsAny(host, "/?#@")
		}
	}
	return "", false
}

// withoutPort removes the port and the brackets of an IPv6 address.
func withoutPort(host string) string {
	if strings.HasPrefix(host, "[") {
		inner, rest, ok := strings.Cut(host[1:], "]")
		if ok && (rest == "" || rest[0] == ':' && isDigits(rest[1:])) {
			return inner
		}
		return host
	}
	if name, port, ok := strings.Cut(host, ":"); ok && isDigits(port) {
		return name
	}
	return host
}

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

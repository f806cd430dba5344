package mcphub

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/localpass/localpass/toolspec"
)

// guard decides which HTTP requests get as far as the protocol.
type guard struct {
	authenticate func(*http.Request) (toolspec.Principal, error)
	origins      map[string]bool
	hosts        map[string]bool // lower case, with or without a port
	realm        string
}

// refusal is the answer to a request that goes no further.
type refusal struct {
	status int
	reason string
	err    error // for the operator
}

func newGuard(opts *Options) (*guard, error) {
	g := &guard{authenticate: opts.Authenticate, origins: map[string]bool{}, hosts: map[string]bool{}, realm: opts.Name}
	for _, origin := range opts.AllowedOrigins {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme == "" || u.Host == "" || strings.TrimSuffix(origin, "/") != u.Scheme+"://"+u.Host {
			return nil, fmt.Errorf(`mcphub: allowed origin %q is none: write scheme and host, such as "https://app.example.com"`, origin)
		}
		g.origins[strings.ToLower(u.Scheme+"://"+u.Host)] = true
	}
	for _, host := range opts.AllowedHosts {
		if host == "" || strings.ContainsAny(host, "/ *") {
			return nil, fmt.Errorf(`mcphub: allowed host %q is none: write a name, such as "mcp.example.com"`, host)
		}
		g.hosts[strings.ToLower(host)] = true
	}
	return g, nil
}

// check lets a request in and says whose it is, or refuses it.
func (g *guard) check(r *http.Request) (toolspec.Principal, *refusal) {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	loopback := isLoopback(local)
	if g.authenticate == nil && !loopback {
		return toolspec.Principal{}, &refusal{http.StatusForbidden, "this server serves connections on a loopback address only",
			fmt.Errorf("request on %v while Options.Authenticate is not set", local)}
	}
	if !g.hostPasses(r.Host, loopback) {
		return toolspec.Principal{}, &refusal{http.StatusForbidden, "this Host is not served", fmt.Errorf("host %q", r.Host)}
	}
	if origins := r.Header["Origin"]; len(origins) > 1 || len(origins) == 1 && !g.originPasses(origins[0]) {
		return toolspec.Principal{}, &refusal{http.StatusForbidden, "this Origin is not allowed", fmt.Errorf("origin %q", origins)}
	}
	if g.authenticate == nil {
		return toolspec.Principal{Subject: "local", Via: "http"}, nil
	}
	who, err := g.authenticate(r)
	if err == nil && who.Subject == "" {
		err = fmt.Errorf("the authenticator named no subject: %w", ErrUnauthenticated)
	}
	if err != nil {
		return toolspec.Principal{}, &refusal{http.StatusUnauthorized, "valid credentials are required", err}
	}
	if who.Via == "" {
		who.Via = "http"
	}
	return who, nil
}

func (g *guard) hostPasses(host string, loopback bool) bool {
	switch {
	case isLoopbackName(host):
		return true
	case len(g.hosts) == 0:
		return !loopback
	}
	host = strings.ToLower(host)
	return g.hosts[host] || g.hosts[withoutPort(host)]
}

func (g *guard) originPasses(origin string) bool {
	origin = strings.ToLower(origin)
	if g.origins[origin] {
		return true
	}
	for _, scheme := range []string{"http://", "https://"} {
		if host, ok := strings.CutPrefix(origin, scheme); ok {
			// A browser sends a bare origin: anything more is no origin.
			return !strings.ContainsAny(host, "/?#@") && isLoopbackName(host)
		}
	}
	return false
}

// refuse writes the answer to a request that goes no further.
func (g *guard) refuse(w http.ResponseWriter, r *http.Request, no *refusal) {
	if no.status == http.StatusUnauthorized {
		challenge := fmt.Sprintf("Bearer realm=%q", g.realm)
		if r.Header.Get("Authorization") != "" {
			challenge += `, error="invalid_token"`
		}
		w.Header().Set("WWW-Authenticate", challenge)
	}
	http.Error(w, no.reason, no.status)
}

// isLoopback reports whether only this machine can reach a listener's address.
func isLoopback(addr net.Addr) bool {
	switch a := addr.(type) {
	case *net.TCPAddr:
		return a.IP.IsLoopback()
	case *net.UnixAddr:
		return true
	}
	return false
}

// isLoopbackName reports whether a Host header or the host of an origin, with
// or without a port, names this machine and nothing that DNS could redirect.
func isLoopbackName(host string) bool {
	host = withoutPort(host)
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// withoutPort cuts a port and the brackets of an IPv6 address.
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

// BearerToken returns an [Options.Authenticate] that lets in whoever sends
// "Authorization: Bearer" and the token, as the principal "bearer". The
// comparison takes the same time whatever was sent. An empty token lets nobody
// in.
func BearerToken(token string) func(*http.Request) (toolspec.Principal, error) {
	want := sha256.Sum256([]byte(token))
	return func(r *http.Request) (toolspec.Principal, error) {
		scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		got := sha256.Sum256([]byte(strings.TrimSpace(given)))
		same := subtle.ConstantTimeCompare(got[:], want[:]) == 1
		if !same || token == "" || !strings.EqualFold(scheme, "Bearer") {
			return toolspec.Principal{}, fmt.Errorf("bearer token: %w", ErrUnauthenticated)
		}
		return toolspec.Principal{Subject: "bearer", Via: "http"}, nil
	}
}

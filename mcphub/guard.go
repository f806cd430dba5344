package mcphub

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/localpass/localpass/internal/hostguard"
	"github.com/localpass/localpass/toolspec"
)

// guard decides which HTTP requests reach the protocol.
type guard struct {
	authenticate func(*http.Request) (toolspec.Principal, error)
	names        *hostguard.Names
	realm        string
}

// refusal is the answer to a rejected request.
type refusal struct {
	status int
	reason string
	err    error // for the operator
}

func newGuard(opts *Options) (*guard, error) {
	names, err := hostguard.New(opts.AllowedHosts, opts.AllowedOrigins)
	if err != nil {
		return nil, fmt.Errorf("mcphub: %w", err)
	}
	return &guard{authenticate: opts.Authenticate, names: names, realm: opts.Name}, nil
}

// check accepts a request and returns its principal, or refuses it.
func (g *guard) check(r *http.Request) (toolspec.Principal, *refusal) {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	loopback := hostguard.IsLoopback(local)
	if g.authenticate == nil {
		if err := hostguard.CheckLocal(local, r.Header); err != nil {
			return toolspec.Principal{}, &refusal{http.StatusForbidden, err.Error(),
				fmt.Errorf("%w: request on %v while Options.Authenticate is not set", err, local)}
		}
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
		reason := "valid credentials are required"
		if header := hostguard.ForwardedBy(r.Header); header != "" {
			reason += ": a proxy forwarded this request (header " + header + "), so it does not count as one of this machine"
		}
		return toolspec.Principal{}, &refusal{http.StatusUnauthorized, reason, err}
	}
	if who.Via == "" {
		who.Via = "http"
	}
	return who, nil
}

func (g *guard) hostPasses(host string, loopback bool) bool {
	switch {
	case hostguard.IsLoopbackName(host):
		return true
	case g.names.NoHosts():
		return !loopback
	}
	return g.names.Host(host)
}

func (g *guard) originPasses(origin string) bool {
	return g.names.Origin(origin) || hostguard.IsLoopbackOrigin(origin)
}

// refuse writes the answer to a rejected request.
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

// BearerToken returns a function for [Options.Authenticate] that accepts requests with
// "Authorization: Bearer" and the token, as the principal "bearer". The comparison takes
// constant time. An empty token rejects every request.
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

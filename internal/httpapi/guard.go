package httpapi

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"maps"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/localpass/localpass/internal/hostguard"
)

// admit returns nil if a request may be served, and otherwise an error that says why not.
func (s *Service) admit(r *http.Request) error {
	if !hostguard.IsLoopbackName(r.Host) && !s.names.Host(r.Host) {
		return ForbiddenHost.New("this server is not known by the name it was called by; its operator can allow it")
	}
	if !s.sameSite(r) {
		return ForbiddenOrigin.New("requests of web pages are served to the server's own pages only")
	}
	if s.opts.Authenticate == nil {
		local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		if err := hostguard.CheckLocal(local, r.Header); err != nil {
			return ForbiddenPeer.New("%v", err)
		}
		return nil
	}
	if err := s.opts.Authenticate(r); err != nil {
		var p *Problem
		if errors.As(err, &p) {
			return p
		}
		return Unauthenticated.New("send Authorization: Bearer and the token").Because(err)
	}
	return nil
}

// sameSite reports whether a request comes from the server's own pages, from one of
// Options.AllowedOrigins, or from no page at all. It is stricter than
// [http.CrossOriginProtection] alone, which accepts every GET: an answer that no page may
// read is not produced at all.
func (s *Service) sameSite(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) > 1 {
		return false
	}
	if len(origins) == 1 {
		if s.names.Origin(origins[0]) {
			return true
		}
		host, ok := hostguard.OriginHost(origins[0])
		if !ok || !strings.EqualFold(host, r.Host) {
			return false
		}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none": // no browser, our page, or a typed URL
	default:
		return false
	}
	return s.cross.Check(r) == nil
}

// body limits the size of a request body and checks its content type against the route,
// so that a form posted by a foreign page never reaches a handler.
func (s *Service) body(w http.ResponseWriter, r *http.Request, at *row) error {
	if r.Method == http.MethodGet || r.Method == http.MethodHead || r.Body == nil {
		r.Body = http.NoBody
		return nil
	}
	limit := at.limit()
	if r.ContentLength > limit {
		return TooLarge.New("at most %d bytes are read here", limit)
	}
	if sent := r.Header.Get("Content-Type"); sent != "" || r.ContentLength != 0 {
		want := cmp.Or(at.Body.Media, jsonType)
		if media, _, err := mime.ParseMediaType(sent); err != nil || media != want {
			return UnsupportedFormat.New("send Content-Type: %s", want)
		}
	}
	r.Body = http.MaxBytesReader(w, r.Body, limit)
	if at.Body.Type == nil {
		return Decode(r, &struct{}{}) // many clients send {} if there is no input
	}
	return nil
}

// query reports query members that the route does not have, because a misspelt member
// must not be ignored silently.
func (r *row) query(req *http.Request) error {
	if r.Path == "" { // no route: the answer is another error
		return nil
	}
	values, err := url.ParseQuery(req.URL.RawQuery)
	if err != nil {
		return InvalidArgument.New("the query cannot be read: %v", err)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		known := slices.ContainsFunc(r.Params, func(p Param) bool { return p.In == InQuery && p.Name == name })
		if !known {
			return InvalidArgument.New("the query member %q is not known here", name)
		}
	}
	return nil
}

// BearerToken returns a function for [Options.Authenticate] that accepts requests with
// "Authorization: Bearer" and the token. The comparison takes the same time for any
// input. An empty token rejects every request.
func BearerToken(token string) func(*http.Request) error {
	want := sha256.Sum256([]byte(token))
	return func(r *http.Request) error {
		scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		got := sha256.Sum256([]byte(strings.TrimSpace(given)))
		same := subtle.ConstantTimeCompare(got[:], want[:]) == 1
		if !same || token == "" || !strings.EqualFold(scheme, "Bearer") {
			return errNoToken
		}
		return nil
	}
}

var errNoToken = errors.New("httpapi: no valid bearer token")

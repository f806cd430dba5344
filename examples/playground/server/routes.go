package server

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/examples/playground/web"
	"github.com/localpass/localpass/internal/hostguard"
	"github.com/localpass/localpass/mcphub"
)

// pagePolicy is the content security policy of the page: nothing that was not
// built with it runs, and no request leaves the origin. "dompurify" is the one
// name under which HTML may be made.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; " +
	"form-action 'self'; frame-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'; " +
	"require-trusted-types-for 'script'; trusted-types dompurify"

func (s *Server) pageHeaders(h http.Header) {
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	if s.opts.Secure || s.onLoopback() { // browsers ignore it elsewhere, and complain
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
	}
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), payment=(), usb=(), microphone=(self)")
}

func isReadOnly(err error) bool { return errors.Is(err, localpass.ErrReadOnly) }

// reserved reports whether a path is none of the page's.
func reserved(path string) bool {
	switch path {
	case mcphub.Path, "/healthz", "/readyz", callbackPath, "/favicon.ico":
		return true
	}
	for _, prefix := range []string{"/mcp/", "/api/", "/assets/", "/.well-known/", "/render/"} {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

// routes puts everything that is served into one handler. The host name of the request
// is checked before anything else: a web page could have made its own name point here.
func (s *Server) routes(assets *web.Assets) (http.Handler, error) {
	s.assets = assets
	names, err := hostguard.New(s.opts.AllowedHosts, nil)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle(mcphub.Path, s.watchClients(s.hub.Handler()))
	mux.Handle("/api/", s.api)
	mux.Handle("/assets/", http.StripPrefix("/assets/", s.withPageHeaders(assets)))
	mux.Handle(renderPath, s.render())
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !s.Ready() {
			plain(w, http.StatusServiceUnavailable, "what the home remembers is not published yet")
			return
		}
		plain(w, http.StatusOK, "ready")
	})
	mux.HandleFunc("GET "+callbackPath, s.cameBack)
	mux.HandleFunc("/", s.shell)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !hostguard.IsLoopbackName(r.Host) && !names.Host(r.Host) {
			s.api.ServeHTTP(w, r) // its guard answers: 421
			return
		}
		if s.opts.Token == "" && !anyoneMay(r.URL.Path) && hostguard.ForwardedBy(r.Header) != "" {
			s.api.ServeHTTP(w, r) // its guard answers: 403
			return
		}
		mux.ServeHTTP(w, r)
	}), nil
}

// anyoneMay reports whether a path needs no login here: /mcp knows tokens of its own,
// and whether the server is up is no secret.
func anyoneMay(path string) bool {
	return path == mcphub.Path || path == "/healthz" || path == "/readyz"
}

// shell answers browsers with the page, whatever the path: the page itself knows
// which there are. Other programs are told that there is nothing.
func (s *Server) shell(w http.ResponseWriter, r *http.Request) {
	s.pageHeaders(w.Header())
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		plain(w, http.StatusMethodNotAllowed, "use GET")
	case reserved(r.URL.Path) || !wantsPage(r):
		plain(w, http.StatusNotFound, "nothing is served at this path")
	default:
		s.assets.Shell(w, r, s.endpoint())
	}
}

// wantsPage reports whether a browser asks, or for the first page any client that
// accepts every type, as curl does.
func wantsPage(r *http.Request) bool {
	accept := r.Header.Get("Accept")
	return strings.Contains(accept, "text/html") || r.URL.Path == "/" && (accept == "" || strings.Contains(accept, "*/*"))
}

func (s *Server) withPageHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.pageHeaders(w.Header())
		next.ServeHTTP(w, r)
	})
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n"))
}

// onLoopback reports whether only this machine can reach the server.
func (s *Server) onLoopback() bool {
	if s.opts.behindProxy() {
		return false
	}
	at := s.addr.Load()
	if at == nil {
		return true
	}
	host, _, err := net.SplitHostPort(*at)
	ip := net.ParseIP(host)
	return err == nil && ip != nil && ip.IsLoopback()
}

// background does something that outlives the request that asked for it, and ends
// with the server.
func (s *Server) background(do func(context.Context)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() == nil {
		s.tasks.Go(func() { do(s.ctx) })
	}
}

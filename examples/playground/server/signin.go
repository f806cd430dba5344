package server

import (
	"net/http"

	"github.com/localpass/localpass/mcphub/oauth"
)

const callbackPath = "/oauth/callback"

// keptFrames is how many messages of each server the page can show.
const keptFrames = 2000

// openSignIn makes what gets tokens for servers that want one. Where browsers come
// back to is known once the server listens.
func (s *Server) openSignIn() (err error) {
	if s.callback, err = oauth.NewCallback("http://127.0.0.1" + callbackPath); err != nil {
		return err
	}
	tokens, err := oauth.NewStore(s.local.Store, s.secrets.vault)
	if err != nil {
		return err
	}
	s.signIn = oauth.NewClients(&oauth.Options{
		Name: "localpass playground", Redirect: s.callback, Store: tokens, AllowHosts: s.opts.AllowHosts, Logger: s.opts.Logger, Clock: s.opts.Clock,
		Authorized: func(resource string) {
			s.conns.Authorized(resource)
			s.signInChanged(resource)
		},
		Refused: func(resource string, _ error) { s.signInChanged(resource) },
	}, s.lookup)
	return nil
}

func (s *Server) signInChanged(resource string) {
	s.events.send("servers", "servers.authorization", map[string]string{"resource": resource})
}

// comeBack says where browsers come back to. An address that is neither https nor on
// this machine is not used: signing in at other servers is then not possible.
func (s *Server) comeBack() {
	if err := s.callback.Move(s.origin() + callbackPath); err != nil {
		s.opts.Logger.Warn("signing in at MCP servers does not work: serve with TLS", "error", err)
	}
}

// cameBack shows the page to a browser that brings an answer to a pending sign-in. It
// changes nothing: the page sends the answer.
func (s *Server) cameBack(w http.ResponseWriter, r *http.Request) {
	s.pageHeaders(w.Header())
	if !s.callback.Waits(r.URL.Query()) {
		plain(w, http.StatusBadRequest, "No sign-in is waiting for this answer. Begin again in the playground, under MCP Servers.")
		return
	}
	s.assets.Shell(w, r, s.endpoint())
}

package server

import (
	"net/http"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/mcphub/oauth"
	"github.com/localpass/localpass/sandbox/egress"
)

const callbackPath = "/oauth/callback"

// keptFrames is the number of messages per server that the page can show.
const keptFrames = 2000

// signIn obtains OAuth tokens for servers that require one.
type signIn struct {
	*core
	callback *oauth.Callback // receives the redirects of browsers
	clients  *oauth.Clients
}

// newSignIn returns a signIn that stores tokens encrypted in the store. The redirect
// address is known only once the server listens. authorized is called with each resource
// for which a user has signed in.
func newSignIn(c *core, store localpass.Persistence, keys *secrets, authorized func(resource string)) (*signIn, error) {
	callback, err := oauth.NewCallback("http://127.0.0.1" + callbackPath)
	if err != nil {
		return nil, err
	}
	tokens, err := oauth.NewStore(store, keys.vault)
	if err != nil {
		return nil, err
	}
	s := &signIn{core: c, callback: callback}
	s.clients = oauth.NewClients(&oauth.Options{
		Name: "localpass playground", Redirect: callback, Store: tokens, AllowHosts: c.opts.Config.Tools.AllowHosts, Logger: c.opts.Logger, Clock: c.opts.Clock,
		Network: &egress.Options{Limits: egress.Limits{Request: c.opts.Config.Servers.SignInTimeout}},
		Authorized: func(resource string) {
			authorized(resource)
			s.changed(resource)
		},
		Refused: func(resource string, _ error) { s.changed(resource) },
	}, keys.lookup)
	return s, nil
}

func (s *signIn) changed(resource string) {
	s.events.send("servers", "servers.authorization", map[string]string{"resource": resource})
}

// serveCallback sets the redirect address. An address that is neither https nor on this
// machine is not used: users cannot sign in at other servers then.
func (s *signIn) serveCallback() {
	if err := s.callback.Move(s.origin() + callbackPath); err != nil {
		s.opts.Logger.Warn("signing in at MCP servers does not work: serve with TLS", "error", err)
	}
}

// cameBack serves the page to a browser that returns from a sign-in. It changes no state:
// the page submits the result.
func (s *Server) cameBack(w http.ResponseWriter, r *http.Request) {
	s.page.headers(w.Header())
	if !s.mcp.signIn.callback.Waits(r.URL.Query()) {
		writeText(w, http.StatusBadRequest, "No sign-in is waiting for this answer. Begin again in the playground, under MCP Servers.")
		return
	}
	s.page.assets.Shell(w, r, s.endpoint())
}

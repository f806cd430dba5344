package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/approval/approvalapi"
	"github.com/localpass/localpass/chat/chatapi"
	"github.com/localpass/localpass/examples/internal/boot"
	"github.com/localpass/localpass/examples/playground/web"
	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/audit"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/hubapi"
	"github.com/localpass/localpass/mcphub/inspector"
	"github.com/localpass/localpass/mcphub/oauth"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/observe"
	"github.com/localpass/localpass/observe/observeapi"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/catalog"
	"github.com/localpass/localpass/toolspec/secret"
	"github.com/localpass/localpass/toolspec/studio"
	"github.com/localpass/localpass/toolspec/studioapi"
)

// Server is the playground without a port. It must be closed, and is safe for
// concurrent use.
type Server struct {
	opts    Options
	started time.Time
	addr    atomic.Pointer[string] // where it is reached, once it serves

	local    *boot.Local
	secrets  *secrets
	audit    *audit.Log
	activity *activity
	gate     *approval.Gate
	states   *approval.State
	hub      *mcphub.Hub
	conns    *servers.Connections
	composed *mcphub.Composition
	inspect  *inspector.Inspector
	bundled  []*toolspec.Spec
	exposure *exposure
	events   *feed
	tour     *tour
	survey   *survey
	finder   *finder
	talks    talks
	logins   *logins
	masks    masks
	traces   *observe.Collector
	lookup   secret.Lookup
	callback *oauth.Callback
	signIn   *oauth.Clients
	tokens   *mcphub.AccessTokens

	studioAPI   *studioapi.API
	approvalAPI *approvalapi.API
	hubAPI      *hubapi.API
	chatAPI     *chatapi.API
	tracesAPI   *observeapi.API
	models      *models
	api         *httpapi.Server
	handler     http.Handler

	assets  *web.Assets
	size    dirSize
	clients clients
	sending sync.Mutex // a backup that is to be brought back

	ready   atomic.Bool // what the home remembers is published again
	ctx     context.Context
	cancel  context.CancelFunc
	mu      sync.Mutex        // of checked, and keeps tasks from beginning while they are waited for
	checked []Check           // the last self-check
	offered map[string]string // published tools, as they were last announced: names by id
	tasks   sync.WaitGroup
	unwatch func()
	closing sync.Once
	closed  error
}

// New opens the home and makes everything that is served. What the home
// remembers is published again in the background: [Server.Ready] tells when.
func New(ctx context.Context, opts *Options) (_ *Server, err error) {
	s := &Server{events: newFeed(), secrets: &secrets{}}
	if opts != nil {
		s.opts = *opts
	}
	s.opts.defaults()
	if err := s.opts.bePublic(); err != nil {
		return nil, err
	}
	s.started = s.opts.Clock()
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	home, err := boot.Home(s.opts.Home)
	if err != nil {
		return nil, err
	}
	if what, err := applyPending(home); err != nil {
		return nil, err
	} else if what != "" {
		s.opts.Logger.Warn("the home was changed as a whole", "change", what)
	}
	s.lookup = s.masks.follow(secret.First(s.secrets.Lookup, secret.Env()))
	if err := s.openTraces(); err != nil {
		return nil, err
	}
	lookup := s.lookup
	s.local, err = boot.Open(ctx, boot.Options{
		Home: s.opts.Home, Timeout: s.opts.ToolTimeout, Workspace: s.opts.Workspace, AllowPaths: s.opts.AllowPaths,
		AllowHosts: s.opts.AllowHosts, Lookup: lookup, Poll: storePoll, Logger: s.opts.Logger, Telemetry: s.traces.Telemetry(),
		Gate: func(l *boot.Local) (studio.Gate, error) { return s.openGate(ctx, l) },
	})
	if err != nil {
		return nil, err
	}
	if err := s.secrets.open(ctx, s.local.Store, s.local.Vault()); err != nil {
		return nil, err
	}
	s.masks.add(s.secrets.all()...)
	if err := s.openHub(ctx, lookup); err != nil {
		return nil, err
	}
	if err := s.distrust(ctx); err != nil {
		return nil, fmt.Errorf("the backup that was brought back: what it allows unasked could not be taken from it: %w", err)
	}
	if s.bundled, err = catalog.Specs(); err != nil {
		return nil, err
	}
	s.finder = newFinder(s)
	if err := s.openChat(ctx, lookup); err != nil {
		return nil, err
	}
	s.exposure = &exposure{s: s}
	s.tour = &tour{s: s}
	s.survey = newSurvey(s)
	s.size.background = func(do func()) { s.background(func(context.Context) { do() }) }
	s.logins = newLogins(&s.opts)
	if err := s.openAPIs(); err != nil {
		return nil, err
	}
	assets, err := web.Load()
	if err != nil {
		return nil, err
	}
	if s.handler, err = s.routes(assets); err != nil {
		return nil, err
	}
	s.follow()
	s.local.Follow()
	s.tasks.Go(func() { s.restore(s.ctx) })
	return s, nil
}

// openGate makes the gate that every call passes: the client that calls is asked
// where it can be, and so are people at the page.
func (s *Server) openGate(ctx context.Context, l *boot.Local) (studio.Gate, error) {
	s.audit = audit.New(l.Store, nil, l.Telemetry.Log())
	var err error
	s.gate, err = approval.NewGate(&approval.Options{
		Store: l.Store, Approvers: []approval.Approver{approval.Elicitation(nil), approval.Inbox(0)},
		Audit: s.audit, Fixed: s.opts.Policies, Origin: servers.OriginsOf(l.Store), Timeout: s.opts.ApprovalTimeout, Telemetry: l.Telemetry,
	})
	if err != nil {
		return nil, err
	}
	s.states, err = approval.NewState(ctx, &approval.StateOptions{Store: l.Store, Broker: s.gate.Broker(), TTL: s.opts.ApprovalTimeout})
	return s.gate, err
}

// openHub makes what faces other programs: the server of the tools, and the
// connections to other servers.
func (s *Server) openHub(ctx context.Context, lookup secret.Lookup) (err error) {
	s.activity = newActivity(s.audit, s.events, func() { s.survey.changed() })
	options := &mcphub.Options{
		Title: "localpass playground", Version: s.opts.Version, Store: s.local.Store, Audit: s.activity,
		Approval: s.gate, ApprovalState: s.states, CallTimeout: s.opts.ToolTimeout, Telemetry: s.local.Telemetry, AllowedHosts: s.opts.AllowedHosts,
	}
	if s.tokens, err = mcphub.NewAccessTokens(s.ctx, s.local.Store, &mcphub.AccessTokensOptions{Fixed: s.opts.MCPToken, Clock: s.opts.Clock}); err != nil {
		return err
	}
	options.Authenticate = s.tokens.Authenticate
	if s.hub, err = mcphub.New(options); err != nil {
		return err
	}
	if err := s.hub.Attach(s.local.Studio); err != nil {
		return err
	}
	if err := s.openSignIn(); err != nil {
		return err
	}
	s.conns, err = s.local.Connections(nil, &client.RegistryOptions{Lookup: lookup, Credentials: s.signIn.Credentials})
	if err != nil {
		return err
	}
	if err := s.sealBefore(); err != nil {
		s.opts.Logger.Warn("what a backup replaced could not be looked through for secrets", "error", err)
	}
	if s.composed, err = mcphub.NewComposition(s.hub, s.conns, boot.Composition()); err != nil {
		return err
	}
	s.inspect, err = inspector.New(s.conns, &inspector.Options{
		Approval: s.gate, Audit: s.activity, Frames: keptFrames,
		Answers: client.ClientCapabilities{Form: true, URL: true, Sampling: true, Roots: true, RootsChanged: true},
	})
	return err
}

// openAPIs puts the APIs of the packages and the own one under one guard and one
// description.
func (s *Server) openAPIs() (err error) {
	authorize, who := s.authorize(), s.principal
	bounds := s.local.Sandbox.Describe().Limits
	s.studioAPI, err = studioapi.New(s.local.Studio, &studioapi.Options{
		Bundled: s.bundled, Exposure: s.exposure, Versions: s.local.Store, Logger: s.opts.Logger, Clock: s.opts.Clock,
		Bounds: studioapi.Bounds{HostCalls: bounds.HostCalls, OutputBytes: bounds.ResultBytes, ConsoleLines: bounds.ConsoleLines, MemoryBytes: bounds.MaxHeld},
		Events: func(e studioapi.Event) {
			if e.Topic == "tools" {
				s.survey.changed()
				s.finder.changed()
			}
			s.tested(e)
			s.events.send(e.Topic, e.Type, e.Data)
		},
	})
	if err != nil {
		return err
	}
	s.approvalAPI, err = approvalapi.New(s.gate, &approvalapi.Options{
		Principal: who, Logger: s.opts.Logger, Clock: s.opts.Clock, Lookup: s.lookupCall,
		Events: func(e approvalapi.Event) {
			s.answered(e)
			s.events.send(e.Topic, e.Type, e.Data)
		},
	})
	if err != nil {
		return err
	}
	s.hubAPI, err = hubapi.New(s.conns, &hubapi.Options{Inspector: s.inspect, Composition: s.composed, Authorizer: s.signIn, Principal: who, Logger: s.opts.Logger, Clock: s.opts.Clock})
	if err != nil {
		return err
	}
	if err := s.openTracesAPI(); err != nil {
		return err
	}
	s.api, err = httpapi.New(&httpapi.Options{
		Title: "localpass playground", Version: s.opts.Version, Description: "The APIs of the library, and what the page of the playground needs beside them.",
		AllowedHosts: s.opts.AllowedHosts, Authenticate: authorize, Logger: s.opts.Logger,
	}, httpapi.TableOf(s.studioAPI), httpapi.TableOf(s.approvalAPI), httpapi.TableOf(s.hubAPI), httpapi.TableOf(s.chatAPI), httpapi.TableOf(s.tracesAPI), s.table())
	return err
}

// principal is the sender of a request to the API.
func (s *Server) principal(*http.Request) (toolspec.Principal, error) {
	if s.opts.Token == "" {
		return toolspec.Principal{Subject: "local", Via: "http"}, nil
	}
	return toolspec.Principal{Subject: "operator", Via: "http"}, nil
}

// lookupCall finds a tool that is served, for an explanation of what the gate
// would do about it.
func (s *Server) lookupCall(ctx context.Context, _, name string) (approval.Call, error) {
	tools, err := s.hub.Tools(ctx)
	for _, tool := range tools {
		if def := tool.Definition(); def.Name == name {
			return approval.Call{Definition: def}, nil
		}
	}
	return approval.Call{}, errors.Join(approval.ErrNotFound, err)
}

// Handler returns everything that is served. Requests must come in through an
// http.Server: without credentials it must know the address that they arrived
// on.
func (s *Server) Handler() http.Handler { return s.handler }

// OpenAPI returns the description of everything below /api/. It must not be
// changed.
func (s *Server) OpenAPI() []byte { return s.api.OpenAPI() }

// Ready reports whether everything that the home remembers is served again.
func (s *Server) Ready() bool { return s.ready.Load() }

// Home is the directory of the state.
func (s *Server) Home() string { return s.local.Home }

// Serve serves on l until ctx ends, and closes l. It refuses a listener that
// others than this machine can reach while there is no token.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	if addr, ok := l.Addr().(*net.TCPAddr); ok && !addr.IP.IsLoopback() && (s.opts.Token == "" || s.opts.MCPToken == "") {
		return errors.Join(fmt.Errorf("others than this machine can reach %s: give a -token, or listen on 127.0.0.1", l.Addr()), l.Close())
	}
	at := l.Addr().String()
	s.addr.Store(&at)
	s.comeBack()
	s.background(func(ctx context.Context) { _ = s.conns.ConnectAuto(ctx) }) // the status of each connection has the reason
	// Browsers are notified of the end before their streams are cut.
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer context.AfterFunc(ctx, func() {
		s.events.shutdown()
		<-s.events.done
		_ = s.chatAPI.Close() // its readers would hold up the end; Close tells the error
		stop()
	})()
	return s.hub.ServeHandler(serving, l, s.handler)
}

// Close ends everything, in the order in which one part depends on another.
func (s *Server) Close() error {
	s.closing.Do(func() {
		s.mu.Lock()
		s.cancel()
		s.mu.Unlock()
		s.events.shutdown()
		if s.unwatch != nil {
			s.unwatch()
		}
		var errs []error
		closing := func(c interface{ Close() error }, there bool) {
			if there {
				errs = append(errs, c.Close())
			}
		}
		closing(s.chatAPI, s.chatAPI != nil)
		closing(s.studioAPI, s.studioAPI != nil)
		closing(s.approvalAPI, s.approvalAPI != nil)
		closing(s.hubAPI, s.hubAPI != nil)
		closing(s.tracesAPI, s.tracesAPI != nil)
		closing(s.inspect, s.inspect != nil)
		closing(s.composed, s.composed != nil)
		closing(s.conns, s.conns != nil)
		closing(s.signIn, s.signIn != nil)
		s.tasks.Wait()
		closing(s.hub, s.hub != nil)
		closing(s.gate, s.gate != nil)
		closing(s.audit, s.audit != nil)
		closing(s.local, s.local != nil)
		errs = append(errs, s.closeTraces())
		s.closed = errors.Join(errs...)
	})
	return s.closed
}

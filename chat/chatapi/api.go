package chatapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/prompt"
	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/internal/httpapi/sender"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

// Options are the options of [New]. The zero value serves this machine, with
// the client's own model and without presets.
type Options struct {
	// Providers are where a turn's model may come from, beside the client's own. Their
	// models are listed, and those of a [llm.Puller] can be fetched. nil: the client's
	// model alone.
	Providers []llm.Provider
	// Presets serves /api/presets. nil: not there.
	Presets *prompt.Presets
	// DefaultPreset is the id of the preset that new conversations begin with which name
	// neither a preset nor a system prompt nor tools. It changes nothing about which tools
	// are served. Empty: none.
	DefaultPreset string
	// Turns are the options of the turns. The zero value works.
	Turns TurnsOptions
	// Principal returns the sender of a request: a conversation belongs to its
	// principal, and does not exist for any other. An error refuses the request, as
	// does a principal without a subject; its text is logged and not sent. nil: all
	// users of the API are the one person "local via http".
	Principal func(*http.Request) (toolspec.Principal, error)

	// AllowedHosts are the names beside loopback ones by which the server may be addressed.
	// A request by any other name is refused: a web page could have made its own
	// name point here.
	AllowedHosts []string
	// AllowedOrigins are the origins beside the server's own from which browsers may send
	// requests, such as "https://app.example.com".
	AllowedOrigins []string
	// Authenticate lets a request in, or refuses it with an error, which is logged and
	// not sent. nil: only connections that arrive on a loopback address are served,
	// and no request that a proxy forwarded.
	Authenticate func(*http.Request) error

	// Approvals is the broker of the gate that the client's tools are behind. A turn
	// that waits, also one of an earlier program, then continues by itself as soon as
	// one of its questions is decided, by whichever way. nil: it continues when it is
	// resumed.
	Approvals *approval.Broker

	// MaxImages and MaxImageBytes bound the images of a question. Defaults 5 and
	// 10 MiB each, the playground's.
	MaxImages, MaxImageBytes int
	// MaxStreams is how many event streams may be open; default 64.
	MaxStreams int
	// Redactor masks secrets in exports. nil: nothing is masked.
	Redactor *secret.Redactor
	// Events receives what happens to conversations, for a stream that a program
	// shares among several APIs. It must not block.
	Events func(Event)
	// Logger receives what went wrong. nil is slog.Default().
	Logger *slog.Logger
}

const (
	defaultAPIStreams    = 64
	defaultAPIImages     = 5
	defaultAPIImageBytes = 10 << 20
	// lastWords is how long the readers of turns have for the last events when the
	// API closes.
	lastWords = time.Second
)

// Event is a conversation that was created, changed or deleted.
type Event struct {
	// Topic is "chat".
	Topic string
	// Type is "conversation.changed" or "conversation.deleted".
	Type string
	// Conversation is the id of the conversation.
	Conversation string
	// Data is the conversation as it now is, as a list of the API has it: JSON. Of one
	// that was deleted it has the id alone.
	Data any
	// Principal is the owner of the conversation: do not reveal it to others.
	Principal toolspec.Principal
}

// API serves a client over HTTP: conversations, turns and their events, models and
// presets. A turn does not end with the request that began it: it continues when its
// reader is gone, several may read it, and a reader that comes back continues after the
// last event it has. The events of the last turn of each conversation are kept for a
// while, in this process. Decisions about calls are approvalapi.API's: a turn that
// waits continues by itself when the decision is there, and so does one that paused
// where [Options.Approvals] is set; else the paused one has to be resumed.
//
// What a request sends as Authorization is for this API alone, and goes nowhere
// else.
//
// It is an http.Handler, safe for concurrent use, and must be closed, before the
// gate that its client's tools are behind. Call [chat.Client.Recover] before it serves.
type API struct {
	*httpapi.Service
	client    *chat.Client
	store     conversation.Store
	opts      Options
	providers map[string]llm.Provider
	turns     *turnRegistry
	clock     clock.Clock

	life *httpapi.Life  // its context ends when the readers of turns had their time
	work sync.WaitGroup // the goroutines that continue waiting turns
	stop context.CancelFunc

	mu       sync.Mutex      // guards what follows
	swept    time.Time       // when deleted conversations were last removed
	carrying map[string]bool // turns that are continued as soon as they are free
}

// New returns the API of a client, which must have a store. The error names the
// option that is not usable. opts may be nil.
func New(client *chat.Client, opts *Options) (*API, error) {
	if client == nil || client.Options().Store == nil {
		return nil, fmt.Errorf("chatapi: the API needs a client with a store: set ClientOptions.Store: %w", llm.ErrInvalid)
	}
	a := &API{client: client, store: client.Options().Store, providers: map[string]llm.Provider{}, carrying: map[string]bool{}, stop: func() {}}
	if opts != nil {
		a.opts = *opts
	}
	a.opts.Logger = cmp.Or(a.opts.Logger, slog.Default())
	for _, f := range []struct {
		name  string
		value *int
		or    int
	}{{"MaxImages", &a.opts.MaxImages, defaultAPIImages}, {"MaxImageBytes", &a.opts.MaxImageBytes, defaultAPIImageBytes}, {"MaxStreams", &a.opts.MaxStreams, defaultAPIStreams}} {
		if *f.value < 0 {
			return nil, fmt.Errorf("chatapi: Options.%s is %d: it must not be negative: %w", f.name, *f.value, llm.ErrInvalid)
		}
		*f.value = cmp.Or(*f.value, f.or)
	}
	for i, p := range a.opts.Providers {
		switch {
		case p == nil:
			return nil, fmt.Errorf("chatapi: Options.Providers[%d] is nil: %w", i, llm.ErrInvalid)
		case p.ID() == "" || strings.Contains(p.ID(), "/") || a.providers[p.ID()] != nil:
			return nil, fmt.Errorf("chatapi: Options.Providers[%d]: the id %q must be there once, and hold no slash: %w", i, p.ID(), llm.ErrInvalid)
		}
		a.providers[p.ID()] = p
	}
	if err := a.checkDefaultPreset(); err != nil {
		return nil, err
	}
	var err error
	if a.turns, err = newTurnRegistry(client, &a.opts.Turns); err != nil {
		return nil, err
	}
	a.turns.onFinish = func(t *liveTurn) { a.changed(context.Background(), t.Conversation()) }
	a.Service, err = httpapi.NewService(&httpapi.Options{Title: "localpass chat", Description: "Conversations with models that call tools.",
		AllowedHosts: a.opts.AllowedHosts, AllowedOrigins: a.opts.AllowedOrigins, Authenticate: a.opts.Authenticate, Logger: a.opts.Logger}, a.routes())
	if err != nil {
		return nil, fmt.Errorf("chatapi: %w", err)
	}
	a.life = httpapi.NewLife(a.opts.MaxStreams)
	if a.opts.Approvals != nil {
		var ctx context.Context
		ctx, a.stop = context.WithCancel(a.life.Context())
		a.carryOn(ctx, a.opts.Approvals)
	}
	return a, nil
}

// Close stops the turns and waits for them: no turn begins any more. One that waits
// for a person is paused, where its approver can be left ([approval.Inbox]), and can
// be resumed later. Readers still get the last events, then their streams end, and
// what fetches models is stopped. The error says how many turns did not end within
// ten seconds.
func (a *API) Close() error {
	idle := a.life.Drain()
	a.stop()
	a.work.Wait() // before the turns: none of them is resumed any more
	err := a.turns.Close()
	waitFor(idle, lastWords)
	a.life.Close()
	return err
}

// principal is the sender of a request.
func (a *API) principal(r *http.Request) (toolspec.Principal, error) {
	return sender.Of(r, a.opts.Principal)
}

// conversation is the one of a request, and its owner. A conversation of another
// principal is not found.
func (a *API) conversation(r *http.Request) (*conversation.Conversation, toolspec.Principal, error) {
	who, err := a.principal(r)
	if err != nil {
		return nil, who, err
	}
	conv, err := a.own(r.Context(), r.PathValue("id"), who)
	return conv, who, err
}

func (a *API) own(ctx context.Context, id string, who toolspec.Principal) (*conversation.Conversation, error) {
	conv, err := a.store.Get(ctx, id)
	if err == nil && !conv.BelongsTo(who) {
		err = llm.ErrNotFound
	}
	return conv, err
}

// changed tells the program how a conversation now is.
func (a *API) changed(ctx context.Context, id string) {
	if a.opts.Events == nil {
		return
	}
	if conv, err := a.store.Get(ctx, id); err == nil {
		a.tell(Event{Topic: "chat", Type: "conversation.changed", Conversation: conv.ID, Data: a.summary(conv), Principal: conv.Principal})
	}
}

// tell hands an event to the program, whose panic must not end a turn.
func (a *API) tell(e Event) {
	if a.opts.Events == nil {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			a.opts.Logger.Error("chatapi: Options.Events panicked", "panic", fmt.Sprint(v))
		}
	}()
	a.opts.Events(e)
}

// problemOf turns the errors of the package into problems.
func (a *API) problemOf(err error) *httpapi.Problem {
	var known *llm.Error
	switch {
	case errors.Is(err, ErrReplay):
		return replayUnavailable.New("read the conversation, and follow the turn from there")
	case errors.Is(err, ErrTurnLimit):
		return httpapi.RateLimited.New("as many turns run as may: try again later")
	case errors.Is(err, ErrClosed):
		return httpapi.ShuttingDown.New("try again when it is up")
	case errors.Is(err, localpass.ErrReadOnly):
		return storeReadOnly.New("nothing was changed")
	case errors.Is(err, llm.ErrNotFound):
		return httpapi.NotFound.New("there is none of that name")
	case errors.Is(err, llm.ErrBusy):
		return busyConversation.New("a turn of the conversation has not ended: stop it, or wait")
	case errors.Is(err, llm.ErrProviderLocked):
		return lockedProvider.New("the model is of another provider than the conversation: name one of its own, or begin another conversation")
	case errors.As(err, &known):
		kind, ok := apiFailures[known.Code]
		if !ok {
			return nil
		}
		p := kind.New("%s", known.Message)
		p.RetryAfter = known.RetryAfter
		return p
	case errors.Is(err, llm.ErrInvalid):
		return httpapi.InvalidArgument.New("%s", withoutPackage(err))
	}
	return nil
}

// withoutPackage is the text of an error without the name of the package that it
// begins with: a client of the API does not know the packages.
func withoutPackage(err error) string {
	text := err.Error()
	for _, name := range []string{"chat", "chatapi", "conversation", "llm", "prompt"} {
		if rest, ok := strings.CutPrefix(text, name+": "); ok {
			return rest
		}
	}
	return text
}

package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/internal/ids"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/toolspec"
)

// ClientOptions are the options of [NewClient]. The zero value works: a model that
// calls no tools, and remembers nothing after the program.
type ClientOptions struct {
	// Store keeps conversations. nil: each turn stands alone, and needs no
	// conversation.
	Store conversation.Store
	// Memory is what the model sees of earlier turns. nil: the store's own.
	Memory Memory
	// Window bounds that.
	Window Window
	// Middleware stands around the model's calls: advisor.Chain makes one. nil:
	// none.
	Middleware Middleware
	// Tools may be called. nil: none.
	Tools toolspec.Source
	// Manager runs them. nil: that of NewToolCallingManager(nil), which runs no tool
	// that wants approval.
	Manager ToolCallingManager
	// Policy bounds each turn.
	Policy TurnPolicy
	// Retry says which model calls that failed are made again, for the client's
	// model and for those of single turns. nil: the defaults, up to six tries.
	Retry *llm.RetryPolicy
	// Options are those of every turn, below those of the conversation.
	Options llm.Options
	// System is the system prompt of conversations that have none.
	System string
	// MaxMessages is how many messages of a conversation are kept: the oldest turns
	// go first. Default 2,000.
	MaxMessages int
	// StrictStore makes a turn fail that cannot be stored. Otherwise it goes on,
	// with a warning.
	StrictStore bool
	// Lease is how long a turn counts as running after its program was last heard
	// of. Default 30 s.
	Lease time.Duration
	// Telemetry receives the spans of turns, model calls, advisors and tools, their
	// meters, and log lines for the operator. nil is off.
	Telemetry *genai.Telemetry
}

const (
	defaultLease = 30 * time.Second
	// draftAfter and draftBytes say when a message is stored that is still being
	// written.
	draftAfter = 500 * time.Millisecond
	draftBytes = 2 << 10
	// draftRest is how much longer than the last such write took the next one waits:
	// a question with pictures, or a slow store, must not hold up the answer.
	draftRest = 19
)

// TurnOptions are the options of one turn. The zero value works.
type TurnOptions struct {
	// Model answers this turn in place of the client's; the conversation stays with
	// its provider. nil: the client's.
	Model llm.Model
	// Effort is how much the model thinks, for this turn.
	Effort llm.Effort
	// Options go over those of the client and the conversation.
	Options *llm.Options
	// Tools limits the tools of this turn to these names. nil leaves them.
	Tools []string
	// ToolChoice says whether the model must call tools.
	ToolChoice llm.ToolChoice
	// Format asks for JSON.
	Format *llm.OutputFormat
	// Principal is who asks.
	Principal toolspec.Principal
	// Values go along to the advisors.
	Values Values
}

// Client holds conversations with a model. All methods are safe for concurrent
// use; a conversation has one turn at a time.
type Client struct {
	model   llm.Model
	opts    ClientOptions
	handler Handler
	learned *calibration
	owner   string
	clock   clock.Clock
	retry   llm.RetryPolicy

	mu      sync.Mutex
	running map[string]*Turn // by conversation
}

// NewClient returns a client of a model. opts may be nil.
func NewClient(model llm.Model, opts *ClientOptions) (*Client, error) {
	if model == nil {
		return nil, fmt.Errorf("chat: a client needs a model: %w", llm.ErrInvalid)
	}
	c := &Client{running: map[string]*Turn{}, learned: &calibration{}}
	if opts != nil {
		c.opts = *opts
	}
	if c.opts.Retry != nil {
		c.retry = *c.opts.Retry
	}
	model, err := llm.Retrying(model, c.retry)
	if err != nil {
		return nil, err
	}
	c.model = model
	if _, err := c.opts.Policy.withDefaults(); err != nil {
		return nil, err
	}
	if c.opts.Policy.MaxCostMicros > 0 && c.opts.Policy.Price == nil {
		return nil, fmt.Errorf("chat: TurnPolicy.MaxCostMicros bounds nothing without TurnPolicy.Price: %w", llm.ErrInvalid)
	}
	if err := c.opts.Options.Check(); err != nil {
		return nil, err
	}
	if c.opts.MaxMessages < 0 || c.opts.Lease < 0 {
		return nil, fmt.Errorf("chat: ClientOptions.MaxMessages and Lease must not be negative: %w", llm.ErrInvalid)
	}
	c.opts.MaxMessages = cmp.Or(c.opts.MaxMessages, 2000)
	c.opts.Lease = cmp.Or(c.opts.Lease, defaultLease)
	if c.opts.Store != nil {
		c.opts.Store = safeStore{c.opts.Store}
	}
	if c.opts.Manager == nil {
		m, err := NewToolCallingManager(&ToolManagerOptions{Telemetry: c.opts.Telemetry})
		if err != nil {
			return nil, err
		}
		c.opts.Manager = m
	}
	c.owner = c.clock.ID()
	terminal := &terminal{call: &structured{call: newModelHandler(model, c.learned)}}
	terminal.loop = NewToolLoop(terminal.call, c.opts.Manager)
	c.handler = terminal
	if c.opts.Middleware != nil {
		c.handler = c.opts.Middleware(terminal)
	}
	return c, nil
}

// terminal is the innermost handler of a client. It runs the tools itself unless
// an advisor further out does.
type terminal struct{ call, loop Handler }

type loopOwned struct{}

// OwnLoop returns a request whose tools somebody further out runs: the client
// then makes one model call for it, and no more.
func OwnLoop(req *Request) *Request {
	own := req.Clone()
	own.Values = own.Values.With(loopOwned{}, true)
	return own
}

func (t *terminal) Handle(ctx context.Context, req *Request) Stream {
	if owned, _ := req.Values.Value(loopOwned{}).(bool); owned {
		return t.call.Handle(ctx, req)
	}
	return t.loop.Handle(ctx, req)
}

// Options returns the options of the client, with their defaults.
func (c *Client) Options() ClientOptions { return c.opts }

// Model describes the client's model, as it does now.
func (c *Client) Model() llm.ModelInfo { return c.model.Info() }

// Stream asks a question in a conversation and yields what happens, from
// [TurnStarted] to [TurnFinished]. The conversation is created when there is none
// of that id; an empty id makes up one, which the events carry. Without a store
// the id is only handed on.
//
// A turn that fails says so by [TurnFailed] and TurnFinished, and once more by an
// error, the last element. A turn that cannot begin, because another runs
// (ErrBusy), the conversation belongs to another provider (ErrProviderLocked) or
// an option is no good (ErrInvalid), is the error alone. Breaking off the loop
// stops the turn: what was said is kept.
func (c *Client) Stream(ctx context.Context, convID string, question llm.Message, opts *TurnOptions) Stream {
	return func(yield func(Event, error) bool) {
		if opts == nil {
			opts = &TurnOptions{}
		}
		r, err := c.beginTurn(ctx, convID, question, opts)
		if err != nil {
			yield(nil, err)
			return
		}
		r.yield = yield
		r.run(ctx)
	}
}

// Ask is Stream, collected.
func (c *Client) Ask(ctx context.Context, convID, question string, opts *TurnOptions) (*Response, error) {
	return Collect(c.Stream(ctx, convID, llm.UserText(question), opts))
}

// Cancel stops the turn of a conversation that runs here, and reports whether
// there is one.
func (c *Client) Cancel(convID string, mode CancelMode) bool {
	return c.CancelTurn(convID, "", mode)
}

// CancelTurn is Cancel for one turn: the turn of the conversation that runs here is
// stopped when it has this id; an empty id is that of any.
func (c *Client) CancelTurn(convID, turn string, mode CancelMode) bool {
	c.mu.Lock()
	t := c.running[convID]
	c.mu.Unlock()
	if t == nil || turn != "" && t.ID != turn {
		return false
	}
	t.Cancel(mode)
	return true
}

// Running reports whether a turn of the conversation runs here.
func (c *Client) Running(convID string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running[convID] != nil
}

// newRun returns a turn of the options' model, or the client's own.
func (c *Client) newRun(opts *TurnOptions) *turnRun {
	r := &turnRun{c: c, opts: opts, model: c.model, info: c.model.Info()}
	if opts.Model != nil {
		r.info = opts.Model.Info()
		r.model, _ = llm.Retrying(opts.Model, c.retry) // neither is missing or wrong
	}
	return r
}

// beginTurn takes the conversation and writes the question down.
func (c *Client) beginTurn(ctx context.Context, convID string, question llm.Message, opts *TurnOptions) (r *turnRun, err error) {
	if question.Role != llm.RoleUser || len(question.Parts) == 0 {
		return nil, fmt.Errorf("chat: a turn begins with a message of the role user that has at least one part: %w", llm.ErrInvalid)
	}
	defer func() { c.undo(ctx, r, conversation.StatusFailed, recover(), &err) }()
	now := c.clock.Now()
	r = c.newRun(opts)
	r.began, r.id = now, ids.New("t_", now)
	options := c.opts.Options
	if err := r.claimConversation(ctx, convID, &question, now); err != nil {
		return r, err
	}
	r.taken = true
	options = options.Merge(&r.conv.Options).Merge(opts.Options).Merge(&llm.Options{Effort: opts.Effort})
	if err := options.Check(); err != nil {
		return r, err
	}
	if r.turn, err = NewTurn(r.id, c.opts.Policy); err != nil {
		return r, err
	}
	tools, err := c.tools(ctx, r.info, r.conv, opts)
	if err != nil {
		return r, err
	}
	history, err := c.history(ctx, r.conv, r.record.Seq, &options)
	if err != nil {
		return r, err
	}
	var messages []llm.Message
	if system := cmp.Or(r.conv.System, c.opts.System); system != "" {
		messages = append(messages, llm.SystemText(system))
	}
	messages = append(append(messages, history...), question)
	r.req = &Request{Conversation: ConversationRef{ID: r.conv.ID, Provider: r.conv.Provider, Principal: opts.Principal}, Turn: r.turn, Model: r.model,
		Messages: messages, Tools: tools, ToolChoice: opts.ToolChoice, Options: options, Format: opts.Format, Values: opts.Values}
	if err := r.save(ctx); err != nil {
		return r, err
	}
	return r, nil
}

// undo lets the conversation of a turn go that could not begin, also because
// something of the program's own panicked.
func (c *Client) undo(ctx context.Context, r *turnRun, status conversation.ConversationStatus, panicked any, err *error) {
	if panicked != nil {
		*err = &PanicError{Name: "the beginning of a turn", Value: panicked, Stack: debug.Stack()}
	}
	if *err != nil && r != nil && r.taken {
		r.release(context.WithoutCancel(ctx), status)
	}
}

func toolsOf(ctx context.Context, s toolspec.Source) (all []toolspec.Tool, err error) {
	defer caught("the source of tools", &err)
	return s.Tools(ctx)
}

// load asks the memory.
func (c *Client) load(ctx context.Context, convID string, w Window) (history []llm.Message, err error) {
	defer caught("the memory", &err)
	return c.opts.Memory.Load(ctx, convID, w)
}

// tools returns the tools of a turn.
func (c *Client) tools(ctx context.Context, info llm.ModelInfo, conv *conversation.Conversation, opts *TurnOptions) ([]toolspec.Tool, error) {
	if c.opts.Tools == nil {
		return nil, nil
	}
	all, err := toolsOf(ctx, c.opts.Tools)
	if err != nil {
		return nil, fmt.Errorf("chat: the tools cannot be listed: %w", err)
	}
	if len(all) > 0 && !info.Capabilities.Tools {
		return nil, nil // the model is asked without them
	}
	names := opts.Tools
	if names == nil {
		names = conv.Tools
	}
	if names == nil {
		return all, nil
	}
	wanted := make(map[string]bool, len(names))
	for _, n := range names {
		wanted[n] = true
	}
	var out []toolspec.Tool
	for _, t := range all {
		if wanted[t.Definition().Name] {
			out = append(out, t)
		}
	}
	return out, nil
}

// history is what the model sees of earlier turns. The window counts the system
// prompt and the question too.
func (c *Client) history(ctx context.Context, conv *conversation.Conversation, before int, options *llm.Options) ([]llm.Message, error) {
	w := c.opts.Window
	if options.MemoryWindow != nil {
		w.Messages = *options.MemoryWindow
	}
	w.Messages = cmp.Or(w.Messages, defaultWindow)
	if conv.System != "" || c.opts.System != "" {
		w.Messages--
	}
	if w.Messages--; w.Messages < 1 {
		return nil, nil
	}
	if c.opts.Memory != nil {
		history, err := c.load(ctx, conv.ID, w)
		if err != nil {
			return nil, &llm.Error{Code: llm.CodeStore, Message: "the memory of the conversation cannot be read", Err: err}
		}
		return history, nil
	}
	if c.opts.Store == nil {
		return nil, nil
	}
	var turns [][]llm.Message
	n := 0
	// Each turn has a message at least.
	for t, err := range c.opts.Store.Turns(ctx, conv.ID, conversation.TurnQuery{Reverse: true, After: before, Limit: w.Messages + 1}) {
		if err != nil {
			return nil, &llm.Error{Code: llm.CodeStore, Message: "the conversation cannot be read", Err: err}
		}
		history := t.History()
		if n += len(w.Tools.Apply(history)); n > w.Messages {
			break
		}
		turns = append(turns, history)
	}
	var all []llm.Message
	for i := len(turns) - 1; i >= 0; i-- {
		all = append(all, w.Tools.Apply(turns[i])...)
	}
	if w.Tokens > 0 {
		w.Tools = conversation.ToolFull // it is done
		all = w.Apply(all)
	}
	return all, nil
}

// isOver reports whether an error only says that a context ended.
func isOver(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/localpass/localpass/toolspec"
)

// NewModelHandler returns the innermost handler: it makes one call of a model, or
// of the request's own where that names one, and
// runs no tools. Its stream is one round without the running of calls:
// [RoundStarted], the parts, [UsageReported], [MessageCompleted] with the whole
// message, [RoundFinished]. An answer that breaks off is completed as a partial
// message before the error comes.
//
// Of a model that says how much it takes, the prompt is held against that first:
// what is too long is shortened, and [ContextBudget] tells how. A prompt that the
// provider finds too long is shortened further, and sent once more.
func NewModelHandler(model Model) Handler {
	learned := &calibration{}
	return HandlerFunc(func(ctx context.Context, req *Request) Stream {
		return func(yield func(Event, error) bool) {
			model := model
			if req.Model != nil {
				model = req.Model
			}
			c := &modelCall{model: model, info: model.Info(), req: req, yield: yield, began: time.Now(), learned: learned}
			if req.Telemetry.Enabled() {
				var end func()
				ctx, end = c.trace(ctx)
				defer end()
			}
			c.run(ctx)
		}
	})
}

// errSilent is the cause of the cancellation of a model that says nothing.
var errSilent = errors.New("the model is silent")

// modelCall is one call of a model on its way to events.
type modelCall struct {
	model Model
	info  ModelInfo
	req   *Request
	yield func(Event, error) bool
	began time.Time

	message  Message
	tools    []toolspec.Definition // of the request's tools, in their order
	calls    []*openCall
	kind     DeltaKind // of the part that is open; 0: none
	text     strings.Builder
	state    map[string]json.RawMessage // of the reasoning that is open
	since    time.Time                  // the open part began
	usage    *Usage
	finish   FinishReason
	said     bool // at least one delta of a part
	stopped  bool // the consumer broke off
	yielding bool // the consumer has the word
	learned  *calibration
	ledger   *ledger
}

type openCall struct {
	ToolCall
	wire string // the id as it came
	args strings.Builder
	done bool
}

func (c *modelCall) round() int { return max(c.req.Round, 1) }

// send yields an event of this round, and reports whether more is wanted.
func (c *modelCall) send(e Event) bool {
	if c.stopped {
		return false
	}
	e.Header().Round = c.round()
	c.yielding = true
	c.stopped = !c.yield(e, nil)
	c.yielding = false
	return !c.stopped
}

func (c *modelCall) run(ctx context.Context) {
	mreq := &ModelRequest{Messages: c.req.Messages, ToolChoice: c.req.ToolChoice, Options: c.req.Options, Format: c.req.Format, Round: c.round()}
	var policy TurnPolicy
	if c.req.Turn != nil {
		policy, mreq.Turn = c.req.Turn.Policy(), c.req.Turn.ID
	} else {
		policy = defaultPolicy()
	}
	names := make([]string, len(c.req.Tools))
	if len(names) > 0 {
		mreq.Tools = make([]toolspec.Definition, len(names))
	}
	for i, t := range c.req.Tools {
		mreq.Tools[i] = t.Definition()
		names[i] = mreq.Tools[i].Name
	}
	c.tools = mreq.Tools
	if err := c.fit(mreq); err != nil {
		if !c.stopped {
			c.yield(nil, err)
		}
		return
	}
	if c.stopped || !c.send(&RoundStarted{OfferedTools: names, PromptTokens: scale(c.ledger.total, c.ledger.factor)}) {
		return
	}
	err := c.stream(ctx, mreq, policy)
	if CodeOf(err) == CodeContextOverflow && !c.said && c.shorten(mreq) {
		err = c.stream(ctx, mreq, policy)
	}
	if c.stopped {
		return
	}
	if err != nil {
		if c.closePart() && c.said {
			c.complete(MessagePartial)
		}
		c.abandon()
		if !c.stopped && c.send(&RoundFinished{Finish: c.finish, Millis: time.Since(c.began).Milliseconds()}) {
			c.yield(nil, err)
		}
		return
	}
	if c.closePart() && c.report() && c.complete(MessageFinal) {
		c.send(&RoundFinished{Finish: c.finish, Millis: time.Since(c.began).Milliseconds()})
	}
}

// stream takes the deltas. A model that is silent for too long is cancelled; the
// time that the consumer takes does not count, nor does the wait before another
// try, which has a first word of its own. A model that panics has failed.
func (c *modelCall) stream(ctx context.Context, mreq *ModelRequest, policy TurnPolicy) (err error) {
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(policy.FirstToken, func() { cancel(errSilent) })
	defer silence.Stop()
	defer func() {
		if c.yielding { // the consumer's own panic is the consumer's
			return
		}
		if v := recover(); v != nil {
			err = &Error{Code: CodeInternal, Provider: c.info.Provider, Err: &PanicError{Name: "the model " + c.info.Name, Value: v, Stack: debug.Stack()}}
		}
	}()
	for d, err := range c.model.Generate(within, mreq) {
		silence.Stop()
		if err != nil {
			return c.failure(ctx, within, err, policy)
		}
		if c.finish != "" {
			return c.broken(errors.New("the model went on after its end"))
		}
		if err := c.take(&d); err != nil {
			return err
		}
		if c.stopped {
			return nil
		}
		patience := policy.FirstToken
		switch {
		case d.Kind == DeltaRetry && d.Retry != nil:
			patience += time.Duration(d.Retry.DelayMillis) * time.Millisecond
		case c.said:
			patience = policy.Idle
		}
		silence.Reset(patience)
	}
	if c.finish == "" {
		return c.failure(ctx, within, unfinished(c.info.Provider), policy)
	}
	return nil
}

func (c *modelCall) broken(err error) error {
	return &Error{Code: CodeStreamBroken, Provider: c.info.Provider, Retryable: true, Err: err}
}

// failure says why a model call failed: for what the caller did, or the silence,
// or as the provider tells.
func (c *modelCall) failure(ctx, within context.Context, err error, policy TurnPolicy) error {
	if ctx.Err() != nil {
		return fmt.Errorf("chat: the model call was stopped: %w", context.Cause(ctx))
	}
	if errors.Is(context.Cause(within), errSilent) {
		what, limit := "its first word", policy.FirstToken
		if c.said {
			what, limit = "more", policy.Idle
		}
		return &Error{Code: CodeProviderTimeout, Provider: c.info.Provider, Retryable: true,
			Message: fmt.Sprintf("the model said nothing for %v while %s was waited for", limit, what), Err: context.DeadlineExceeded}
	}
	var known *Error
	if errors.As(err, &known) {
		return err
	}
	return &Error{Code: CodeInternal, Provider: c.info.Provider, Err: err}
}

// take makes events of one delta.
func (c *modelCall) take(d *Delta) error {
	switch d.Kind {
	case DeltaText, DeltaReasoning, DeltaRefusal:
		if d.Kind == DeltaReasoning && d.Provider != nil {
			c.reasoned(d)
			return nil
		}
		if d.Text == "" {
			return nil
		}
		if !c.open(d.Kind) {
			return nil
		}
		c.text.WriteString(d.Text)
		switch d.Kind {
		case DeltaText:
			c.send(&TextDelta{Text: d.Text})
		case DeltaReasoning:
			c.send(&ReasoningDelta{Text: d.Text})
		default:
			c.send(&RefusalDelta{Text: d.Text})
		}
	case DeltaToolStart:
		if c.closePart() {
			c.said = true
			call := &openCall{ToolCall: ToolCall{ID: c.unique(d.CallID), ItemID: d.ItemID, Name: d.Name, Type: TypeFunction}, wire: d.CallID}
			c.calls = append(c.calls, call)
			c.send(&ToolCallStarted{CallID: call.ID, Name: d.Name, Index: d.Index})
		}
	case DeltaToolArgs:
		call := c.call(d.CallID)
		if call == nil {
			return c.broken(fmt.Errorf("arguments for the call %q, which is not open", d.CallID))
		}
		if d.Text != "" {
			call.args.WriteString(d.Text)
			c.send(&ToolCallArguments{CallID: call.ID, Fragment: d.Text})
		}
	case DeltaToolEnd:
		call := c.call(d.CallID)
		if call == nil {
			return c.broken(fmt.Errorf("the end of the call %q, which is not open", d.CallID))
		}
		c.ready(call)
	case DeltaUsage:
		c.usage = d.Usage
	case DeltaAdjusted:
		if a := d.Adjusted; a != nil && a.Used == "" {
			c.send(&OptionIgnored{Adjustment: *a})
		} else if a != nil {
			c.send(&OptionAdjusted{Adjustment: *a})
		}
	case DeltaRetry:
		if d.Retry != nil {
			c.reset()
			c.send(&ModelRetry{Retry: *d.Retry})
		}
	case DeltaState:
		if c.message.Provider == nil {
			c.message.Provider = make(map[string]json.RawMessage, len(d.Provider))
		}
		maps.Copy(c.message.Provider, d.Provider)
	case DeltaWarning:
		c.send(&Warned{Warning: Warning{Code: d.Name, Message: d.Text}})
	case DeltaFinish:
		c.finish = d.Finish
		if c.finish == "" {
			c.finish = FinishOther
		}
		if d.ItemID != "" {
			c.message.ItemID = d.ItemID
		}
	}
	return nil
}

// open begins a part of a kind, unless one is open already.
func (c *modelCall) open(kind DeltaKind) bool {
	c.said = true
	if c.kind == kind {
		return true
	}
	if !c.closePart() {
		return false
	}
	c.kind, c.since = kind, time.Now()
	return true
}

// reasoned completes a part of reasoning with the state that belongs to it. The
// part may be the state alone: a provider that hides what its model thinks wants
// that back all the same.
func (c *modelCall) reasoned(d *Delta) {
	if d.Text != "" && c.open(DeltaReasoning) {
		c.text.WriteString(d.Text)
		c.send(&ReasoningDelta{Text: d.Text})
	}
	if c.kind == DeltaReasoning {
		c.state = d.Provider
		c.closePart()
	} else if c.closePart() {
		c.message.Parts = append(c.message.Parts, Reasoning{Provider: d.Provider})
	}
}

// closePart ends the part that is open, and reports whether more is wanted.
func (c *modelCall) closePart() bool {
	if c.kind == 0 {
		return !c.stopped
	}
	kind, text := c.kind, c.text.String()
	c.kind = 0
	c.text.Reset()
	switch kind {
	case DeltaReasoning:
		c.message.Parts = append(c.message.Parts, Reasoning{Text: text, Provider: c.state})
		c.state = nil
		return c.send(&ReasoningEnd{Chars: utf8.RuneCountInString(text), Millis: time.Since(c.since).Milliseconds()})
	case DeltaRefusal:
		c.message.Parts = append(c.message.Parts, Refusal{Text: text})
		return !c.stopped
	default:
		c.message.Parts = append(c.message.Parts, Text{Text: text})
		return c.send(&TextEnd{ItemID: c.message.ItemID})
	}
}

// unique returns an id that no other call of the message has.
func (c *modelCall) unique(id string) string {
	taken := func(id string) bool {
		return id == "" || slices.ContainsFunc(c.calls, func(other *openCall) bool { return other.ID == id })
	}
	turn := ""
	if c.req.Turn != nil {
		turn = c.req.Turn.ID
	}
	for n := len(c.calls); taken(id); n++ {
		id = fmt.Sprintf("call_%s_%d_%d", turn, c.round(), n)
	}
	return id
}

func (c *modelCall) call(id string) *openCall {
	for _, call := range c.calls {
		if call.wire == id && !call.done {
			return call
		}
	}
	return nil
}

// ready completes a call.
func (c *modelCall) ready(call *openCall) {
	call.done = true
	raw := call.args.String()
	arguments, repaired, err := repairArguments(raw)
	if err != nil {
		call.RawArguments, call.Problem = raw, err.Error()
	} else {
		call.Arguments = arguments
		if repaired {
			call.RawArguments = raw
			c.send(&Warned{Warning: Warning{Code: WarnRepaired, Message: fmt.Sprintf("the arguments of %s were no JSON and have been repaired", call.Name)}})
		}
	}
	risk := ""
	for i, t := range c.req.Tools {
		if def := &c.tools[i]; def.Name == call.Name {
			call.Source = ToolSource{Level: def.Level, Fingerprint: def.Fingerprint}
			if server := serverOf(t); server != "" {
				call.Source.Server, call.Type = server, TypeMCP
			}
			risk = riskOf(def.Level)
		}
	}
	c.message.Parts = append(c.message.Parts, call.ToolCall)
	c.send(&ToolCallReady{CallID: call.ID, Name: call.Name, Arguments: call.Arguments, CallType: call.Type, Source: call.Source, Risk: risk})
}

func riskOf(l toolspec.Level) string {
	if l == toolspec.LevelUnknown {
		return ""
	}
	return l.String()
}

// reset forgets what was said: the exchange begins anew.
func (c *modelCall) reset() {
	c.message, c.calls, c.kind, c.finish, c.usage, c.said = Message{}, nil, 0, "", nil, false
	c.state = nil
	c.text.Reset()
}

// abandon answers the calls of a message that broke off: none of them runs.
func (c *modelCall) abandon() {
	for _, call := range c.calls {
		text := English(Notice{Outcome: OutcomeCancelled, Tool: call.Name})
		result := &ToolResult{CallID: call.ID, Name: call.Name, IsError: true, Outcome: OutcomeCancelled, Content: []toolspec.Content{toolspec.Text(text)}}
		c.send(&ToolCallResult{CallID: call.ID, IsError: true, Outcome: OutcomeCancelled, Content: text, Bytes: len(text), Result: result})
		c.send(&ToolCallUpdate{CallID: call.ID, Status: CallCancelled, Reason: "the answer broke off"})
	}
}

// report tells what the call cost. What the provider does not say is estimated.
func (c *modelCall) report() bool {
	u := Usage{Estimated: true}
	if c.usage != nil {
		u = *c.usage
	} else {
		u.Input = scale(c.ledger.total, c.ledger.factor)
		u.Output = EstimateTokens(&c.message)
	}
	if !u.Estimated {
		c.learned.learn(c.name(), c.ledger.total, u.Input)
	}
	if u.Total == 0 {
		u.Total = u.Input + u.Output
	}
	total := u
	if c.req.Turn != nil {
		cost := int64(0)
		if price := c.req.Turn.policy.Price; price != nil {
			info := c.info
			info.Name = or(c.req.Options.Model, info.Name)
			cost = max(price(info, u), 0)
		}
		total = c.req.Turn.AddUsage(u, cost)
	}
	return c.send(&UsageReported{RoundUsage: u, TurnUsage: total})
}

// complete closes the message.
func (c *modelCall) complete(status MessageStatus) bool {
	m := c.message
	m.Role, m.Round = RoleAssistant, c.round()
	if c.req.Turn != nil {
		m.TurnID = c.req.Turn.ID
	}
	switch c.finish {
	case FinishStop, FinishOther:
		if len(m.ToolCalls()) > 0 { // some servers end calls like a text
			c.finish = FinishToolCalls
		}
	case FinishToolCalls:
		if len(m.ToolCalls()) == 0 {
			c.finish = FinishStop
		}
	}
	return c.send(&MessageCompleted{ItemID: m.ItemID, Role: m.Role, OutputIndex: m.OutputIndex, Content: m.Text(), Status: status, Message: &m})
}

func defaultPolicy() TurnPolicy {
	p, _ := TurnPolicy{}.withDefaults() // nothing is negative
	return p
}

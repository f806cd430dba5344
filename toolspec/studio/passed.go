package studio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/localpass/localpass/internal/schema"
	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/toolspec"
)

// Passed is a tool that holds a Local Pass: an immutable snapshot of what
// passed, together with its receipt. Only [Studio] and [Certify] make one, and
// it is the only thing that a hub serves from this host. It is a [toolspec.Tool].
//
// A Passed knows whether it is still good: once it is withdrawn, every call is
// refused, through copies of the value too. A call that is under way then
// finishes under the receipt it started with. The zero value holds no pass and
// serves nothing. All methods are safe for concurrent use.
type Passed struct{ core *passedCore }

var _ toolspec.Tool = (*Passed)(nil)

type passedCore struct {
	id        string
	def       toolspec.Definition
	receipt   Receipt
	bundled   bool
	tool      caller
	spec      *toolspec.Spec    // nil for a Go tool
	posture   *toolspec.Posture // nil for a Go tool
	output    *schema.Schema
	telemetry *genai.Telemetry
	withdrawn atomic.Bool
}

// caller is what a Passed calls: a certified tool, or a spec with its runner.
type caller interface {
	Call(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error)
}

// Err returns nil while the tool may be served, ErrNoPass for a value that
// never held a pass, and ErrWithdrawn once it was withdrawn.
func (p *Passed) Err() error {
	switch {
	case p == nil || p.core == nil:
		return toolspec.ErrNoPass
	case p.core.withdrawn.Load():
		return fmt.Errorf("studio: %s: %w", p.core.def.Name, toolspec.ErrWithdrawn)
	}
	return nil
}

// ID is the tool's stable identity: the tool id of a spec, "go:" and the name
// for a Go tool.
func (p *Passed) ID() string {
	if p == nil || p.core == nil {
		return ""
	}
	return p.core.id
}

// Definition is what a client learns of the tool. Its schemas must not be
// changed.
func (p *Passed) Definition() toolspec.Definition {
	if p == nil || p.core == nil {
		return toolspec.Definition{}
	}
	return p.core.def
}

// Receipt is the pass itself.
func (p *Passed) Receipt() Receipt {
	if p == nil || p.core == nil {
		return Receipt{}
	}
	return p.core.receipt
}

// Posture is what the tool may do when it is called; nil for a Go tool, which
// may do what this program may.
func (p *Passed) Posture() *toolspec.Posture {
	if p == nil || p.core == nil || p.core.posture == nil {
		return nil
	}
	posture := *p.core.posture
	return &posture
}

// Spec is a copy of the spec that passed; nil for a Go tool.
func (p *Passed) Spec() *toolspec.Spec {
	if p == nil || p.core == nil || p.core.spec == nil {
		return nil
	}
	return p.core.spec.Clone()
}

// Bundled reports whether the tool came with the program rather than from its
// user.
func (p *Passed) Bundled() bool { return p != nil && p.core != nil && p.core.bundled }

// Check tells whether the arguments of a call would be taken, without calling
// the tool: what a spec would refuse by its parameters. nil: they would, or it is
// a Go tool, which checks its own.
func (p *Passed) Check(arguments json.RawMessage) *toolspec.CallError {
	if p == nil || p.core == nil {
		return nil
	}
	t, ok := p.core.tool.(*specTool)
	if !ok {
		return nil
	}
	_, err := t.spec.Bind(arguments, &toolspec.BindOptions{Lenient: t.studio.opts.LenientArguments})
	if err != nil {
		err.Definition = &p.core.def
	}
	return err
}

// Ready returns nil when a call can be made as far as the pass goes, and why not
// when the store that keeps it does not answer: kind RUNTIME_ERROR, reason
// store-unavailable, see [Studio.FollowStore]. The call may be made again later.
// Call does the same; Ready is for what comes before it, such as asking a person.
func (p *Passed) Ready(ctx context.Context) *toolspec.CallError {
	if p == nil || p.core == nil {
		return nil
	}
	t, ok := p.core.tool.(*specTool)
	if !ok {
		return nil
	}
	err := t.studio.follow.ready(ctx)
	if err != nil {
		p.core.fail(err)
	}
	return err
}

// Call runs the tool once. Whatever goes wrong within the call is a Result with
// IsError set: a tool that was withdrawn meanwhile gives kind SECURITY, reason
// withdrawn; one whose store does not answer gives RUNTIME_ERROR, reason
// store-unavailable; a panic gives RUNTIME_ERROR, reason panic. An error means
// that the value holds no pass, or that call is nil.
func (p *Passed) Call(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
	if err := p.Err(); err != nil {
		if errors.Is(err, toolspec.ErrWithdrawn) {
			return p.core.refuseWithdrawn(), nil
		}
		return nil, err
	}
	c := p.core
	if call == nil {
		return nil, fmt.Errorf("studio: call %s: the call is nil", c.def.Name)
	}
	if err := p.Ready(ctx); err != nil {
		return toolspec.ErrorResult(err), nil
	}
	origin := genai.OriginNative
	if c.spec != nil {
		origin = genai.OriginSpec
	}
	ctx, op := c.telemetry.StartTool(ctx, genai.Tool{Name: c.def.Name, CallID: call.ID, Conversation: call.Conversation,
		Origin: origin, Level: c.def.Level.String()})
	result := c.run(ctx, call)
	if result.IsError && op != nil {
		kind, err := "tool_error", error(nil)
		if result.Err != nil {
			kind, err = string(result.Err.Kind), result.Err
		}
		op.End(ctx, kind, err)
	} else {
		op.End(ctx, "", nil)
	}
	return result, nil
}

// run calls the tool and turns every way in which it can fail into a Result.
func (c *passedCore) run(ctx context.Context, call *toolspec.Call) (result *toolspec.Result) {
	defer func() {
		if v := recover(); v != nil {
			result = toolspec.ErrorResult(c.fail(&toolspec.CallError{Kind: toolspec.KindRuntimeError, Reason: toolspec.ReasonPanic, Component: "user-code",
				Message: "the tool failed unexpectedly", Err: fmt.Errorf("panic: %v\n%s", v, debug.Stack())}))
		}
	}()
	run := func(ctx context.Context) (*toolspec.Result, error) { return c.tool.Call(ctx, call) }
	if t, ok := c.tool.(*specTool); ok {
		// A person may be asked first, which is not the tool's time.
		admitted, err := t.admit(ctx, call)
		if err != nil {
			return toolspec.ErrorResult(c.fail(err))
		}
		if c.withdrawn.Load() {
			return c.refuseWithdrawn() // it was withdrawn while a person was asked to approve the call
		}
		if !t.test {
			if err := t.studio.follow.ready(ctx); err != nil { // meanwhile
				return toolspec.ErrorResult(c.fail(err))
			}
		}
		run = func(ctx context.Context) (*toolspec.Result, error) { return admitted(ctx), nil }
	}
	if c.def.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.def.Timeout)
		defer cancel()
	}
	result, err := run(ctx)
	if err != nil {
		return toolspec.ErrorResult(c.fail(toolspec.AsCallError(ctx, err)))
	}
	if result == nil {
		return toolspec.ErrorResult(c.fail(&toolspec.CallError{Kind: toolspec.KindRuntimeError, Reason: "no-result", Component: "user-code",
			Message: "the tool returned no result"}))
	}
	if result.Err != nil {
		c.fail(result.Err)
	}
	if c.output != nil && !result.IsError {
		if err := c.checkOutput(result); err != nil {
			failed := toolspec.ErrorResult(c.fail(err))
			failed.Outcome = result.Outcome
			return failed
		}
	}
	return result
}

// checkOutput holds the structured result against the schema that was promised.
func (c *passedCore) checkOutput(result *toolspec.Result) *toolspec.CallError {
	message := "the result has no structured part, which the tool's output schema promises"
	var cause error
	if result.Structured != nil {
		if cause = c.output.Validate(result.Structured); cause == nil {
			return nil
		}
		message = "the result does not match the tool's output schema"
	}
	return &toolspec.CallError{Kind: toolspec.KindRuntimeError, Reason: "output-schema", Component: "result", Message: message, Err: cause}
}

func (c *passedCore) refuseWithdrawn() *toolspec.Result {
	return toolspec.ErrorResult(c.fail(&toolspec.CallError{Kind: toolspec.KindSecurity, Reason: toolspec.ReasonWithdrawn, Component: "pass",
		Message: "this tool was withdrawn; list the tools again"}))
}

// fail notes in err whose failure it is.
func (c *passedCore) fail(err *toolspec.CallError) *toolspec.CallError {
	if err.Definition == nil {
		err.Definition = &c.def
	}
	return err
}

// withdraw ends the serving of the tool, for every copy of the value.
func (p *Passed) withdraw() { p.core.withdrawn.Store(true) }

// Receipt is a Local Pass: it records that a tool, in its present form, passed its own
// tests on this host. For a spec it is stored, authenticated with a key of the home,
// and good only for the same content, posture, runtime and tier.
type Receipt struct {
	ID     string `json:"id"`
	ToolID string `json:"toolId"`
	Name   string `json:"name"`
	// Subject is the digest of all that the pass is bound to: ContentHash,
	// PostureHash, and the runtime's id, major version and tier.
	Subject     string           `json:"subject"`
	ContentHash string           `json:"contentHash"`
	PostureHash string           `json:"postureHash,omitempty"`
	Runtime     toolspec.Runtime `json:"runtime"`
	Level       toolspec.Level   `json:"level"`
	// At is when the tool passed, Duration how long its tests took, Cases how
	// many there were.
	At       time.Time     `json:"at"`
	Duration time.Duration `json:"duration"`
	Cases    int           `json:"cases"`
	// Recorded says that the network was not used: requests were answered from
	// recorded exchanges, and secrets had stand-ins.
	Recorded bool `json:"recorded,omitempty"`
	// ResultDigest is the SHA-256 of the results, in order.
	ResultDigest string `json:"resultDigest"`
	// MAC authenticates everything above.
	MAC string `json:"mac,omitempty"`
}

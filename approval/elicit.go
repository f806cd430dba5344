package approval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/localpass/localpass/internal/termtext"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

// peerKey is the context key under which a gate passes the peer of a call to approvers.
// It is never serialized.
type peerKey struct{}

// withPeer returns a context that carries the peer of the call for approvers.
func withPeer(ctx context.Context, peer toolspec.Peer) context.Context {
	return context.WithValue(ctx, peerKey{}, peer)
}

// peerFrom returns the peer of the call, or [toolspec.NoPeer]; it never returns nil.
func peerFrom(ctx context.Context) toolspec.Peer {
	if peer, _ := ctx.Value(peerKey{}).(toolspec.Peer); peer != nil {
		return peer
	}
	return toolspec.NoPeer
}

// maxElicited is the maximum size of the arguments in a question to a client, in bytes. A
// client is not asked about a call with longer arguments, because a person cannot approve
// what is not shown.
const maxElicited = 64 << 10

// Elicitation returns an approver that asks the user of the calling client with MCP's
// elicitation/create, through the [toolspec.Peer] of the call. The client reports the
// user's answer, so it is only as trustworthy as the client; if the client is not
// trusted, ask elsewhere. The redactor masks secrets in the question; nil masks nothing.
//
// Each request is one question with an empty form: accept approves it once, decline
// declines it and cancel cancels it. If the tool's name must be typed (L5), the form has
// the member "confirm"; if that is missing or wrong, the client is asked again with a
// note, three times in total, and then the call is declined.
//
// The error is [ErrUnavailable] if the client did not declare the capability. A client of
// 2026-07-28 is asked through a [State] if the server supports this. Any other failure is
// an error that refuses the call.
func Elicitation(redactor *secret.Redactor) Approver {
	return &elicitation{redactor}
}

type elicitation struct{ redactor *secret.Redactor }

// Ask asks the questions one after another, and stops at the first failure.
func (e *elicitation) Ask(ctx context.Context, requests []Request) ([]Decision, error) {
	peer := peerFrom(ctx)
	decisions := make([]Decision, 0, len(requests))
	for i := range requests {
		d, err := e.ask(ctx, peer, &requests[i])
		if err != nil {
			return decisions, err
		}
		decisions = append(decisions, d)
	}
	return decisions, nil
}

func (e *elicitation) ask(ctx context.Context, peer toolspec.Peer, r *Request) (Decision, error) {
	question, err := elicitQuestion(r, e.redactor)
	if err != nil {
		return Decision{}, err
	}
	for left := mostElicited; ; left-- {
		answer, err := peer.Elicit(ctx, question)
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			return Decision{}, fmt.Errorf("%w: the client that called %q takes no questions: %w", ErrUnavailable, r.Tool, err)
		case err != nil:
			return Decision{}, fmt.Errorf("approval: ask the client about %q: %w", r.Tool, err)
		}
		d, err := ElicitDecision(r, answer)
		switch {
		case !errors.Is(err, ErrUnconfirmed):
			return d, err
		case left == 1:
			return Decision{Request: r.ID, Outcome: Declined, By: r.Principal, Via: "elicit",
				Reason: fmt.Sprintf("the client accepted %d times without the name of the tool in the field confirm", mostElicited)}, nil
		}
		if question, err = elicitAgain(r, err, e.redactor); err != nil {
			return Decision{}, err
		}
	}
}

// mostElicited is the maximum number of times that a client is asked the same question if
// its answers lack the required text.
const mostElicited = 3

// unconfirmedError reports that a client accepted a question whose form asks for the name
// of the tool, but did not send that name.
type unconfirmedError struct {
	tool, typed string // the required text, and the received one; empty: none
}

// Error describes what is missing, for the person who decides.
func (e *unconfirmedError) Error() string {
	if e.typed == "" {
		return fmt.Sprintf("the required field \"confirm\" is missing: it must hold the name of the tool, %s", e.tool)
	}
	return fmt.Sprintf("the field \"confirm\" holds %.100q: it must hold the name of the tool, %s", e.typed, e.tool)
}

// Unwrap makes it an [ErrUnconfirmed], which is an [ErrInvalid].
func (e *unconfirmedError) Unwrap() []error { return []error{ErrInvalid, ErrUnconfirmed} }

// ElicitAgain returns the question to repeat to an MCP client whose answer to a request
// was incomplete, for code that asks without a [toolspec.Peer], such as a server of
// 2026-07-28. The message begins with missing, an error of [ElicitDecision] that matches
// [ErrUnconfirmed]. The returned error matches [ErrUnavailable] if the arguments are too
// long to show.
func ElicitAgain(r *Request, missing error) (*toolspec.ElicitRequest, error) {
	return elicitAgain(r, missing, nil)
}

func elicitAgain(r *Request, missing error, redactor *secret.Redactor) (*toolspec.ElicitRequest, error) {
	q, err := elicitQuestion(r, redactor)
	if err == nil {
		q.Message = "The last answer could not be used: " + termtext.EscapeLines(missing.Error()) + ".\n\n" + q.Message
	}
	return q, err
}

// elicitQuestion returns the question about a request for an MCP client: the message,
// which begins with the level, and a form.
func elicitQuestion(r *Request, redactor *secret.Redactor) (*toolspec.ElicitRequest, error) {
	shown := termtext.Escape(string(redactor.JSON(r.Arguments)))
	if len(shown) > maxElicited {
		return nil, fmt.Errorf("%w: the arguments of %q take %d bytes to show, a client is shown at most %d: approve it elsewhere",
			ErrUnavailable, r.Tool, len(shown), maxElicited)
	}
	var b strings.Builder
	question, said, _ := strings.Cut(termtext.EscapeLines(redactor.String(r.Prompt)), "\n")
	fmt.Fprintf(&b, "[risk %s] %s\n\n", r.Level.Label(), question)
	if a := r.Doing().mask(redactor); a.Kind != ActionRun && a.Kind != ActionCall {
		fmt.Fprintf(&b, "What it does: %s.\n", termtext.Escape(a.String()))
	}
	if r.Server != "" {
		fmt.Fprintf(&b, "Server: %s\n", termtext.Escape(r.Server))
	}
	fmt.Fprintf(&b, "Tool: %s\nArguments that will run: %s", termtext.Escape(r.Tool), shown)
	q := &toolspec.ElicitRequest{Schema: json.RawMessage(`{"type":"object","properties":{}}`)}
	if r.Confirm != "" {
		fmt.Fprintf(&b, "\nTo approve, type %s", termtext.Escape(r.Confirm))
		q.Schema = json.RawMessage(`{"type":"object","properties":{"confirm":{"type":"string","title":"Name of the tool",` +
			`"description":"Type the tool's name to approve this call."}},"required":["confirm"]}`)
	}
	if said != "" { // text from the tool, which follows our own text
		b.WriteString("\n\n" + said)
	}
	q.Message = b.String()
	return q, nil
}

// ElicitDecision converts an MCP client's answer about a request to a decision: accept
// approves once (only with the name, if it must be typed), decline declines and cancel
// cancels. Anything else is an error, which refuses the call; it matches [ErrUnconfirmed]
// if the name is missing. The decision is made by the calling principal.
func ElicitDecision(r *Request, answer *toolspec.ElicitResult) (Decision, error) {
	d := Decision{Request: r.ID, By: r.Principal, Via: "elicit"}
	if answer == nil {
		return Decision{}, fmt.Errorf("%w: the client answered nothing to the question about %q", ErrInvalid, r.Tool)
	}
	switch answer.Action {
	case toolspec.ElicitDecline:
		d.Outcome = Declined
		return d, nil
	case toolspec.ElicitCancel:
		d.Outcome = Cancelled
		return d, nil
	case toolspec.ElicitAccept:
	default:
		return Decision{}, fmt.Errorf("%w: the client answered the question about %q with the unknown action %.40q", ErrInvalid, r.Tool, string(answer.Action))
	}
	d.Outcome, d.Scope = Approved, ScopeOnce
	if r.Confirm == "" {
		return d, nil
	}
	var typed struct {
		Confirm string `json:"confirm"`
	}
	if err := json.Unmarshal(answer.Content, &typed); err != nil || typed.Confirm != r.Confirm {
		return Decision{}, &unconfirmedError{tool: r.Confirm, typed: typed.Confirm}
	}
	d.Confirm = typed.Confirm
	return d, nil
}

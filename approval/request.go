package approval

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/localpass/localpass/toolspec"
)

// Side is where a call comes from. Policies and grants of one side say nothing
// about another: "always allow in chat" does not open the network endpoint.
type Side string

// The sides.
const (
	// SideChat is a person's own chat or inspector in this program.
	SideChat Side = "chat"
	// SideServer is a client of the built-in MCP server.
	SideServer Side = "server"
	// SideStudio is a test of a spec before it is published.
	SideStudio Side = "studio"
)

// Call is what a gate is asked about.
type Call struct {
	// Definition is the tool as it is served; its Fingerprint changes with the
	// tool.
	Definition toolspec.Definition
	// Server is the id of the server that the tool comes from; empty is this
	// program itself.
	Server string
	// Alias is the name that the caller used, when it is not the tool's own.
	Alias string
	// Call holds id, arguments, principal, conversation, and the peer that can be
	// asked.
	Call *toolspec.Call
	Side Side
	// Findings are what a scan found wrong with the tool.
	Findings []Finding
	// Risk says in words what determines the level, such as [toolspec.Risk.Why], and
	// Changes what this call would change, a sentence each, beside what the definition
	// says of every call ([toolspec.Definition.Effect]). They are shown to the person
	// who decides.
	Risk    []string
	Changes []string
	// Refused says why the tool may not run at all, whatever the decision: withheld,
	// revoked, over the cap. Empty: the decision counts.
	Refused string
	// Current returns the tool as it is served by then. It is called once more after a
	// person approved, so that a tool that changed meanwhile does not run. nil: the
	// definition does not change.
	Current func(context.Context) (toolspec.Definition, error)
	// Batch names the calls that one turn of a model makes together: they are asked
	// about together. Empty: the call is asked about alone.
	Batch string
	// Client is the calling program, where it named itself.
	Client Client
	// Asked is called with the question once it is written down, before a person is
	// asked. It must not block. Optional.
	Asked func(Request)
}

// Client is the program that makes a call, as it says itself: a claim, which shows a
// person where a question comes from and decides nothing.
type Client struct {
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
	// Session labels its session: the same for all of its calls. Empty: it has none.
	Session string `json:"session,omitempty"`
}

// String is the client for people, such as "inspector 1.2 (session 3fa9)"; empty
// when nothing is known.
func (c Client) String() string {
	text := strings.TrimSpace(c.Name + " " + c.Version)
	if c.Session != "" {
		text = strings.TrimSpace(text + " (session " + c.Session + ")")
	}
	return text
}

// Finding is one thing that a scan of a tool's texts found.
type Finding struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"` // "low", "medium", "high" or "critical"
	Detail   string `json:"detail,omitempty"`
}

// Request is an approval request: one question to a person, whether a call may run. It holds no secret:
// arguments are shown as the caller gave them, and invisible characters in
// [Request.Shown] are escaped.
type Request struct {
	// ID is "ap_" and a ULID.
	ID string `json:"id"`
	// CallID is that of the call; decisions are keyed by ID, so that two equal
	// calls in one batch are two questions.
	CallID string `json:"callId"`
	Batch  string `json:"batch,omitempty"`

	Tool        string `json:"tool"`
	Server      string `json:"server,omitempty"`
	Alias       string `json:"alias,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	// Fingerprint is the tool as it was when the question was asked.
	Fingerprint string         `json:"fingerprint"`
	Level       toolspec.Level `json:"level"`
	Findings    []Finding      `json:"findings,omitempty"`

	// Arguments are the bytes that run when the request is approved: the canonical
	// form (RFC 8785). Digest is their SHA-256 in hex.
	Arguments json.RawMessage `json:"arguments"`
	Digest    string          `json:"digest"`
	// Schema is what edited arguments must match.
	Schema json.RawMessage `json:"schema,omitempty"`

	// Prompt is the question in words, with the tool's own template filled in;
	// Shown is the arguments for people, escaped and cut to 400 characters.
	Prompt string `json:"prompt"`
	Shown  string `json:"shown"`
	// Why says which rule asks, and what determines the level; Changes what the call
	// may change and reach, a sentence each: as it is enforced, or, where nothing is
	// enforced here, as the server or the tool says.
	Why     []string `json:"why,omitempty"`
	Changes []string `json:"changes,omitempty"`
	// Targets are the files and the addresses that the arguments name, such as
	// "path notes/todo.md": those of Arguments, not of what a person makes of them.
	Targets []string `json:"targets,omitempty"`
	// Confirm is the text that the person must type for a tool of level L5: its
	// name. Empty: a click will do.
	Confirm string `json:"confirm,omitempty"`
	// Scopes are the scopes that may be chosen; once is always among them.
	Scopes []Scope `json:"scopes"`
	// Needed is how many different people must approve: 1, or 2 (four eyes).
	Needed int `json:"needed"`

	Principal    toolspec.Principal `json:"principal"`
	Conversation string             `json:"conversation,omitempty"`
	Side         Side               `json:"side"`
	// Client is the program that calls, as it says itself.
	Client Client `json:"client,omitzero"`

	Created  time.Time `json:"created"`
	Deadline time.Time `json:"deadline"`
	// Latest is until when [Broker.Extend] puts the deadline off, once. Zero: the
	// deadline is final, because the caller waits no longer, or because it was already
	// put off.
	Latest time.Time `json:"latest,omitzero"`
}

// clone returns a copy that shares nothing that may be changed.
func (r Request) clone() Request {
	r.Findings, r.Why, r.Changes, r.Scopes = slices.Clone(r.Findings), slices.Clone(r.Why), slices.Clone(r.Changes), slices.Clone(r.Scopes)
	r.Targets = slices.Clone(r.Targets)
	r.Arguments, r.Schema = slices.Clone(r.Arguments), slices.Clone(r.Schema)
	return r
}

// Scope is how far an approval reaches.
type Scope string

// The scopes.
const (
	ScopeOnce         Scope = "once"
	ScopeArguments    Scope = "arguments"    // the same tool with the same arguments, until the grant ends
	ScopeConversation Scope = "conversation" // the same tool in this conversation
	ScopeCalls        Scope = "calls"        // a number of calls of the tool
	ScopeTime         Scope = "time"         // the tool, until a time, at most 8 h
	ScopeAlways       Scope = "always"       // an ALWAYS_ALLOW policy of this side
)

// Outcome is what came of an approval request, and of the call that it is about. Only
// [Approved] runs the call.
type Outcome string

// The outcomes.
const (
	Approved     Outcome = "approved"
	Declined     Outcome = "declined"
	Cancelled    Outcome = "cancelled"
	TimedOut     Outcome = "timed-out"
	Unavailable  Outcome = "unavailable"   // no person can be reached
	Failed       Outcome = "failed"        // asking failed
	PolicyDenied Outcome = "policy-denied" // refused without a question
	Pending      Outcome = "pending"       // none yet: the decision will come later
)

// Decision is what a person decided about one request.
type Decision struct {
	// Request is the id of the request that it decides.
	Request string `json:"request"`
	// Outcome is what the person wants to come of the request: [Approved], [Declined],
	// or [Cancelled] for a question that was dismissed. An approver that could not ask
	// may say [TimedOut], [Unavailable] or [Failed].
	Outcome Outcome `json:"outcome"`
	// Scope of an approval; empty is once. Calls and Until go with the scopes of
	// their names; 0 and the zero time are one call and one hour.
	Scope Scope     `json:"scope,omitempty"`
	Calls int       `json:"calls,omitempty"`
	Until time.Time `json:"until,omitzero"`
	// Arguments, when they are there, run in place of those that were asked
	// about. They are checked against the tool's schema first.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Confirm is what the person typed, where Request.Confirm asks for it.
	Confirm string `json:"confirm,omitempty"`
	// Reason is given to the model when the call is declined.
	Reason string `json:"reason,omitempty"`
	// By is who decided, Via how: "terminal", "http", "elicit", "webhook", …
	By  toolspec.Principal `json:"by,omitzero"`
	Via string             `json:"via,omitempty"`
	At  time.Time          `json:"at,omitzero"`
}

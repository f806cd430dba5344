package toolspec

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/localpass/localpass/internal/schema"
)

// Tool is anything a model can call: a spec that runs in a sandbox, a Go
// function, a tool of a remote server.
//
// Obligations of an implementation:
//
//   - Both methods are safe for concurrent use, and Definition always returns
//     the same thing: a tool that changes is another Tool.
//   - Call ends soon after its context does.
//   - A failure that the model should see is a Result with IsError set. An
//     error says that the call could not be made at all.
//   - Call keeps neither call nor its Arguments after it returns.
type Tool interface {
	Definition() Definition
	Call(ctx context.Context, call *Call) (*Result, error)
}

// Definition is what a client and a model learn of a tool.
type Definition struct {
	// Name is what a call names: 1 to 128 characters of A-Z a-z 0-9 . _ and -
	// (MCP 2025-11-25). Model providers accept 64 without the dot.
	Name string
	// Title is a name for people. Optional.
	Title       string
	Description string
	// InputSchema is the JSON Schema object of the arguments, with its
	// properties in the author's order.
	InputSchema json.RawMessage
	// OutputSchema is the JSON Schema of Result.Structured. Optional.
	OutputSchema json.RawMessage
	Annotations  Annotations
	// Icons are pictures that a client may show. Optional.
	Icons []Icon
	// Level is the inherent risk level.
	Level Level
	// Effect says in words what a call may reach and what it cannot, a sentence
	// each, for people who decide about it: see [Posture.Effect]. Only the component
	// that enforces it fills it in. Empty: nothing is enforced. It must not be changed.
	Effect []string
	// ReturnDirect asks a chat to give the result to the person without
	// another round of the model.
	ReturnDirect bool
	// Timeout bounds one call. 0 leaves it to the caller.
	Timeout time.Duration
	// Task says whether a call may become a task.
	Task TaskSupport
	// Approval says whether a person is asked before each call; nil: not by the
	// tool itself.
	Approval *Approval
	// Fingerprint is a digest of all that the tool is and may do: another one is
	// another tool. Empty for a tool that cannot tell.
	Fingerprint string
}

// Annotations are MCP's hints about what a tool does. A nil hint is not sent.
// They are the tool's own claim: never a reason to trust it.
type Annotations struct {
	ReadOnly    *bool // changes nothing
	Destructive *bool // may remove or overwrite
	Idempotent  *bool // the same call twice is as good as once
	OpenWorld   *bool // reaches things outside of this system
}

// Call is one call of a tool: the principal, the arguments and the context of the call.
type Call struct {
	// ID names the call in logs, spans and audit records. Empty: the callee
	// makes one up.
	ID string
	// Arguments is a JSON object. Empty or null means no arguments.
	Arguments json.RawMessage
	// Principal is the calling person or program, as established by the transport.
	Principal Principal
	// Conversation names the conversation that the call belongs to. Optional.
	Conversation string
	// Meta holds what the caller sent along. A tool may read it and must not
	// trust it.
	Meta map[string]json.RawMessage
	// Peer reaches back to the caller. nil: the caller cannot be reached; [Call.Caller]
	// then returns a Peer that reports this.
	Peer Peer
}

// Caller returns the call's Peer, or [NoPeer] when it has none or the call is nil:
// never nil.
func (c *Call) Caller() Peer {
	if c == nil || c.Peer == nil {
		return NoPeer
	}
	return c.Peer
}

// Principal identifies the caller. It is established by the transport (a verified token
// over HTTP, the parent process over stdio, the program itself in process) and never
// taken from what a client says of itself.
type Principal struct {
	Subject string `json:"subject"`          // who, such as a user id; "local" over stdio
	Issuer  string `json:"issuer,omitempty"` // who vouches for the subject; empty for this program
	Via     string `json:"via,omitempty"`    // how the call came in: "stdio", "http", "in-process"
}

// String gives "subject@issuer via way", without the parts that are empty.
func (p Principal) String() string {
	s := p.Subject
	if p.Issuer != "" {
		s += "@" + p.Issuer
	}
	if p.Via != "" {
		s += " via " + p.Via
	}
	return s
}

// Source is a set of tools that may change over time: a hub, a studio.
type Source interface {
	// Tools returns the tools that can be called now, ordered by name.
	Tools(ctx context.Context) ([]Tool, error)
}

// Finder is the upgrade of a [Source] that can wait for a tool which is known and
// cannot be called yet, such as one of a server that is not connected.
type Finder interface {
	// Find returns the tool of a name, and waits for it until ctx ends. The error
	// says why there is none.
	Find(ctx context.Context, name string) (Tool, error)
}

// Watcher is the upgrade of a [Source] that tells when its set changed.
type Watcher interface {
	// Watch calls changed after each change until stop is called; stop waits
	// for a call under way. changed must not block: note it and return.
	Watch(changed func()) (stop func())
}

// CheckToolName says why a tool of this name cannot be served: a name is 1 to 128
// of A-Z, a-z, 0-9, dot, underscore and hyphen (MCP 2025-11-25).
func CheckToolName(name string) error {
	valid := name != "" && len(name) <= 128
	for i := 0; valid && i < len(name); i++ {
		c := name[i]
		valid = lower(c|0x20) || decimal(c) || c == '.' || c == '_' || c == '-'
	}
	if !valid {
		return fmt.Errorf("the name %q cannot be served: use 1 to 128 of A-Z a-z 0-9 . _ and -", name)
	}
	return nil
}

// Validate says why a tool of this definition cannot be served: its name, an icon
// or a schema is not right.
func (d *Definition) Validate() error {
	if err := CheckToolName(d.Name); err != nil {
		return err
	}
	for i := range d.Icons {
		if err := d.Icons[i].Check(); err != nil {
			return err
		}
	}
	if _, err := schema.CompileObject(d.InputSchema); err != nil {
		return fmt.Errorf("input schema: %w", err)
	}
	if d.OutputSchema != nil {
		if _, err := schema.CompileObject(d.OutputSchema); err != nil {
			return fmt.Errorf("output schema: %w", err)
		}
	}
	return nil
}

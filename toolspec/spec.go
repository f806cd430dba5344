package toolspec

import (
	"encoding/json"
)

// CodeTypeJavascript is the one code type of version 1.0.
const CodeTypeJavascript = "Javascript"

// Spec is one document of the Safe Tool Specification: a tool, what it touches,
// and the values it is tested with. Make one with [New] or [Parse]; it marshals
// back to JSON with everything that was in the document, members that this
// version does not know included, in their order.
//
// A Spec is a plain value without locks: do not change one while it is in use
// elsewhere. [Studio] takes a snapshot of what it is given.
type Spec struct {
	ToolID      string
	Name        string
	Description string
	Category    string
	Tags        []string
	Params      []Param
	// StaticVariables are bound by name beside the parameters and win over
	// them. Duplicates are legal; the last one counts.
	StaticVariables []Variable
	// Code is the body of an async JavaScript function.
	Code      string
	CodeType  string
	Overrides Overrides
	// ToolSafety is the snapshot that another host recorded, verbatim. It is
	// informational: nothing is enforced from it.
	ToolSafety json.RawMessage
	Approval   *Approval
	Draft      bool
	// Created and Updated are milliseconds since 1970; 0 when absent.
	Created, Updated int64

	// OutputSchema is the vendor member "x-output-schema": the JSON Schema of a
	// structured result. Optional.
	OutputSchema json.RawMessage
	// Tests is the vendor member "x-tests": the cases by which the spec earns
	// its Local Pass, beside the run with its test values.
	Tests []Case

	// Extra holds every other member of the document, by name.
	Extra map[string]json.RawMessage

	source *source // how the document was written, for the way back
}

// ParamType is the type of a parameter.
type ParamType string

// The parameter types, upper case as on disk.
const (
	TypeString  ParamType = "STRING"
	TypeInteger ParamType = "INTEGER"
	TypeNumber  ParamType = "NUMBER"
	TypeBoolean ParamType = "BOOLEAN"
	TypeObject  ParamType = "OBJECT"
	TypeArray   ParamType = "ARRAY"
)

// Param is one parameter. Its name is bound as a JavaScript global.
type Param struct {
	Name        string
	Description string
	Required    bool
	Type        ParamType
	// TestValue is what the Local Pass binds, as text; nil when absent. A
	// required parameter must have one.
	TestValue *string
	// AllowEmpty is the vendor member "x-allow-empty": an empty string given by
	// a caller is kept and not taken for a missing argument.
	AllowEmpty bool
	// Extra holds members that the specification does not know.
	Extra map[string]json.RawMessage
}

// Variable is one static variable. Its value may hold ${NAME} placeholders,
// resolved at each call and never stored.
type Variable struct {
	Name  string
	Value string
}

// NetworkMode is what a tool may reach.
type NetworkMode string

// The network modes. The empty mode means: inherit the host's baseline.
const (
	NetworkInherit   NetworkMode = ""
	NetworkBlocked   NetworkMode = "blocked"   // fetch is not there
	NetworkAllowlist NetworkMode = "allowlist" // the hosts named
	NetworkStrict    NetworkMode = "strict"    // any public host
	NetworkOpen      NetworkMode = "open"      // anything
)

// Overrides is the author's intent, "sandboxOverrides": how the tool departs
// from the host's baseline. nil fields inherit.
type Overrides struct {
	AddAllowClasses    []string
	RemoveAllowClasses []string
	AddDenyClasses     []string
	RemoveDenyClasses  []string
	NetworkMode        NetworkMode
	HostsAllow         []string
	FileRead           *bool
	FileWrite          *bool
	FSBasePath         *string
	Destructive        *bool
	// Extra holds members that the specification does not know.
	Extra map[string]json.RawMessage
}

// ApprovalMode says whether a person is asked before each call.
type ApprovalMode string

// The approval modes.
const (
	ApprovalDisabled ApprovalMode = "DISABLED"
	ApprovalRequired ApprovalMode = "REQUIRED"
)

// Approval is "humanInTheLoop".
type Approval struct {
	Mode ApprovalMode
	// PromptTemplate is the question; {toolName} and {args} are replaced. Empty
	// means a default question.
	PromptTemplate string
	Extra          map[string]json.RawMessage
}

// Case is one test of a tool: arguments, and what must come of them.
type Case struct {
	Name string `json:"name,omitempty"`
	// Args is a JSON object of arguments.
	Args json.RawMessage `json:"args,omitempty"`
	// Want must be contained in the result: an object may hold more members
	// than named here, arrays and other values must be equal.
	Want json.RawMessage `json:"want,omitempty"`
	// WantError says that the call must fail so. Only the fields given count.
	WantError *WantError `json:"wantError,omitempty"`
}

// WantError is the failure a [Case] expects.
type WantError struct {
	Kind    Kind   `json:"kind,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"` // a part of the message
}

// Asserts reports whether the case can fail on the result's content.
func (c Case) Asserts() bool { return len(c.Want) > 0 || c.WantError != nil }

// source remembers the document as it was read.
type source struct{}

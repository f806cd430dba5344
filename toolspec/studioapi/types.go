package studioapi

import (
	"encoding/json"
	"time"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// State is the status of a tool, in the terms of the studio.
type State string

// The states.
const (
	// StateDraft: it has never passed here.
	StateDraft State = "draft"
	// StatePassed: it holds a valid pass and is not published.
	StatePassed State = "passed"
	// StateLive: it is published, and clients are offered it.
	StateLive State = "live"
	// StateHidden: it is published, and clients are not offered it. Serving says
	// why.
	StateHidden State = "hidden"
	// StateNeedsSettings: it passed, and a ${NAME} has no value now.
	StateNeedsSettings State = "needs_settings"
	// StateTestFailed: the last test of just this content failed.
	StateTestFailed State = "test_failed"
	// StateUnsupported: it needs something that does not exist here.
	StateUnsupported State = "unsupported"
	// StateStalePass: it passed, and was changed since.
	StateStalePass State = "stale_pass"
)

// Source is where a tool comes from.
type Source string

// The sources.
const (
	// SourceMine: it is stored in the studio and can be changed.
	SourceMine Source = "mine"
	// SourceBundled: it came with the program. Fork it to change it.
	SourceBundled Source = "bundled"
	// SourceLoaded: the program published it from elsewhere, such as a folder of
	// files. It is changed there.
	SourceLoaded Source = "loaded"
)

// Tool is a tool in a list.
type Tool struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Category    string         `json:"category"`
	Tags        []string       `json:"tags"`
	Level       toolspec.Level `json:"level" doc:"The inherent risk level, L0 to L5."`
	Mitigated   toolspec.Level `json:"mitigatedLevel" doc:"One band lower where a person approves each call of L4 or L5."`
	State       State          `json:"state" enum:"draft,passed,live,hidden,needs_settings,test_failed,unsupported,stale_pass"`
	Published   bool           `json:"published" doc:"Its content, as it is stored, is published."`
	Live        bool           `json:"live" doc:"It is published, and clients are offered it."`
	// Serving says whether clients are offered it, and if not, why.
	Serving  studio.Serving `json:"serving" enum:"offered,no_pass,not_published,not_exposed,excluded,name_taken,closed" doc:"Whether clients are offered it, and if not, why."`
	Approval bool           `json:"approval" doc:"A person is asked before each call."`
	Source   Source         `json:"source" enum:"mine,bundled,loaded"`
	// Version is what a write names as If-Match, in the form "v12".
	Version   int64     `json:"version,omitempty"`
	UpdatedAt time.Time `json:"updatedAt,omitzero"`
	PassedAt  time.Time `json:"passedAt,omitzero" doc:"When it earned the pass that it holds, or held before it was changed."`
	Missing   []string  `json:"missing,omitempty" doc:"Placeholders without a value."`
	// Failure says why the last test failed, or what is not supported.
	Failure      string           `json:"failure,omitempty" doc:"Why the last test failed, or what is not supported."`
	Errors       int              `json:"errors" doc:"How many errors its document has."`
	Warnings     int              `json:"warnings"`
	SchemaTokens int              `json:"schemaTokens" doc:"What its definition costs a model with each request: bytes divided by four, an estimate."`
	ForkedFrom   *toolspec.Origin `json:"forkedFrom,omitempty"`
}

// ToolDetail is one tool with its document.
type ToolDetail struct {
	Tool
	ReadOnly    bool            `json:"readOnly"`
	Spec        json.RawMessage `json:"spec" doc:"The document, with ${NAME} placeholders as they are written."`
	ContentHash string          `json:"contentHash" doc:"What a pass is bound to."`
	CatalogHash string          `json:"catalogHash"`
	Posture     *Posture        `json:"posture" doc:"What a run may do; null when this host grants none."`
	Reasons     []string        `json:"reasons" doc:"What makes the level so high."`
	Diagnostics []Diagnostic    `json:"diagnostics"`
	Receipt     *Receipt        `json:"receipt,omitempty" doc:"The valid pass."`
	// Step is what makes clients be offered it, where it is published and that is
	// all that is missing.
	Step *Step `json:"step,omitempty" doc:"What makes clients be offered it, where it is published."`
}

// Step is a request that a person may want to send next.
type Step struct {
	Text   string `json:"text" doc:"Why it is not offered, and what to do."`
	Method string `json:"method,omitempty"`
	Path   string `json:"path,omitempty"`
}

// ToolList is one page of tools.
type ToolList struct {
	Items      []Tool `json:"items"`
	NextCursor string `json:"nextCursor,omitempty"`
	Total      int    `json:"total" doc:"How many the filters let through."`
	All        int    `json:"all" doc:"How many there are."`
	Facets     Facets `json:"facets"`
	// Unreadable names stored documents that cannot be read.
	Unreadable []string `json:"unreadable,omitempty" doc:"Stored documents that cannot be read."`
}

// Facets count the tools by each property, under the filters of all the others.
type Facets struct {
	Categories map[string]int `json:"categories"`
	Tags       map[string]int `json:"tags"`
	Levels     map[string]int `json:"levels"`
	States     map[string]int `json:"states"`
	Sources    map[string]int `json:"sources"`
}

// Posture is what a run may do.
type Posture struct {
	Network     toolspec.NetworkPosture `json:"network"`
	FileRead    bool                    `json:"fileRead"`
	FileWrite   bool                    `json:"fileWrite"`
	FSBasePath  string                  `json:"fsBasePath,omitempty"`
	Destructive bool                    `json:"destructive"`
	TimeoutMs   int64                   `json:"timeoutMs"`
	Statements  int64                   `json:"statements,omitempty"`
}

func postureOf(p *toolspec.Posture) *Posture {
	if p == nil {
		return nil
	}
	network := p.Network
	if network.Hosts == nil {
		network.Hosts = []string{}
	}
	return &Posture{Network: network, FileRead: p.FileRead, FileWrite: p.FileWrite, FSBasePath: p.FSBasePath, Destructive: p.Destructive,
		TimeoutMs: p.Limits.Timeout.Milliseconds(), Statements: p.Limits.Statements}
}

// Receipt is a Local Pass.
type Receipt struct {
	ID          string           `json:"id"`
	ContentHash string           `json:"contentHash"`
	Runtime     toolspec.Runtime `json:"runtime"`
	Level       toolspec.Level   `json:"level"`
	At          time.Time        `json:"at"`
	DurationMs  int64            `json:"durationMs"`
	Cases       int              `json:"cases"`
	Recorded    bool             `json:"recorded" doc:"The network was answered from recorded exchanges."`
}

func receiptOf(r *studio.Receipt) *Receipt {
	if r == nil {
		return nil
	}
	return &Receipt{ID: r.ID, ContentHash: r.ContentHash, Runtime: r.Runtime, Level: r.Level, At: r.At,
		DurationMs: r.Duration.Milliseconds(), Cases: r.Cases, Recorded: r.Recorded}
}

// Diagnostic is something wrong with a document, or worth a thought.
type Diagnostic struct {
	Path string `json:"path" doc:"The member, such as params[2].testValue; empty for the document."`
	// Line and Column count from 1: in the code for the path "code", else in the
	// text that was sent. 0 when unknown.
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"col,omitempty"`
	Code     string `json:"code" enum:"SPEC_PARSE,SPEC_INVARIANT,RESOLVER_REJECT,LOCAL_PASS_FAILED"`
	Reason   string `json:"reason" doc:"A stable slug, such as tags-too-many."`
	Severity string `json:"severity" enum:"error,warning"`
	Message  string `json:"message"`
	Fix      string `json:"fix,omitempty" doc:"What to do about it."`
}

func diagnosticsOf(problems toolspec.Problems) []Diagnostic {
	out := make([]Diagnostic, len(problems))
	for i, p := range problems {
		out[i] = Diagnostic{Path: p.Pointer, Line: p.Line, Column: p.Column, Code: string(p.Code), Reason: p.Reason,
			Severity: string(p.Severity), Message: p.Message, Fix: p.Remedy}
	}
	return out
}

// Definition is a tool as an MCP client sees it in tools/list.
type Definition struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  Annotations     `json:"annotations"`
}

// Annotations are the hints about what a tool does.
type Annotations struct {
	ReadOnly    *bool `json:"readOnlyHint,omitempty"`
	Destructive *bool `json:"destructiveHint,omitempty"`
	OpenWorld   *bool `json:"openWorldHint,omitempty"`
}

// definitionOf gives a spec's definition and what it costs a model: four bytes
// count as one token, which is near enough for English and JSON with every
// tokenizer in use, and too low for other scripts.
func definitionOf(spec *toolspec.Spec, p *toolspec.Posture) (def Definition, tokens int) {
	hints := spec.Annotations(p)
	def = Definition{Name: spec.Name, Description: spec.Description, InputSchema: spec.InputSchema(), OutputSchema: spec.OutputSchema,
		Annotations: Annotations{ReadOnly: hints.ReadOnly, Destructive: hints.Destructive, OpenWorld: hints.OpenWorld}}
	raw, err := json.Marshal(def)
	if err != nil { // an output schema that is no JSON: validation says so
		def.OutputSchema = nil
		raw, _ = json.Marshal(def)
	}
	return def, (len(raw) + 3) / 4
}

// mitigated is the level with the credit for a person who approves each call
// (specification section 10).
func mitigated(level toolspec.Level, approval bool) toolspec.Level {
	switch {
	case approval && level == toolspec.L5:
		return toolspec.L4
	case approval && level == toolspec.L4:
		return toolspec.L3
	}
	return level
}

func asksApproval(spec *toolspec.Spec) bool {
	return spec.Approval != nil && spec.Approval.Mode == toolspec.ApprovalRequired
}

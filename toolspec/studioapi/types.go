package studioapi

import (
	"encoding/json"
	"time"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// State is the status of a tool in the studio.
type State string

// The states.
const (
	// StateDraft means that it has never passed here.
	StateDraft State = "draft"
	// StatePassed means that it has a valid pass and is not published.
	StatePassed State = "passed"
	// StateLive means that it is published and clients are offered it.
	StateLive State = "live"
	// StateHidden means that it is published but clients are not offered it. Serving says
	// why.
	StateHidden State = "hidden"
	// StateNeedsSettings means that it passed, but a ${NAME} currently has no value.
	StateNeedsSettings State = "needs_settings"
	// StateTestFailed means that the last test of this content failed.
	StateTestFailed State = "test_failed"
	// StateUnsupported means that it needs something that does not exist here.
	StateUnsupported State = "unsupported"
	// StateStalePass means that it passed and was changed since.
	StateStalePass State = "stale_pass"
)

// Source is where a tool comes from.
type Source string

// The sources.
const (
	// SourceMine is a tool that is stored in the studio and can be changed.
	SourceMine Source = "mine"
	// SourceBundled is a tool that came with the program. Fork it to change it.
	SourceBundled Source = "bundled"
	// SourceLoaded is a tool that the program published from elsewhere, such as a folder
	// of files. It must be changed there.
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
	// Version is the value of If-Match for a write, in the form "v12".
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
	Unasked     string          `json:"unasked" doc:"What a call may do without a person being asked, in one line."`
	Diagnostics []Diagnostic    `json:"diagnostics"`
	Receipt     *Receipt        `json:"receipt,omitempty" doc:"The valid pass."`
	// Step is the step after which clients are offered the tool, if the tool is published
	// and nothing else is missing.
	Step *Step `json:"step,omitempty" doc:"What makes clients be offered it, where it is published."`
}

// Step is a request that a user may want to send next.
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
	All        int    `json:"all" doc:"How many there are in the collection."`
	// Collections counts the tools of each collection without any filter.
	Collections map[string]int `json:"collections" doc:"How many tools each collection has without any filter: all, mine, published, bundled."`
	Facets      Facets         `json:"facets"`
	// Unreadable names stored documents that cannot be read.
	Unreadable []string `json:"unreadable,omitempty" doc:"Stored documents that cannot be read."`
}

// Facets count the tools by each property, with the filters of all other properties
// applied.
type Facets struct {
	Categories map[string]int `json:"categories"`
	Tags       map[string]int `json:"tags"`
	Levels     map[string]int `json:"levels"`
	States     map[string]int `json:"states"`
	Sources    map[string]int `json:"sources"`
}

// Posture is the set of permissions of a run.
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

// Diagnostic is an error or a warning about a document.
type Diagnostic struct {
	Path string `json:"path" doc:"The member, such as params[2].testValue; empty for the document."`
	// Line and Column count from 1: in the code for the path "code", otherwise in the
	// text that was sent. 0 if unknown.
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"col,omitempty"`
	Code     string `json:"code" enum:"SPEC_PARSE,SPEC_INVARIANT,RESOLVER_REJECT,LOCAL_PASS_FAILED"`
	Reason   string `json:"reason" doc:"A stable slug, such as tags-too-many."`
	Severity string `json:"severity" enum:"error,warning"`
	Message  string `json:"message"`
	Fix      string `json:"fix,omitempty" doc:"What to do about it."`
	Fixes    []Fix  `json:"fixes" doc:"Changes that settle it, the one to prefer first."`
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

// definitionOf returns a spec's definition and its cost for a model: four bytes count as
// one token, which is close enough for English and JSON with all current tokenizers, and
// too low for other scripts.
func definitionOf(spec *toolspec.Spec, p *toolspec.Posture) (def Definition, tokens int) {
	hints := spec.Annotations(p)
	def = Definition{Name: spec.Name, Description: spec.Description, InputSchema: spec.InputSchema(), OutputSchema: spec.OutputSchema,
		Annotations: Annotations{ReadOnly: hints.ReadOnly, Destructive: hints.Destructive, OpenWorld: hints.OpenWorld}}
	raw, err := json.Marshal(def)
	if err != nil { // the output schema is not JSON: validation reports it
		def.OutputSchema = nil
		raw, _ = json.Marshal(def)
	}
	return def, (len(raw) + 3) / 4
}

// mitigated returns the level after the credit for approval of each call (specification
// section 10).
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

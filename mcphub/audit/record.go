package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
	"github.com/localpass/localpass/toolspec/studio"
)

// Sink keeps the record of each call. A call's result is sent only after Audit has
// returned nil: a call that cannot be recorded is refused.
//
// Audit is called on the goroutine of the call, concurrently for several calls, and must
// not keep the record. Its context outlives the context of the call, so that cancelled
// calls are recorded too.
type Sink interface {
	Audit(ctx context.Context, r *Record) error
}

// Record is one call of a tool: the caller and the tool, the rules in force, what it
// accessed, and how it ended. It holds no arguments, results or credentials: arguments
// are stored as a digest of their canonical form, sessions as a label, requests by host.
type Record struct {
	// Time is when the call came in.
	Time time.Time `json:"time"`
	// Call is the call's id, as in its spans.
	Call string `json:"call"`
	Tool Tool   `json:"tool"`
	// Principal is the caller, and the transport by which the call came in.
	Principal toolspec.Principal `json:"principal"`
	// Transport is "tcp" for HTTP, "pipe" for stdio, empty in process.
	Transport string `json:"transport,omitempty"`
	// Protocol is the negotiated MCP version.
	Protocol string `json:"protocol,omitempty"`
	// Session is a label of the session: the same for all its calls, and useless for
	// hijacking it. Empty for clients without sessions.
	Session      string `json:"session,omitempty"`
	Conversation string `json:"conversation,omitempty"`
	// Arguments is the SHA-256 of the arguments' canonical form, in hex. It shows whether
	// two calls had the same arguments; a reader who can guess the arguments can confirm
	// them with it.
	Arguments string `json:"arguments"`
	// Undeclared counts the arguments that the tool does not declare and that
	// were ignored.
	Undeclared int `json:"undeclared,omitempty"`
	// OK reports success. Kind, Reason and Component classify a failure.
	OK        bool          `json:"ok"`
	Kind      toolspec.Kind `json:"kind,omitempty"`
	Reason    string        `json:"reason,omitempty"`
	Component string        `json:"component,omitempty"`
	// Because says which grant, policy or decision let the call run; empty if no gate was
	// asked or the call did not run.
	Because string `json:"because,omitempty"`
	// Duration is how long the call took, without the writing of this record; in JSON as
	// nanoseconds.
	Duration time.Duration `json:"duration"`
	// Runtime is the runtime that actually ran the code, Limits are the limits of the
	// run, and Usage is its resource usage; nil for a Go tool and for a call that was
	// refused before it ran.
	Runtime *toolspec.Runtime `json:"runtime,omitempty"`
	Limits  *toolspec.Limits  `json:"limits,omitempty"`
	Usage   *activity.Usage   `json:"usage,omitempty"`
	// Accesses lists what the run accessed, at most 100 different entries in the order of
	// first use: requests by method and host, files by function and path. AccessesCut
	// counts the omitted ones.
	Accesses    []activity.Access `json:"accesses,omitempty"`
	AccessesCut int               `json:"accessesCut,omitempty"`
	// Denials lists what was refused during the run, even if the code continued, at most
	// 100 of them; DenialsCut counts the others.
	Denials    []Denial `json:"denials,omitempty"`
	DenialsCut int      `json:"denialsCut,omitempty"`
	// Findings are the rules of a scan that found something in the result of another server,
	// which was labelled, or withheld if OK is false.
	Findings []string `json:"findings,omitempty"`
	// ConsoleCut says that the run printed more than is kept.
	ConsoleCut bool `json:"consoleCut,omitempty"`
}

// Tool is the tool of a [Record] as it was served.
type Tool struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Category string         `json:"category,omitempty"`
	Level    toolspec.Level `json:"level"`
	// Pass is the id of the receipt under which the tool was served, and ContentHash the
	// digest of what earned the pass: the spec, or the definition of a Go tool. For a
	// tool of another server, Pass is the fingerprint that the operator approved.
	Pass        string `json:"pass"`
	ContentHash string `json:"contentHash,omitempty"`
	// Approval is the approval mode that the spec asks for.
	Approval toolspec.ApprovalMode `json:"approval,omitempty"`
	// Posture is what was enforced; nil for a Go tool, which may do what the
	// program may.
	Posture *toolspec.Posture `json:"posture,omitempty"`

	encoded []byte // the posture as JSON, encoded once per tool
}

// Denial is one thing that was refused during a run.
type Denial struct {
	Component string `json:"component"`
	Reason    string `json:"reason"`
}

// mostListed is the maximum length of the lists in one record.
const mostListed = 100

// ToolOf returns the description of a tool for its records.
func ToolOf(pass *studio.Passed) Tool {
	receipt := pass.Receipt()
	t := Tool{ID: pass.ID(), Name: pass.Definition().Name, Level: pass.Definition().Level, Pass: receipt.ID,
		ContentHash: receipt.ContentHash, Posture: pass.Posture()}
	if spec := pass.Spec(); spec != nil {
		t.Category = spec.Category
		if spec.Approval != nil {
			t.Approval = spec.Approval.Mode
		}
	}
	return t.Prepared()
}

// Prepared returns the tool with its JSON made in advance, for a tool that many records
// will name. It must not be changed afterwards.
func (t Tool) Prepared() Tool {
	t.encoded = t.encode()
	return t
}

// SetOutcome adds how the sandbox ran the call. The record shares memory with out.
func (r *Record) SetOutcome(out *toolspec.Outcome) {
	if out.Runtime.ID != "" {
		r.Runtime, r.Limits, r.Usage = &out.Runtime, &out.Limits, &out.Usage
	}
	r.Undeclared, r.ConsoleCut = out.Undeclared, out.ConsoleCut
	r.Accesses, r.AccessesCut = boundAccesses(out.Accesses), out.AccessesCut
	if len(out.Accesses) > mostListed {
		r.AccessesCut += len(out.Accesses) - mostListed
	}
	if n := min(len(out.Denials), mostListed); n > 0 {
		r.Denials, r.DenialsCut = make([]Denial, n), len(out.Denials)-n
		for i := range r.Denials {
			r.Denials[i] = Denial{Component: out.Denials[i].Component, Reason: out.Denials[i].Reason}
		}
	}
}

// boundAccesses enforces the limits that a runner promises for its accesses, because what
// is written here cannot be removed. It returns the runner's own list if that list is
// within the limits.
func boundAccesses(list []activity.Access) []activity.Access {
	list = list[:min(len(list), mostListed)]
	own := false
	for i, a := range list {
		if a.Component == "fetch" {
			a.Op, a.Target = knownMethod(a.Op), hostOnly(a.Target)
		}
		if a != list[i] {
			if !own {
				list, own = slices.Clone(list), true
			}
			list[i] = a
		}
	}
	return list
}

// knownMethod keeps the common methods. Other methods come from the code and may contain
// anything.
func knownMethod(op string) string {
	switch op {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, "QUERY":
		return op
	}
	return "other"
}

// hostOnly reduces a URL to its scheme, host and port.
func hostOnly(target string) string {
	start := 0
	if i := strings.Index(target, "://"); i >= 0 {
		start = i + len("://")
	}
	host := target[start:]
	if i := strings.IndexAny(host, "/?#\\"); i >= 0 {
		host = host[:i]
	}
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		return target[:start] + host[i+1:]
	}
	return target[:start+len(host)]
}

// Memory keeps the last 1,000 records in memory, for a hub without a store.
// It is safe for concurrent use.
type Memory struct {
	mu      sync.Mutex
	records []Record
	next    int // index of the oldest record once the ring is full
}

var _ Sink = (*Memory)(nil)

// NewMemory returns an empty Memory.
func NewMemory() *Memory { return &Memory{} }

const memoryRecords = 1000

// Audit keeps a copy of the record. It never fails.
func (a *Memory) Audit(_ context.Context, r *Record) error {
	kept := *r
	if kept.Runtime != nil { // not the whole outcome, which the runtime is part of
		runtime, limits, usage := *r.Runtime, *r.Limits, *r.Usage
		kept.Runtime, kept.Limits, kept.Usage = &runtime, &limits, &usage
	}
	kept.Accesses = slices.Clone(r.Accesses)
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.records) < memoryRecords {
		a.records = append(a.records, kept)
		return nil
	}
	a.records[a.next] = kept
	a.next = (a.next + 1) % memoryRecords
	return nil
}

// Records yields the records that are kept when iteration begins, oldest first. It yields
// no error.
func (a *Memory) Records(context.Context) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		a.mu.Lock()
		kept := append(slices.Clone(a.records[a.next:]), a.records[:a.next]...)
		a.mu.Unlock()
		for _, r := range kept {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// readCall parses the record of a call. It returns false for a record of the log itself.
func readCall(data []byte) (r Record, ok bool, err error) {
	_, call, why := readMeta(data)
	if why == "" && call {
		if err := json.Unmarshal(data, &r); err != nil {
			why = err.Error()
		}
	}
	if why != "" {
		return Record{}, false, fmt.Errorf("audit: audit record is not readable: %s", why)
	}
	return r, call, nil
}

// logName is the name of the log in the store, and of the collection if the store has no
// logs.
const logName = "audit"

// writeTimeout is the time limit for writing one batch of records. It is far longer than
// a disk needs, and ends the wait for a disk that hangs.
const writeTimeout = 10 * time.Second

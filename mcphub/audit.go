package mcphub

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"sync"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/toolspec"
)

// Auditor keeps the record of each call. A call's result leaves only after
// Audit returned nil: one that cannot be recorded is refused.
//
// Audit is called on the goroutine of the call, from many at once, and must not
// keep the record. Its context outlives the call's: a call that was cancelled
// is recorded too.
type Auditor interface {
	Audit(ctx context.Context, r *AuditRecord) error
}

// AuditRecord is one call of a tool: who asked for what, what was in force, and
// how it ended. It holds no argument, no result and nothing that opens a door:
// arguments as a digest of their canonical form, sessions by a label.
type AuditRecord struct {
	// Time is when the call came in.
	Time time.Time `json:"time"`
	// Call is the call's id, as in its spans.
	Call string      `json:"call"`
	Tool AuditedTool `json:"tool"`
	// Principal is who asked, and by which way the call came in.
	Principal toolspec.Principal `json:"principal"`
	// Transport is "tcp" for HTTP, "pipe" for stdio, empty in process.
	Transport string `json:"transport,omitempty"`
	// Protocol is the MCP version spoken.
	Protocol string `json:"protocol,omitempty"`
	// Session labels the session: the same for all calls of one, and of no use
	// to take it over. Empty for clients without sessions.
	Session      string `json:"session,omitempty"`
	Conversation string `json:"conversation,omitempty"`
	// Arguments is the SHA-256 of the arguments' canonical form, in hex. It
	// tells whether two calls were the same; arguments that can be guessed can
	// be confirmed with it.
	Arguments string `json:"arguments"`
	// OK tells success. Kind, Reason and Component class a failure.
	OK        bool          `json:"ok"`
	Kind      toolspec.Kind `json:"kind,omitempty"`
	Reason    string        `json:"reason,omitempty"`
	Component string        `json:"component,omitempty"`
	// Duration is how long the call took, without the writing of this record.
	Duration time.Duration `json:"duration"`
	// Runtime is what really ran the code; nil for a Go tool and for a call
	// that was refused before it ran.
	Runtime *toolspec.Runtime `json:"runtime,omitempty"`
	// Denials is what was refused during the run, also when the code went on.
	Denials []AuditedDenial `json:"denials,omitempty"`
}

// AuditedTool is the tool of an [AuditRecord] as it was served.
type AuditedTool struct {
	ID    string         `json:"id"`
	Name  string         `json:"name"`
	Level toolspec.Level `json:"level"`
	// Pass is the id of the receipt it was served under.
	Pass string `json:"pass"`
	// Posture is what was enforced; nil for a Go tool, which may do what the
	// program may.
	Posture *toolspec.Posture `json:"posture,omitempty"`

	encoded []byte // the same as JSON, made once per tool
}

// AuditedDenial is one thing that was refused during a run.
type AuditedDenial struct {
	Component string `json:"component"`
	Reason    string `json:"reason"`
}

// MarshalJSON writes the record as it stands in the log, without the members
// that link it to the others.
func (r AuditRecord) MarshalJSON() ([]byte, error) { return r.appendJSON(nil), nil }

// appendJSON appends the record as JSON. Every call pays for it, which is why it
// is written by hand.
func (r *AuditRecord) appendJSON(dst []byte) []byte {
	dst = appendTime(append(dst, `{"time":`...), r.Time)
	dst = appendString(append(dst, `,"call":`...), r.Call)
	dst = append(dst, `,"tool":`...)
	if r.Tool.encoded != nil {
		dst = append(dst, r.Tool.encoded...)
	} else {
		dst = append(dst, r.Tool.encode()...)
	}
	dst = appendString(append(dst, `,"principal":{"subject":`...), r.Principal.Subject)
	dst = appendField(dst, "issuer", r.Principal.Issuer)
	dst = append(appendField(dst, "via", r.Principal.Via), '}')
	dst = appendField(dst, "transport", r.Transport)
	dst = appendField(dst, "protocol", r.Protocol)
	dst = appendField(dst, "session", r.Session)
	dst = appendField(dst, "conversation", r.Conversation)
	dst = appendString(append(dst, `,"arguments":`...), r.Arguments)
	dst = strconv.AppendBool(append(dst, `,"ok":`...), r.OK)
	dst = appendField(dst, "kind", string(r.Kind))
	dst = appendField(dst, "reason", r.Reason)
	dst = appendField(dst, "component", r.Component)
	dst = strconv.AppendInt(append(dst, `,"duration":`...), int64(r.Duration), 10)
	if r.Runtime != nil {
		dst = appendString(append(dst, `,"runtime":{"id":`...), r.Runtime.ID)
		dst = appendString(append(dst, `,"version":`...), r.Runtime.Version)
		dst = append(appendString(append(dst, `,"tier":`...), string(r.Runtime.Tier)), '}')
	}
	for i, d := range r.Denials {
		if i == 0 {
			dst = append(dst, `,"denials":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = appendString(append(dst, `{"component":`...), d.Component)
		dst = append(appendString(append(dst, `,"reason":`...), d.Reason), '}')
		if i == len(r.Denials)-1 {
			dst = append(dst, ']')
		}
	}
	return append(dst, '}')
}

func (t AuditedTool) encode() []byte {
	b, err := json.Marshal(t)
	if err != nil { // a posture is plain data: this does not happen
		return []byte(`{"id":"","name":"","level":"unknown","pass":""}`)
	}
	return b
}

// memoryAudit keeps the last records in memory, for a hub without a store.
type memoryAudit struct {
	mu      sync.Mutex
	records []AuditRecord
	next    int // where the oldest stands once the ring is full
}

// memoryRecords is how many records a hub without a store keeps.
const memoryRecords = 1000

func (a *memoryAudit) Audit(_ context.Context, r *AuditRecord) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.records) < memoryRecords {
		a.records = append(a.records, *r)
		return nil
	}
	a.records[a.next] = *r
	a.next = (a.next + 1) % memoryRecords
	return nil
}

func (a *memoryAudit) all() []AuditRecord {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append(append([]AuditRecord(nil), a.records[a.next:]...), a.records[:a.next]...)
}

// AuditRecords yields the records of calls, oldest first: all that the store
// holds, of other programs too, or the last 1,000 of this hub when it has no
// store. Iteration stops at the first error, which is yielded with a zero
// record. A hub with an [Options.Audit] of its own yields nothing: ask that.
func (h *Hub) AuditRecords(ctx context.Context) iter.Seq2[AuditRecord, error] {
	return func(yield func(AuditRecord, error) bool) {
		switch a := h.audit.(type) {
		case *memoryAudit:
			for _, r := range a.all() {
				if !yield(r, nil) {
					return
				}
			}
		case *storeAudit:
			for data, err := range a.read(ctx) {
				var r AuditRecord
				if err == nil {
					if approvalRecord(data) != nil {
						continue
					}
					if err = json.Unmarshal(data, &r); err != nil {
						err = fmt.Errorf("mcphub: audit record is not readable: %w", err)
					}
				}
				if !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}

// auditLog names the log in the store, and the collection where the store keeps
// no logs.
const auditLog = "audit"

// auditTimeout bounds the writing of one batch of records. It is far above what
// a disk takes, and it ends the wait for one that hangs.
const auditTimeout = 10 * time.Second

// read yields what was appended, as it stands in the store.
func (a *storeAudit) read(ctx context.Context) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		if a.log != nil {
			for r, err := range a.log.Records(ctx, auditLog, localpass.LogOptions{}) {
				if !yield(r.Data, err) || err != nil {
					return
				}
			}
			return
		}
		for d, err := range a.store.List(ctx, auditLog, localpass.ListOptions{}) {
			if !yield(d.Data, err) || err != nil {
				return
			}
		}
	}
}

package mcphub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/approval"
)

// AuditLog is the audit log of a store, for those who write it beside a hub: a
// gate, which is there before the hub is. Questions, answers and calls then stand
// in one chain, in the order in which they happened:
//
//	log := mcphub.NewAuditLog(store)
//	gate, err := approval.NewGate(&approval.Options{Store: store, Audit: log, ...})
//	...
//	hub, err := mcphub.New(&mcphub.Options{Store: store, Audit: log, Approval: gate})
//
// It is safe for concurrent use.
type AuditLog struct{ log *storeAudit }

var (
	_ Auditor          = (*AuditLog)(nil)
	_ approval.Auditor = (*AuditLog)(nil)
)

// NewAuditLog returns the audit log of a store. Without a store nothing can be
// recorded, so nothing that has to be runs.
func NewAuditLog(store localpass.Persistence) *AuditLog {
	if store == nil {
		return &AuditLog{}
	}
	return &AuditLog{log: newStoreAudit(store)}
}

var errNoAuditStore = errors.New("mcphub: the audit log has no store")

// Audit records a call.
func (l *AuditLog) Audit(ctx context.Context, r *AuditRecord) error {
	if l.log == nil {
		return errNoAuditStore
	}
	return l.log.Audit(ctx, r)
}

// AuditApproval records a question, an answer or a use of one. In the log it is a
// record of its own, {"time": …, "approval": {…}}.
func (l *AuditLog) AuditApproval(ctx context.Context, r *approval.AuditRecord) error {
	if l.log == nil {
		return errNoAuditStore
	}
	record, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("mcphub: the record of an approval cannot be written: %w", err)
	}
	body := appendTime(append(make([]byte, 0, len(record)+64), `"time":`...), r.At)
	body = append(append(append(body, `,"approval":`...), record...), '}')
	return l.log.submit(ctx, body)
}

// ApprovalRecords yields the records of questions and answers, oldest first: all
// that the store holds, of other programs too. Iteration stops at the first
// error, which is yielded with a zero record.
func (l *AuditLog) ApprovalRecords(ctx context.Context) iter.Seq2[approval.AuditRecord, error] {
	return func(yield func(approval.AuditRecord, error) bool) {
		if l.log == nil {
			return
		}
		for data, err := range l.log.read(ctx) {
			var r approval.AuditRecord
			if err == nil {
				raw := approvalRecord(data)
				if raw == nil {
					continue
				}
				if err = json.Unmarshal(raw, &r); err != nil {
					err = fmt.Errorf("mcphub: audit record is not readable: %w", err)
				}
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// approvalRecord is what a record of the log says of an approval; nil for one of
// a call.
func approvalRecord(data []byte) (raw []byte) {
	if !validJSON(data) {
		return nil
	}
	_ = members(data, func(name, value []byte) error { // visit never fails
		if string(name) == "approval" {
			raw = value
		}
		return nil
	})
	return raw
}

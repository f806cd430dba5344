package approval

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/localpass/localpass/toolspec/secret"
)

// itemOf is a record as it may leave this program.
func itemOf(rec *Record, redact *secret.Redactor) Item {
	r := &rec.Request
	arguments := redactJSON(r.Arguments, redact)
	item := Item{
		ID: r.ID, State: rec.Status, Outcome: rec.Outcome, CallID: r.CallID, Batch: r.Batch, Tool: r.Tool, Server: r.Server, Alias: r.Alias,
		Title: redact.String(r.Title), Description: redact.String(r.Description), Fingerprint: r.Fingerprint,
		Level: r.Level, Risk: levelLabel(r.Level), Findings: r.Findings,
		Arguments: arguments, Masked: !bytes.Equal(arguments, r.Arguments), Digest: r.Digest, Schema: r.Schema,
		Prompt: redact.String(r.Prompt), Shown: redact.String(r.Shown), Why: redactAll(r.Why, redact), Changes: redactAll(r.Changes, redact), Targets: redactAll(r.Targets, redact),
		Confirm: r.Confirm, Scopes: r.Scopes, Needed: r.Needed,
		Principal: personOf(r.Principal), Conversation: r.Conversation, Side: r.Side, Created: r.Created, Deadline: r.Deadline, Latest: r.Latest,
		Decisions: make([]Decided, len(rec.Decisions)), Ended: rec.Ended, Used: rec.Used, Rule: rec.Rule,
	}
	item.Client = Client{Name: redact.String(r.Client.Name), Version: redact.String(r.Client.Version), Session: r.Client.Session}
	if rec.Status == StatusUsed {
		item.Because = redact.String(rec.because())
	}
	if d := rec.Decision(); d != nil && d.Via == viaGate {
		item.Closed = redact.String(cmp.Or(d.Reason, string(d.Outcome)))
	}
	for i, d := range rec.Decisions {
		item.Decisions[i] = Decided{Outcome: d.Outcome, Scope: d.Scope, Calls: d.Calls, Until: d.Until, Arguments: redactJSON(d.Arguments, redact),
			Note: redact.String(d.Reason), By: personOf(d.By), Via: d.Via, At: d.At}
	}
	return item
}

func redactJSON(raw json.RawMessage, redact *secret.Redactor) json.RawMessage {
	if len(raw) == 0 || redact == nil {
		return raw
	}
	return redact.JSON(raw)
}

func redactAll(texts []string, redact *secret.Redactor) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = redact.String(text)
	}
	return out
}

// unmasked refuses edited arguments with a mask in them where those that were
// shown had one: "***" would run in place of what it stands for.
func unmasked(r *Request, edited json.RawMessage, redact *secret.Redactor) error {
	if len(edited) == 0 || bytes.Equal(redactJSON(r.Arguments, redact), r.Arguments) || !bytes.Contains(edited, []byte(secret.Mask)) {
		return nil
	}
	return fmt.Errorf("%w: the edited arguments of %q hold the mask %s in place of a secret: they cannot be edited here", ErrInvalid, r.Tool, secret.Mask)
}

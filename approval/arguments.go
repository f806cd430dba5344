package approval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/internal/schema"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

// canonicalArguments returns the canonical form of a call's arguments, which is the form
// that is shown, digested and run, and its digest.
func canonicalArguments(raw json.RawMessage) (json.RawMessage, string, error) {
	if trimmed := bytes.TrimSpace(raw); len(trimmed) == 0 || string(trimmed) == "null" {
		raw = json.RawMessage(`{}`)
	}
	form, err := canon.Transform(raw)
	if err != nil {
		return nil, "", fmt.Errorf("the arguments are not JSON that means one thing: %w", err)
	}
	if form[0] != '{' {
		return nil, "", errors.New("the arguments are not a JSON object")
	}
	return form, canon.Digest(form), nil
}

// validEdit checks arguments that a person edited against the tool's schema, and returns
// their canonical form.
func validEdit(edited, inputSchema json.RawMessage) (json.RawMessage, string, error) {
	form, digest, err := canonicalArguments(edited)
	if err != nil {
		return nil, "", err
	}
	if len(inputSchema) == 0 {
		return nil, "", errors.New("the tool has no schema to check edited arguments against")
	}
	s, err := schema.CompileObject(inputSchema)
	if err != nil {
		return nil, "", fmt.Errorf("edited arguments cannot be checked against the tool's schema: %w", err)
	}
	if err := s.Validate(form); err != nil {
		return nil, "", fmt.Errorf("the edited arguments do not match the tool's schema: %w", err)
	}
	return form, digest, nil
}

// CheckEdit returns the canonical form of arguments that a person edited. The error,
// which matches [ErrInvalid], says why they cannot run. [Broker.Decide] makes the same
// check; CheckEdit is for approvers that report the error to the person at once.
func (r *Request) CheckEdit(edited json.RawMessage) (json.RawMessage, error) {
	form, _, err := validEdit(edited, r.Schema)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return form, nil
}

// CheckMask refuses edited arguments that contain the mask of a secret, if a secret was
// masked in the shown arguments: otherwise the call would run with "***" instead of the
// secret. The error matches [ErrInvalid]. redact is the redactor that masked them.
func (r *Request) CheckMask(edited json.RawMessage, redact *secret.Redactor) error {
	if !bytes.Contains(edited, []byte(secret.Mask)) || bytes.Equal(redact.JSON(r.Arguments), r.Arguments) {
		return nil
	}
	return fmt.Errorf("%w: the edited arguments of %q hold the mask %s in place of a secret: they cannot be edited here", ErrInvalid, r.Tool, secret.Mask)
}

// Fingerprint identifies the tool of the call in its present form: it returns the
// fingerprint of the definition, or a digest of the definition if it has none.
func (c *Call) Fingerprint() string { return fingerprintOf(&c.Definition) }

// fingerprintOf returns the tool's own fingerprint, or else one computed from its
// definition.
func fingerprintOf(def *toolspec.Definition) string {
	if def.Fingerprint != "" {
		return def.Fingerprint
	}
	hints, _ := json.Marshal(def.Annotations) // marshalling plain fields cannot fail
	approval, _ := json.Marshal(def.Approval)
	return "def:" + canon.Digest([]byte(def.Name), []byte(def.Title), []byte(def.Description), def.InputSchema, def.OutputSchema,
		hints, approval, []byte(def.Level.String()))
}

// required reports whether the tool itself requires approval. An unknown approval mode
// requires it.
func required(def *toolspec.Definition) bool {
	return def.Approval != nil && def.Approval.Mode != toolspec.ApprovalDisabled && def.Approval.Mode != ""
}

// critical reports whether a level is L5 or unknown: an approval then covers only one
// call, and the four-eyes option applies.
func critical(level toolspec.Level) bool { return level.Exceeds(toolspec.L4) }

// high reports whether a level is at least L4: an approval for more than one call then
// covers only calls with the same arguments.
func high(level toolspec.Level) bool { return level.Exceeds(toolspec.L3) }

// typed reports whether a person must type the name of the tool to approve a call. This
// is so at level L5, but not if the level is unknown, as for most tools of other servers.
func typed(level toolspec.Level) bool { return critical(level) && level != toolspec.LevelUnknown }

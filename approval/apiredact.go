package approval

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/localpass/localpass/toolspec/secret"
)

// redactRequest is a request as it may leave this program.
func redactRequest(r Request, redact *secret.Redactor) Request {
	if redact == nil {
		return r
	}
	r.Arguments = redact.JSON(r.Arguments)
	r.Title, r.Description = redact.String(r.Title), redact.String(r.Description)
	r.Prompt, r.Shown = redact.String(r.Prompt), redact.String(r.Shown)
	r.Why, r.Changes = redactAll(r.Why, redact), redactAll(r.Changes, redact)
	return r
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
	if len(edited) == 0 || redact == nil || bytes.Equal(redact.JSON(r.Arguments), r.Arguments) || !bytes.Contains(edited, []byte(secret.Mask)) {
		return nil
	}
	return fmt.Errorf("%w: the edited arguments of %q hold the mask %s in place of a secret: they cannot be edited here", ErrInvalid, r.Tool, secret.Mask)
}

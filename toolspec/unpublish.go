package toolspec

import (
	"context"
	"errors"
	"fmt"

	"github.com/localpass/localpass"
)

// Unpublish takes a tool off the air as [Studio.Withdraw] does, and keeps it
// off: its stored spec is a draft again, so that [Studio.Restore] leaves it. Its
// pass stays good, and Publish brings it back.
//
// The tool is off the air even when there is an error; it then comes back at the
// next Restore.
func (s *Studio) Unpublish(ctx context.Context, id string) error {
	s.Withdraw(id)
	var err error
	for range 3 { // somebody may save in between
		var doc localpass.Document
		if doc, err = s.store.Get(ctx, collectionSpecs, id); errors.Is(err, localpass.ErrNotFound) {
			return nil // nothing that Restore could find
		}
		if err != nil {
			break
		}
		var stored Draft
		if stored, err = readDraft(doc); err != nil || stored.Spec.Draft {
			return nil // what cannot be read is not restored either
		}
		stored.Spec.Draft = true
		if _, err = s.putSpec(ctx, id, stored.Spec, stored.Version); !errors.Is(err, localpass.ErrConflict) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("toolspec: unpublish %s: %w", quote(id), err)
	}
	return nil
}

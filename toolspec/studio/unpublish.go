package studio

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/localpass/localpass"
)

// Unpublish withdraws a tool like [Studio.Withdraw], and makes this permanent: its stored
// spec becomes a draft again, and for a bundled spec the store records that it was
// unpublished, so that no program on the store serves it. Its pass stays valid, and
// Publish serves it again.
//
// Even after an error the tool is withdrawn in this program, but it is published again at
// the next start.
func (s *Studio) Unpublish(ctx context.Context, id string) error {
	unlock, err := s.tools.lock(ctx, id)
	if err != nil {
		s.Withdraw(id)
		return fmt.Errorf("studio: unpublish %s: %w", strconv.Quote(id), err)
	}
	changed := s.drop(id)
	err = s.markDraft(ctx, id)
	s.mu.Lock()
	if delete(s.held, id); err != nil {
		s.held[id] = true
	}
	s.mu.Unlock()
	unlock()
	if changed {
		s.changed.Notify()
	}
	if err != nil {
		return fmt.Errorf("studio: unpublish %s: %w", strconv.Quote(id), err)
	}
	return nil
}

// markDraft records in the stored document that it is a draft.
func (s *Studio) markDraft(ctx context.Context, id string) error {
	var err error
	for range 3 { // another program may write in between
		var doc localpass.Document
		if doc, err = s.store.Get(ctx, collectionSpecs, id); errors.Is(err, localpass.ErrNotFound) {
			return s.markBundled(ctx, id, false)
		}
		if err != nil {
			return err
		}
		stored, unreadable := readDraft(doc)
		if unreadable != nil || stored.Spec.Draft {
			return nil // what cannot be read is not served either
		}
		stored.Spec.Draft = true
		if _, err = s.putSpec(ctx, id, stored.Spec, stored.Version); !errors.Is(err, localpass.ErrConflict) {
			return err
		}
	}
	return err
}
